#include "codegen/host/memory/access_plan.h"

#include "codegen/host/memory/prefetch.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using How = AccessPlan::How;
using If = AccessPlan::If;

// ------------------------------------------------------------------------------------------------
// the words

namespace {

constexpr const char* kRun = "consecutive elements";

const char* text(const Window& window) {
  if (window.in_place()) return kRun;
  return window.whole ? "whole vectors and shuffles" : "vectors and shuffles";
}

std::string text(const AccessPlan& plan) {
  switch (plan.how) {
    case How::OneAddress:
      return "one address";
    case How::Scalarized:
      return "lane by lane in a scalarized loop";
    case How::RepeatedRow:
      return "one row for all";
    case How::OneARow:
      return "one element a row";
    case How::Run:
      return kRun;
    case How::BlendedRun:
      return "consecutive elements, blended";
    case How::Window:
      return text(*plan.window);
    case How::Records:
      return "whole records by vectors and shuffles";
    case How::Rows:
      return "rows of " + std::to_string(plan.address.period);
    case How::Gather:
      return "gathered";
    case How::Scatter:
      return "scattered";
    case How::EachElement:
      return "element by element";
    case How::LaneByLane:
      return "lane by lane";
    case How::Lines:
      return "streaming stores of whole lines";
  }
  CD_UNREACHABLE("unknown plan of an access");
}

const char* text(If when) {
  switch (when) {
    case If::Always:
      return "";
    case If::AllLanesOn:
      return "if all lanes are on: ";
    case If::LinesBegin:
      return "if lines begin there: ";
    case If::AllLanesOnAndLinesBegin:
      return "if all lanes are on and lines begin there: ";
  }
  CD_UNREACHABLE("unknown condition of an access");
}

}  // namespace

std::string describe(const AccessPlan& plan) {
  std::string all = text(plan.when) + text(plan);
  for (const AccessPlan& otherwise : plan.otherwise) all += ", else " + describe(otherwise);
  for (const analysis::Prefetch& prefetch : plan.prefetches) all += Prefetcher::describe(prefetch);
  return all;
}

// ------------------------------------------------------------------------------------------------
// windows

// Where all lanes are at constant distances, of whole elements. `whole`: of vectors that lie at
// multiples of their size in the array.
std::optional<Window> AccessPlanner::window_of(const Address& address, bool whole) const {
  const auto *s0 = llvm::dyn_cast<llvm::ConstantInt>(address.s0),
             *s1 = llvm::dyn_cast<llvm::ConstantInt>(address.s1);
  const unsigned native = form().window_lanes(address.element.bytes());
  if (address.kind != Lanes::Kind::Affine || !s0 || !s1 || native == 0) return std::nullopt;
  const auto bytes = static_cast<int64_t>(address.element.bytes());
  if (s0->getSExtValue() % bytes != 0 || s1->getSExtValue() % bytes != 0) return std::nullopt;
  llvm::SmallVector<int64_t, kMostLanes> elements;
  for (unsigned lane = 0; lane < address.lanes; ++lane)
    elements.push_back((s0->getSExtValue() * (lane % address.period) +
                        s1->getSExtValue() * (lane / address.period)) /
                       bytes);
  if (!whole) return Window(elements, native);
  const uint64_t into = address.start->value % (native * address.element.bytes());
  return Window(elements, native, static_cast<unsigned>(into / address.element.bytes()));
}

// Whole vectors of an array of the block, at known places in them, may be loaded: neighbours are
// the block's as well, and the block is one thread's. Every vector has an element of an active
// lane, if all are active, so none lies beyond the array's own lines.
//
// A run that begins within a vector is taken out of two neighbouring ones where one shuffle does:
// that is better than a load that touches two lines, and that waits where a store of one of them is
// under way.
std::optional<Window> AccessPlanner::whole_window(const Address& address) const {
  if (!c_.uses(Heuristic::whole_vectors)) return std::nullopt;
  const unsigned bytes = address.element.bytes();
  const uint64_t vector = uint64_t{form().window_lanes(bytes)} * bytes;
  if (vector == 0 || !address.start || address.start->modulus < vector) return std::nullopt;
  if (address.start->value % bytes != 0) return std::nullopt;
  const bool joins = address.is_linear() && address.start->value % vector != 0;
  if (joins && !form().shuffles_of_two_vectors) return std::nullopt;
  return window_of(address, true);
}

// Small records that lie side by side: a scalar is taken out of the vectors of memory that hold all
// of them, which LLVM loads once for all scalars of the records.
std::optional<Window> AccessPlanner::records_window(const Address& address) const {
  constexpr uint64_t kMostBytes = 32;
  const uint64_t bytes = address.element.bytes();
  const unsigned native = form().window_lanes(address.element.bytes());
  if (native == 0 || !address.has_records_side_by_side() || !c_.uses(Heuristic::windows))
    return std::nullopt;
  if (address.record_bytes > kMostBytes || address.record_bytes % bytes != 0 ||
      address.into % bytes != 0)
    return std::nullopt;
  return Window::of_records(address.lanes, static_cast<unsigned>(address.record_bytes / bytes),
                            static_cast<unsigned>(address.into / bytes), native);
}

// LLVM hands what is stored on to a load of the same vector; to one of a part of it as well, but by
// scalar instructions. So arrays of the block are stored to and loaded from in vectors of the
// machine.
bool AccessPlanner::is_vectors(const Address& address) const {
  return c_.uses(Heuristic::whole_vectors) && address.is_linear() && address.start &&
         form().window_lanes(address.element.bytes()) != 0;
}

// Better than a gather, or than a scatter.
bool AccessPlanner::is_worth(const Window& window, bool store) const {
  if (!store) return window.cost_of_load() <= window.native / 2;
  return window.distinct && window.cost_of_store() <= form().scatter_cost(window.native);
}

