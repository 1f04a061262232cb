#include "codegen/host/lowering/position.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using analysis::LaneLayout;
using ir::Op;
using llvm::Value;

namespace {

uint32_t ceil_div(uint32_t x, uint32_t y) { return (x + y - 1) / y; }

}  // namespace

Value* Position::gang_count() {
  if (layout().gangs != 0) return c_.b.getInt32(layout().gangs);
  Value* rounded = c_.b.CreateAdd(launch_.block_size(), c_.b.getInt32(c_.width() - 1));
  return c_.b.CreateUDiv(rounded, c_.b.getInt32(c_.width()));
}

Mask Position::enter_gang(Value* gang) {
  c_.gang = gang;
  if (layout().kind == LaneLayout::Kind::Linear) return enter_linear(gang);
  return facts().block[0] <= c_.width() ? enter_rows(gang) : enter_row_pieces(gang);
}

static llvm::Constant* lane_numbers(EmitContext& c) {
  llvm::SmallVector<uint32_t, kMostLanes> numbers;
  for (uint32_t lane = 0; lane < c.width(); ++lane) numbers.push_back(lane);
  return llvm::ConstantDataVector::get(c.llvm(), numbers);
}

// The lanes below a limit that is at least 1.
static Mask lanes_below(EmitContext& c, Value* limit) {
  Value* all = c.b.CreateVectorSplat(c.width(), limit);
  Mask mask = Mask::of(c.b.CreateICmpULT(lane_numbers(c), all), false);
  Value* each = c.b.CreateICmpUGE(limit, c.b.getInt32(c.width()));
  if (!llvm::isa<llvm::Constant>(each)) mask.each = each;
  return mask;
}

Mask Position::enter_linear(Value* gang) {
  base_[0] = c_.b.CreateMul(gang, c_.b.getInt32(c_.width()), "", /*HasNUW=*/true, /*HasNSW=*/true);
  const LaunchFacts& f = facts();
  if (f.has_block() && f.block[0] * f.block[1] * f.block[2] % c_.width() == 0)
    return Mask::all_lanes();
  return lanes_below(c_, c_.b.CreateSub(launch_.block_size(), base_[0]));
}

Mask Position::enter_rows(Value* gang) {
  const auto [width, height, depth] = facts().block;
  const uint32_t rows = layout().rows_per_gang;
  const uint32_t groups = ceil_div(height, rows);
  Value* group = depth == 1 ? gang : c_.b.CreateURem(gang, c_.b.getInt32(groups));
  base_[0] = c_.b.getInt32(0);
  base_[1] = c_.b.CreateMul(group, c_.b.getInt32(rows));
  base_[2] = depth == 1 ? c_.b.getInt32(0) : c_.b.CreateUDiv(gang, c_.b.getInt32(groups));
  if (height % rows == 0)
    return rows * width == c_.width() ? Mask::all_lanes()
                                      : lanes_below(c_, c_.b.getInt32(rows * width));
  Value* left = c_.b.CreateSub(c_.b.getInt32(height), base_[1]);
  Value* live = c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, c_.b.getInt32(rows));
  return lanes_below(c_, c_.b.CreateMul(live, c_.b.getInt32(width)));
}

Mask Position::enter_row_pieces(Value* gang) {
  const auto [width, height, depth] = facts().block;
  const uint32_t pieces = ceil_div(width, c_.width());
  Value* line = c_.b.CreateUDiv(gang, c_.b.getInt32(pieces));
  Value* piece = c_.b.CreateURem(gang, c_.b.getInt32(pieces));
  base_[0] = c_.b.CreateMul(piece, c_.b.getInt32(c_.width()));
  base_[1] = depth == 1 ? line : c_.b.CreateURem(line, c_.b.getInt32(height));
  base_[2] = depth == 1 ? c_.b.getInt32(0) : c_.b.CreateUDiv(line, c_.b.getInt32(height));
  if (width % c_.width() == 0) return Mask::all_lanes();
  return lanes_below(c_, c_.b.CreateSub(c_.b.getInt32(width), base_[0]));
}

bool Position::one_row_of_threads() const {
  return facts().has_block() && facts().block[1] == 1 && facts().block[2] == 1;
}

// A scalar in the lanes of a sample.
Value* Position::like(Value* sample, Value* scalar) {
  return sample->getType()->isVectorTy() ? c_.b.CreateVectorSplat(c_.width(), scalar) : scalar;
}

