#include "codegen/host/memory/access.h"

#include "analysis/next_iteration.h"
#include "analysis/page_ahead.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

static constexpr std::string_view kOneAddress = "one address";

Access::Access(EmitContext& context, LaneValues& values, Arrays& arrays)
    : c_(context),
      values_(values),
      addresses_(context, values, arrays),
      memory_(MemoryForm::create(context.b, context.source.target, context.width(), context.notes)),
      moves_(analysis::moves_of_loads(context.source.function, context.source.analysis)),
      page_ahead_(analysis::loads_page_ahead(context.source.function, context.source.analysis)),
      gang_ahead_(context) {}

// body(whether the condition holds), each way in a branch of its own.
template <class Body>
void Access::in_two_versions(Value condition, Body&& body) {
  llvm::BasicBlock *near = c_.new_block("unclamped_index"), *far = c_.new_block("any_index"),
                   *done = c_.new_block("accessed");
  c_.b.CreateCondBr(condition, near, far);
  c_.notes.when("no index is negative or clamped");
  for (llvm::BasicBlock* block : {near, far}) {
    if (block == far) c_.notes.otherwise();
    c_.start(block);
    body(block == near);
    c_.b.CreateBr(done);
  }
  c_.start(done);
}

// One run of memory for the whole gang.
bool Access::is_linear(const Address& address) const {
  const unsigned bytes = address.element.bytes(), period = address.period;
  if (address.kind != Lanes::Kind::Affine || !is_constant(address.s0, bytes)) return false;
  return period == c_.width() || is_constant(address.s1, int64_t{bytes} * period);
}

bool Access::is_in_rows(const Address& address) const {
  return address.kind == Lanes::Kind::Affine && address.period < c_.width() &&
         is_constant(address.s0, address.element.bytes());
}

// Better by itself than as a part of a window.
bool Access::is_long_row(const Address& address) const {
  constexpr unsigned kBytes = 32;
  return address.period * address.element.bytes() >= kBytes;
}

unsigned Access::rows_of(const Address& address) const {
  const analysis::LaneLayout& layout = c_.analysis().layout;
  return address.period == layout.period ? layout.rows_per_gang : c_.width() / address.period;
}

std::vector<RowPiece> Access::pieces(const Address& address) {
  std::vector<RowPiece> rows;
  const unsigned period = address.period;
  Value pointer = address.pointer;
  for (unsigned row = 0; row < rows_of(address); ++row) {
    if (row > 0) pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, address.s1);
    rows.push_back({row * period, period, pointer});
  }
  return rows;
}

// Where all lanes are at constant distances, of whole elements. `whole`: of vectors that lie at
// multiples of their size in the array.
std::optional<Window> Access::window_of(const Address& address, bool whole) const {
  const auto *s0 = llvm::dyn_cast<llvm::ConstantInt>(address.s0),
             *s1 = llvm::dyn_cast<llvm::ConstantInt>(address.s1);
  const unsigned native = memory_->lanes_of_window(address.element);
  if (address.kind != Lanes::Kind::Affine || !s0 || !s1 || native == 0) return std::nullopt;
  const auto bytes = static_cast<int64_t>(address.element.bytes());
  if (s0->getSExtValue() % bytes != 0 || s1->getSExtValue() % bytes != 0) return std::nullopt;
  llvm::SmallVector<int64_t, kMostLanes> elements;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    elements.push_back((s0->getSExtValue() * (lane % address.period) +
                        s1->getSExtValue() * (lane / address.period)) /
                       bytes);
  if (!whole) return Window(elements, native);
  const uint64_t into = address.start->value % (native * address.element.bytes());
  return Window(elements, native, static_cast<unsigned>(into / address.element.bytes()));
}

// In an array of the block, from known places in its vectors: neighbours are the block's as well,
// and the block is one thread's. Every vector has an element of an active lane, if all are active,
// so none lies beyond the array's own lines.
std::optional<Window> Access::whole_window(const Address& address) const {
  const unsigned bytes = address.element.bytes();
  const uint64_t vector = uint64_t{memory_->lanes_of_window(address.element)} * bytes;
  if (vector == 0 || !address.start || address.start->modulus < vector) return std::nullopt;
  if (address.start->value % bytes != 0) return std::nullopt;
  const bool joins = is_linear(address) && address.start->value % vector != 0;
  if (joins && !memory_->joins_vectors()) return std::nullopt;
  return window_of(address, true);
}

// LLVM hands what is stored on to a load of the same vector; to one of a part of it as well, but by
// scalar instructions. So arrays of the block are stored to and loaded from in vectors of the
// machine.
bool Access::is_vectors(const Address& address) const {
  return is_linear(address) && address.start && memory_->lanes_of_window(address.element) != 0;
}