// ------------------------------------------------------------------------------------------------
// the chain of strategies

AccessPlan AccessPlanner::plan(const Inst& inst, const Address& address, const Mask& mask) const {
  const bool store = inst.op == ir::Op::Store;
  CD_CHECK(store || inst.op == ir::Op::Load, "an access that is neither load nor store");
  if (address.kind == Lanes::Kind::Uniform) {
    CD_CHECK(!mask.may_be_empty, "a uniform access under a mask that may be empty");
    const bool scalarized = !store && c_.in_scalarized_loop;
    return {.how = scalarized ? How::Scalarized : How::OneAddress, .address = address};
  }
  if (store && c_.analysis().nontemporal_stores[inst.id] && !mask.none && fills_lines(address))
    return lines(inst, address, mask);
  return lanes(address, mask, store);
}

AccessPlan AccessPlanner::lanes(const Address& address, const Mask& mask, bool store) const {
  const auto by = [&](How how) { return AccessPlan{.how = how, .address = address}; };
  const auto by_window = [&](const Window& window) {
    return AccessPlan{.how = How::Window, .address = address, .window = window};
  };
  if (!store && mask.all() && address.fills_rows() && c_.uses(Heuristic::shared_rows)) {
    if (address.repeats_a_row()) return by(How::RepeatedRow);
    if (address.is_one_a_row()) return by(How::OneARow);
  }
  if (!store && mask.all())
    if (const auto window = records_window(address))
      return {.how = How::Records, .address = address, .window = window};
  // A store would write what lies beside its run again.
  if (mask.all() && !(store && address.is_linear()))
    if (const auto window = whole_window(address); window && is_worth(*window, store))
      return by_window(*window);
  if (is_vectors(address) && mask.all()) return by_window(*window_of(address, false));
  if (address.is_linear()) return run(address, mask);
  constexpr unsigned kLongRow = 32;  // bytes; better by itself than as a part of a window
  const bool rows = takes_rows(address, mask);
  const bool long_rows = rows && address.period * address.element.bytes() >= kLongRow;
  if ((store || mask.all()) && !long_rows && c_.uses(Heuristic::windows))
    if (const auto window = window_of(address, false); window && is_worth(*window, store))
      return by_window(*window);
  return by(rows ? How::Rows : scattered(address, mask, store));
}

// What threads have to themselves is blended in long kernels: without branches for masks, of which
// forms that lack masked stores have several an access.
AccessPlan AccessPlanner::run(const Address& address, const Mask& mask) const {
  AccessPlan plan{.how = How::Run, .address = address};
  const bool blends = address.own_lanes && c_.source.effort == Effort::Bounded && !mask.all();
  if (blends) plan.how = How::BlendedRun;
  if (blends || mask.all() || form().masks(address.element.bytes())) return plan;
  plan.when = If::AllLanesOn;
  plan.otherwise.push_back({.how = How::LaneByLane, .address = address});
  return plan;
}

How AccessPlanner::scattered(const Address& address, const Mask& mask, bool store) const {
  const unsigned bytes = address.element.bytes();
  if (store) return form().scatters(bytes) ? How::Scatter : How::LaneByLane;
  if (!form().gathers(bytes)) return How::LaneByLane;
  const bool each = c_.source.target.slow_gathers && c_.uses(Heuristic::loads_for_gathers);
  return each && mask.all() && address.has_constant_offsets() ? How::EachElement : How::Gather;
}

bool AccessPlanner::takes_rows(const Address& address, const Mask& mask) const {
  if (!address.is_in_rows() || !c_.uses(Heuristic::rows)) return false;
  constexpr unsigned kFewLanes = 4;
  if (form().masks(address.element.bytes())) return address.period >= kFewLanes;
  return mask.all() && fills_a_vector(address.element, address.period);
}

// ------------------------------------------------------------------------------------------------
// Streaming stores of whole lines: without them, every line of an output is read before it is
// written. A line that is written in part that way costs more than it saves, so all lanes must be
// on and rows begin with lines; what is not known when compiling, a branch asks.

AccessPlan AccessPlanner::lines(const Inst& store, const Address& address, const Mask& mask) const {
  AccessPlan plan{.how = How::Lines, .address = address};
  const bool begins = begins_lines(store, address);
  if (begins && mask.all()) return plan;
  plan.when = begins ? If::AllLanesOn : mask.all() ? If::LinesBegin : If::AllLanesOnAndLinesBegin;
  plan.otherwise.push_back(lanes(address, mask, /*store=*/true));
  return plan;
}

// Whether each run of consecutive elements fills whole cache lines.
bool AccessPlanner::fills_lines(const Address& address) const {
  const unsigned bytes = address.element.bytes();
  if (address.is_linear()) return address.lanes * bytes % kLineBytes == 0;
  return address.is_in_rows() && address.fills_rows() && address.period * bytes % kLineBytes == 0;
}

// The pointer is that of the array and, for each axis, the index of lane 0 by the stride; strides
// are multiples of elements.
bool AccessPlanner::begins_lines(const Inst& store, const Address& address) const {
  const Inst& array = *store.operands[0];
  CD_CHECK(array.op == ir::Op::Param, "streaming stores to what is no argument");
  const ArrayFacts& facts = c_.source.function.params[static_cast<size_t>(array.imm)].facts;
  if (!facts.aligned || !facts.element_aligned || !address.is_linear()) return false;
  for (size_t axis = 0; axis < array.type.ndim; ++axis) {
    const uint64_t factor = c_.analysis().congruences[store.operands[1 + axis]->id].factor();
    if (factor * address.element.bytes() % kLineBytes != 0) return false;
  }
  return true;
}

}  // namespace cuda_device::codegen::host