// Thread numbers are below 1024: float32 divides them exactly enough, and vectors of integers
// cannot divide.
static Value* divide_small(llvm::IRBuilder<>& b, Value* x, Value* y) {
  if (!x->getType()->isVectorTy()) return b.CreateUDiv(x, y);
  llvm::Type* real = with_lanes_of(x->getType(), b.getFloatTy());
  Value* quotient = b.CreateFDiv(b.CreateUIToFP(x, real), b.CreateUIToFP(y, real));
  return b.CreateFPToUI(quotient, x->getType());
}

Value* Position::split_linear(unsigned axis, Value* linear) {
  if (one_row_of_threads()) return axis == 0 ? linear : like(linear, c_.b.getInt32(0));
  Value* width = like(linear, launch_.block_extent(0));
  Value* line = divide_small(c_.b, linear, width);
  if (axis == 0) return c_.b.CreateSub(linear, c_.b.CreateMul(line, width));
  Value* height = like(linear, launch_.block_extent(1));
  Value* plane = divide_small(c_.b, line, height);
  if (axis == 2) return plane;
  return c_.b.CreateSub(line, c_.b.CreateMul(plane, height));
}

// The position of the thread in the lane, or lanes, at these columns and rows of the gang.
Value* Position::thread(unsigned axis, Value* column, Value* row) {
  if (layout().kind == LaneLayout::Kind::Linear) {
    Value* lane =
        c_.b.CreateAdd(c_.b.CreateMul(row, like(row, c_.b.getInt32(layout().period))), column);
    return split_linear(axis, c_.b.CreateAdd(like(lane, base_[0]), lane));
  }
  Value* base = like(column, base_[axis]);
  if (axis == 0) return c_.b.CreateAdd(base, column);
  return axis == 1 ? c_.b.CreateAdd(base, row) : base;
}

Value* Position::thread_at(unsigned axis, unsigned lane) {
  const unsigned period = layout().period;
  return thread(axis, c_.b.getInt32(lane % period), c_.b.getInt32(lane / period));
}

Value* Position::thread_vector(unsigned axis) {
  const unsigned period = layout().period;
  return thread(axis, values_.column(ScalarKind::U32, period),
                values_.row(ScalarKind::U32, period));
}

std::array<Value*, 6> Position::of_lane(Value* lane) {
  std::array<Value*, 6> place{block_[0], block_[1], block_[2]};
  Value* period = c_.b.getInt32(layout().period);
  Value *column = c_.b.CreateURem(lane, period), *row = c_.b.CreateUDiv(lane, period);
  for (unsigned axis = 0; axis < 3; ++axis) place[3 + axis] = thread(axis, column, row);
  return place;
}

void Position::emit(const ir::Inst& inst) {
  const auto axis = static_cast<unsigned>(inst.imm);
  auto uniform = [&](Value* value) {
    define_shaped(c_, values_, inst,
                  {ScalarKind::U32, [&](unsigned) { return value; },
                   [&] { return c_.b.CreateVectorSplat(c_.width(), value); }});
  };
  switch (inst.op) {
    case Op::BlockIdx:
      return uniform(block_[axis]);
    case Op::BlockDim:
      return uniform(launch_.block_extent(axis));
    case Op::GridDim:
      return uniform(launch_.grid_extent(axis));
    case Op::GridSize:
      return uniform(c_.b.CreateMul(launch_.block_extent(axis), launch_.grid_extent(axis)));
    case Op::ThreadIdx:
      return define_shaped(c_, values_, inst,
                           {ScalarKind::U32, [&](unsigned lane) { return thread_at(axis, lane); },
                            [&] { return thread_vector(axis); }});
    case Op::Tid: {
      Value* first = c_.b.CreateMul(block_[axis], launch_.block_extent(axis));
      return define_shaped(
          c_, values_, inst,
          {ScalarKind::I32,
           [&](unsigned lane) { return c_.b.CreateAdd(thread_at(axis, lane), first); },
           [&] {
             Value* thread = thread_vector(axis);
             return c_.b.CreateAdd(thread, like(thread, first));
           }});
    }
    case Op::LaneId:
      CD_CHECK(layout().kind == LaneLayout::Kind::Linear, "lane_id needs the linear layout");
      return define_shaped(c_, values_, inst,
                           {ScalarKind::I32, [&](unsigned lane) { return c_.b.getInt32(lane); },
                            [&] { return lane_numbers(c_); }});
    default:
      CD_UNREACHABLE("not a position");
  }
}

}  // namespace cuda_device::codegen::host
