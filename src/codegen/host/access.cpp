#include "codegen/host/access.h"

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
      places_(context, values, arrays),
      memory_(MemoryForm::create(context.b, context.source.target, context.width(), context.notes)),
      moves_(analysis::moves_of_loads(context.source.function, context.source.analysis)),
      page_ahead_(analysis::loads_page_ahead(context.source.function, context.source.analysis)),
      gang_ahead_(context) {}

// body(whether the condition holds), each way in a branch of its own.
template <class Body>
void Access::in_two_versions(Value condition, Body&& body) {
  llvm::BasicBlock *near = c_.new_block("bare_index"), *far = c_.new_block("any_index"),
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
bool Access::is_linear(const Place& place) const {
  const unsigned bytes = place.element.bytes(), period = place.period;
  if (place.kind != Lanes::Kind::Affine || !is_constant(place.s0, bytes)) return false;
  return period == c_.width() || is_constant(place.s1, int64_t{bytes} * period);
}

bool Access::is_in_rows(const Place& place) const {
  return place.kind == Lanes::Kind::Affine && place.period < c_.width() &&
         is_constant(place.s0, place.element.bytes());
}

// Better by itself than as a part of a window.
bool Access::is_long_row(const Place& place) const {
  constexpr unsigned kBytes = 32;
  return place.period * place.element.bytes() >= kBytes;
}

unsigned Access::rows_of(const Place& place) const {
  const analysis::LaneLayout& layout = c_.analysis().layout;
  return place.period == layout.period ? layout.rows_per_gang : c_.width() / place.period;
}

std::vector<RowPiece> Access::pieces(const Place& place) {
  std::vector<RowPiece> rows;
  const unsigned period = place.period;
  Value pointer = place.pointer;
  for (unsigned row = 0; row < rows_of(place); ++row) {
    if (row > 0) pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, place.s1);
    rows.push_back({row * period, period, pointer});
  }
  return rows;
}

// Where all lanes are at constant distances, of whole elements. `whole`: of vectors that lie at
// multiples of their size in the array.
std::optional<Window> Access::window_of(const Place& place, bool whole) const {
  const auto *s0 = llvm::dyn_cast<llvm::ConstantInt>(place.s0),
             *s1 = llvm::dyn_cast<llvm::ConstantInt>(place.s1);
  const unsigned native = memory_->lanes_of_window(place.element);
  if (place.kind != Lanes::Kind::Affine || !s0 || !s1 || native == 0) return std::nullopt;
  const auto bytes = static_cast<int64_t>(place.element.bytes());
  if (s0->getSExtValue() % bytes != 0 || s1->getSExtValue() % bytes != 0) return std::nullopt;
  llvm::SmallVector<int64_t, kMostLanes> elements;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    elements.push_back(
        (s0->getSExtValue() * (lane % place.period) + s1->getSExtValue() * (lane / place.period)) /
        bytes);
  if (!whole) return Window(elements, native);
  const uint64_t into = place.start->value % (native * place.element.bytes());
  return Window(elements, native, static_cast<unsigned>(into / place.element.bytes()));
}

// In an array of the block, from known places in its vectors: neighbours are the block's as well,
// and the block is one thread's. Every vector has an element of an active lane, if all are active,
// so none lies beyond the array's own lines.
std::optional<Window> Access::whole_window(const Place& place) const {
  const unsigned bytes = place.element.bytes();
  const uint64_t vector = uint64_t{memory_->lanes_of_window(place.element)} * bytes;
  if (vector == 0 || !place.start || place.start->modulus < vector) return std::nullopt;
  if (place.start->value % bytes != 0) return std::nullopt;
  const bool joins = is_linear(place) && place.start->value % vector != 0;
  if (joins && !memory_->joins_vectors()) return std::nullopt;
  return window_of(place, true);
}

// LLVM hands what is stored on to a load of the same vector; to one of a part of it as well, but by
// scalar instructions. So arrays of the block are stored to and loaded from in vectors of the
// machine.
bool Access::is_vectors(const Place& place) const {
  return is_linear(place) && place.start && memory_->lanes_of_window(place.element) != 0;
}

// Of the lanes, for a gather or a scatter.
Offsets Access::offsets_of(const Place& place) {
  if (place.offsets.numbers) return place.offsets;
  const ScalarKind kind = place.offset;
  auto scaled = [&](llvm::Constant* sequence, Value step) {
    Value narrow = c_.b.CreateTrunc(step, c_.scalar_type(kind));
    return c_.b.CreateMul(sequence, c_.b.CreateVectorSplat(c_.width(), narrow));
  };
  Value numbers = scaled(values_.column(kind, place.period), place.s0);
  if (place.period == c_.width()) return {numbers, 1};
  return {c_.b.CreateAdd(numbers, scaled(values_.row(kind, place.period), place.s1)), 1};
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
  if (Value condition = places_.may_be_bare(inst, inst.operands.size() - 1)) {
    lanes = load_in_two_versions(inst, condition, mask);
  } else {
    const Place p = places_.of(inst, inst.operands.size() - 1);
    if (p.kind == Lanes::Kind::Uniform) {
      CD_CHECK(!mask.may_be_empty, "a uniform load under a mask that may be empty");
      c_.notes.say(c_.in_one_lane() ? "one lane after the other" : kOneAddress);
      Value one = held(in_register(memory_->load_one(p.element, p.pointer)));
      return values_.define_uniform(inst, values_.held_kind(inst), one);
    }
    lanes = load_lanes(p, mask);
    ask_a_page_ahead(inst, p);
    ask_for_next(inst, p);
    ask_for_next_gang(inst, p);
  }
  values_.define_vector(inst, values_.held_kind(inst), held(in_register(lanes)));
}