// Of the lanes, for a gather or a scatter.
Offsets Access::offsets_of(const Address& address) {
  if (address.offsets.numbers) return address.offsets;
  const ScalarKind kind = address.offset;
  auto scaled = [&](llvm::Constant* sequence, Value step) {
    Value narrow = c_.b.CreateTrunc(step, c_.scalar_type(kind));
    return c_.b.CreateMul(sequence, c_.b.CreateVectorSplat(c_.width(), narrow));
  };
  Value numbers = scaled(values_.column(kind, address.period), address.s0);
  if (address.period == c_.width()) return {numbers, 1};
  return {c_.b.CreateAdd(numbers, scaled(values_.row(kind, address.period), address.s1)), 1};
}

// ---------------------------------------------------------------------------------------------
// loads

void Access::load(const Inst& inst, const Mask& mask) {
  c_.notes.begin(inst, mask);
  load_value(inst, mask);
  c_.notes.end();
}

void Access::load_value(const Inst& inst, const Mask& mask) {
  const ScalarKind kind = inst.type.scalar;
  auto in_register = [&](Value x) {
    return is_bool(kind) ? c_.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType())) : x;
  };
  auto held = [&](Value x) { return values_.resize(x, kind, values_.held_kind(inst)); };
  Value lanes = nullptr;
  if (Value condition = addresses_.may_be_unclamped(inst, inst.operands.size() - 1)) {
    lanes = load_in_two_versions(inst, condition, mask);
  } else {
    const Address p = addresses_.of(inst, inst.operands.size() - 1);
    if (p.kind == Lanes::Kind::Uniform) {
      CD_CHECK(!mask.may_be_empty, "a uniform load under a mask that may be empty");
      c_.notes.say(c_.in_scalarized_loop() ? "one lane after the other" : kOneAddress);
      Value one = held(in_register(memory_->load_one(p.element, p.pointer)));
      return values_.define_uniform(inst, values_.held_kind(inst), one);
    }
    lanes = load_lanes(p, mask);
    prefetch_page(inst, p);
    prefetch_next_iteration(inst, p);
    prefetch_next_gang(inst, p);
  }
  values_.define_vector(inst, values_.held_kind(inst), held(in_register(lanes)));
}

Value* Access::load_in_two_versions(const Inst& inst, Value condition, const Mask& mask) {
  llvm::SmallVector<std::pair<Value, llvm::BasicBlock*>, 2> loaded;
  in_two_versions(condition, [&](bool bare) {
    Value lanes = load_lanes(addresses_.of(inst, inst.operands.size() - 1, bare), mask);
    loaded.push_back({lanes, c_.b.GetInsertBlock()});
  });
  llvm::PHINode* either = c_.b.CreatePHI(loaded[0].first->getType(), 2);
  for (const auto& [lanes, from] : loaded) either->addIncoming(lanes, from);
  return either;
}

// For the lines that the next iteration of a loop with a barrier loads from.
void Access::prefetch_next_iteration(const Inst& load, const Address& address) {
  const std::vector<int64_t>& moves = moves_[load.id];
  if (moves.empty() || (!is_linear(address) && !is_in_rows(address))) return;
  c_.notes.say(", and those of the next iteration ahead of time");
  Value away = c_.b.getInt64(0);
  for (size_t axis = 0; axis < moves.size(); ++axis) {
    Value stride = addresses_.stride(load, axis);
    away = c_.b.CreateAdd(away, c_.b.CreateMul(stride, c_.integer(ScalarKind::I64, moves[axis])));
  }
  prefetch_rows(address, away, /*to_the_last=*/true);
}

// Prefetchers of CPUs stop at the end of a page. Gangs and blocks go through memory in its order,
// so that what lies a page behind is read soon.
void Access::prefetch_page(const Inst& load, const Address& address) {
  constexpr uint64_t kPage = 4096;
  if (!page_ahead_[load.id] || (!is_linear(address) && !is_in_rows(address))) return;
  c_.notes.say(", and those a page away ahead of time");
  prefetch_rows(address, c_.b.getInt64(kPage), /*to_the_last=*/false);
}

// For the lines so many bytes away. The last one, where lanes do not begin with a line.
void Access::prefetch_rows(const Address& address, Value away, bool to_the_last) {
  const std::vector<RowPiece> rows = is_linear(address)
                                         ? std::vector<RowPiece>{{0, c_.width(), address.pointer}}
                                         : pieces(address);
  for (const RowPiece& row : rows) {
    const unsigned bytes = row.count * address.element.bytes();
    Value first = c_.b.CreateGEP(c_.b.getInt8Ty(), row.pointer, away);
    memory_->prefetch(first, bytes);
    if (!to_the_last) continue;
    memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), first, c_.b.getInt64(bytes - 1)), 1);
  }
}

// In all, lanes go as far each time as they are many.
void Access::prefetch_next_gang(const Inst& load, const Address& address) {
  Value ahead = gang_ahead_.element(load);
  if (!ahead) return;
  c_.notes.say(", and those of the next gang ahead of time");
  Value away = c_.b.CreateMul(addresses_.stride(load, 0), ahead);
  memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), address.pointer, away),
                    c_.width() * address.element.bytes());
}

// Rows make up the gang: no lane is without a thread, and none reads beyond.
bool Access::fills_rows(const Address& address) const {
  return rows_of(address) * address.period == c_.width();
}

// Every row of the gang reads the same run of memory.
bool Access::repeats_a_row(const Address& address) const {
  return is_in_rows(address) && is_constant(address.s1, 0);
}

// Every row of the gang reads one element.
bool Access::is_one_a_row(const Address& address) const {
  return address.kind == Lanes::Kind::Affine && address.period < c_.width() &&
         is_constant(address.s0, 0);
}

Value* Access::load_row_once(const Address& p) {
  c_.notes.say("one row for all");
  Value row = memory_->load_whole(p.element, p.period, p.pointer);
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    lanes.push_back(static_cast<int>(lane % p.period));
  return c_.b.CreateShuffleVector(row, lanes);
}

Value* Access::load_one_a_row(const Address& p) {
  c_.notes.say("one element a row");
  const unsigned period = p.period, rows = c_.width() / period;
  Value elements = llvm::PoisonValue::get(llvm::FixedVectorType::get(p.element.type, rows));
  Value pointer = p.pointer;
  for (unsigned row = 0; row < rows; ++row) {
    if (row > 0) pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, p.s1);
    elements = c_.b.CreateInsertElement(elements, memory_->load_one(p.element, pointer), row);
  }
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    lanes.push_back(static_cast<int>(lane / period));
  return c_.b.CreateShuffleVector(elements, lanes);
}

Value* Access::load_lanes(const Address& p, const Mask& mask) {
  if (mask.all() && fills_rows(p)) {
    if (repeats_a_row(p)) return load_row_once(p);
    if (is_one_a_row(p)) return load_one_a_row(p);
  }
  if (mask.all())
    if (const auto window = whole_window(p); window && memory_->takes_load(p.element, *window))
      return memory_->load_window(p.element, *window, p.pointer);
  if (is_vectors(p) && mask.all()) return memory_->load_window(p.element, *window_of(p), p.pointer);
  if (is_linear(p)) return memory_->load(p.element, p.pointer, mask);
  const bool rows = is_in_rows(p) && memory_->takes_rows(p.element, p.period, mask);
  if (mask.all() && !(rows && is_long_row(p)))
    if (const auto window = window_of(p); window && memory_->takes_load(p.element, *window))
      return memory_->load_window(p.element, *window, p.pointer);
  if (rows) return memory_->load_rows(p.element, pieces(p), mask);
  return memory_->gather(p.element, p.pointer, offsets_of(p), mask);
}

// --------------------------------------------------------------------------------------------
// stores

void Access::store(const Inst& inst, const Mask& mask) {
  const size_t indices = inst.operands.size() - 2;
  c_.notes.begin(inst, mask);
  if (Value condition = addresses_.may_be_unclamped(inst, indices))
    in_two_versions(condition,
                    [&](bool bare) { store(inst, addresses_.of(inst, indices, bare), mask); });
  else
    store(inst, addresses_.of(inst, indices), mask);
  c_.notes.end();
}

void Access::store(const Inst& inst, const Address& p, const Mask& mask) {
  const Inst& value = *inst.operands.back();
  if (p.kind == Lanes::Kind::Uniform) return store_uniform(p, value, mask);
  Value all = values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), p.element.type));
  if (c_.analysis().nontemporal_stores[inst.id] && !mask.none && fills_lines(p))
    store_nontemporal(inst, p, all, mask);
  else
    store_lanes(p, all, mask);
}

void Access::store_lanes(const Address& p, Value value, const Mask& mask) {
  if (is_vectors(p) && mask.all())
    return memory_->store_window(p.element, *window_of(p), value, p.pointer, mask);
  if (is_linear(p)) return memory_->store(p.element, value, p.pointer, mask);
  if (mask.all())
    if (const auto window = whole_window(p); window && memory_->takes_store(p.element, *window))
      return memory_->store_window(p.element, *window, value, p.pointer, mask);
  const bool rows = is_in_rows(p) && memory_->takes_rows(p.element, p.period, mask);
  if (!(rows && is_long_row(p)))
    if (const auto window = window_of(p); window && memory_->takes_store(p.element, *window))
      return memory_->store_window(p.element, *window, value, p.pointer, mask);
  if (rows) return memory_->store_rows(p.element, value, pieces(p), mask);
  memory_->scatter(p.element, value, p.pointer, offsets_of(p), mask);
}

// All lanes store to one address: the highest active lane is the last.
void Access::store_uniform(const Address& p, const Inst& value, const Mask& mask) {
  CD_CHECK(!mask.may_be_empty, "a store under a mask that may be empty");
  c_.notes.say(kOneAddress);
  const bool one = values_.of(value).uniform();
  Value stored =
      one ? values_.scalar(value, value.type.scalar) : values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    stored = c_.b.CreateZExt(stored, with_lanes_of(stored->getType(), p.element.type));
  memory_->store_one(p.element, one ? stored : c_.masks.last_of(stored, mask), p.pointer);
}

}  // namespace cuda_device::codegen::host