Value* Access::load_in_two_versions(const Inst& inst, Value condition, const Mask& mask) {
  llvm::SmallVector<std::pair<Value, llvm::BasicBlock*>, 2> loaded;
  in_two_versions(condition, [&](bool bare) {
    Value lanes = load_lanes(places_.of(inst, inst.operands.size() - 1, bare), mask);
    loaded.push_back({lanes, c_.b.GetInsertBlock()});
  });
  llvm::PHINode* either = c_.b.CreatePHI(loaded[0].first->getType(), 2);
  for (const auto& [lanes, from] : loaded) either->addIncoming(lanes, from);
  return either;
}

// For the lines that the next iteration of a loop with a barrier loads from.
void Access::ask_for_next(const Inst& load, const Place& place) {
  const std::vector<int64_t>& moves = moves_[load.id];
  if (moves.empty() || (!is_linear(place) && !is_in_rows(place))) return;
  c_.notes.say(", and those of the next iteration ahead of time");
  Value away = c_.b.getInt64(0);
  for (size_t axis = 0; axis < moves.size(); ++axis) {
    Value stride = places_.stride(load, axis);
    away = c_.b.CreateAdd(away, c_.b.CreateMul(stride, c_.integer(ScalarKind::I64, moves[axis])));
  }
  ask_for(place, away, /*to_the_last=*/true);
}

// Prefetchers of CPUs stop at the end of a page. Gangs and blocks go through memory in its order,
// so that what lies a page behind is read soon.
void Access::ask_a_page_ahead(const Inst& load, const Place& place) {
  constexpr uint64_t kPage = 4096;
  if (!page_ahead_[load.id] || (!is_linear(place) && !is_in_rows(place))) return;
  c_.notes.say(", and those a page away ahead of time");
  ask_for(place, c_.b.getInt64(kPage), /*to_the_last=*/false);
}

// For the lines so many bytes away. The last one, where lanes do not begin with a line.
void Access::ask_for(const Place& place, Value away, bool to_the_last) {
  const std::vector<RowPiece> rows =
      is_linear(place) ? std::vector<RowPiece>{{0, c_.width(), place.pointer}} : pieces(place);
  for (const RowPiece& row : rows) {
    const unsigned bytes = row.count * place.element.bytes();
    Value first = c_.b.CreateGEP(c_.b.getInt8Ty(), row.pointer, away);
    memory_->prefetch(first, bytes);
    if (!to_the_last) continue;
    memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), first, c_.b.getInt64(bytes - 1)), 1);
  }
}

// In all, lanes go as far each time as they are many.
void Access::ask_for_next_gang(const Inst& load, const Place& place) {
  Value ahead = gang_ahead_.element(load);
  if (!ahead) return;
  c_.notes.say(", and those of the next gang ahead of time");
  Value away = c_.b.CreateMul(places_.stride(load, 0), ahead);
  memory_->prefetch(c_.b.CreateGEP(c_.b.getInt8Ty(), place.pointer, away),
                    c_.width() * place.element.bytes());
}

// Rows make up the gang: no lane is without a thread, and none reads beyond.
bool Access::fills_rows(const Place& place) const {
  return rows_of(place) * place.period == c_.width();
}

// Every row of the gang reads the same run of memory.
bool Access::repeats_a_row(const Place& place) const {
  return is_in_rows(place) && is_constant(place.s1, 0);
}

// Every row of the gang reads one element.
bool Access::is_one_a_row(const Place& place) const {
  return place.kind == Lanes::Kind::Affine && place.period < c_.width() && is_constant(place.s0, 0);
}

Value* Access::load_row_once(const Place& p) {
  c_.notes.say("one row for all");
  Value row = memory_->load_whole(p.element, p.period, p.pointer);
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    lanes.push_back(static_cast<int>(lane % p.period));
  return c_.b.CreateShuffleVector(row, lanes);
}

Value* Access::load_one_a_row(const Place& p) {
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

Value* Access::load_lanes(const Place& p, const Mask& mask) {
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
  if (Value condition = places_.may_be_bare(inst, indices))
    in_two_versions(condition,
                    [&](bool bare) { store(inst, places_.of(inst, indices, bare), mask); });
  else
    store(inst, places_.of(inst, indices), mask);
  c_.notes.end();
}

void Access::store(const Inst& inst, const Place& p, const Mask& mask) {
  const Inst& value = *inst.operands.back();
  if (p.kind == Lanes::Kind::Uniform) return store_uniform(p, value, mask);
  Value all = values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), p.element.type));
  if (c_.analysis().past_cache[inst.id] && !mask.none && fills_lines(p))
    store_past_cache(inst, p, all, mask);
  else
    store_lanes(p, all, mask);
}

void Access::store_lanes(const Place& p, Value value, const Mask& mask) {
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

// All lanes store to one place: the highest active lane is the last.
void Access::store_uniform(const Place& p, const Inst& value, const Mask& mask) {
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
