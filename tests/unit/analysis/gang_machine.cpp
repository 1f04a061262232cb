#include "unit/analysis/gang_machine.h"

#include <bit>
#include <cstring>

#include "ir/evaluate.h"

namespace cuda_device::analysis::testing {

using ir::Inst;
using ir::Op;

namespace {

constexpr size_t kMaxFailures = 3;

int first_lane(uint64_t mask) { return std::countr_zero(mask); }
bool several(uint64_t mask) { return std::popcount(mask) > 1; }

template <class F>
void each_lane(uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(first_lane(mask));
}

int64_t sign_extended(int64_t v, int bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(v) << (64 - bits)) >> (64 - bits);
}

}  // namespace

GangMachine::GangMachine(const ir::Function& f, const Analysis& a,
                         const std::vector<ir::Argument>& arguments, const ir::Grid& grid)
    : f_(f),
      a_(a),
      arguments_(arguments),
      grid_(grid),
      thread_(a.layout.width),
      values_(f.inst_count()),
      slots_(f.slots.size()),
      spoilt_(f.slots.size()) {}

std::vector<std::string> GangMachine::run() {
  const auto [x, y, z] = grid_.block;
  const uint32_t gangs =
      a_.layout.gangs != 0 ? a_.layout.gangs : (x * y * z + width() - 1) / width();
  const auto [gx, gy, gz] = grid_.grid;
  for (uint32_t b = 0; b < gx * gy * gz; ++b) {
    block_ = {b % gx, b / gx % gy, b / gx / gy};
    in_block_.clear();
    for (uint32_t g = 0; g < gangs; ++g) gang(g);
  }
  return failures_;
}

bool GangMachine::place_thread(uint32_t gang, uint32_t lane) {
  const auto [x, y, z] = grid_.block;
  const LaneLayout& l = a_.layout;
  Index& t = thread_[lane];
  if (l.kind == LaneLayout::Kind::Linear) {
    const uint32_t n = gang * width() + lane;
    t = {n % x, n / x % y, n / x / y};
    return n < x * y * z;
  }
  if (x <= width()) {
    const uint32_t in_slice = (y + l.rows_per_gang - 1) / l.rows_per_gang;
    t = {lane % x, gang % in_slice * l.rows_per_gang + lane / x, gang / in_slice};
    return lane / x < l.rows_per_gang && t[1] < y;
  }
  const uint32_t pieces = (x + width() - 1) / width();
  t = {gang % pieces * width() + lane, gang / pieces % y, gang / pieces / y};
  return t[0] < x;
}

void GangMachine::gang(uint32_t number) {
  Mask live = 0;
  for (uint32_t lane = 0; lane < width(); ++lane) {
    if (place_thread(number, lane)) live |= Mask{1} << lane;
  }
  for (Lanes& s : slots_) s.fill(0);
  spoilt_.assign(spoilt_.size(), 0);
  path_.clear();
  block(f_.body, live);
}

GangMachine::Mask GangMachine::block(const ir::Block& b, Mask mask) {
  for (const Inst* i : b.insts) {
    if (mask == 0 || failures_.size() >= kMaxFailures) return 0;
    mask = step(*i, mask);
  }
  return mask;
}

GangMachine::Mask GangMachine::step(const Inst& i, Mask mask) {
  if (!i.regions.empty()) {
    const Mask after = control(i, mask);
    together(i, mask, after);
    return after;
  }
  if (ir::ends_block(i.op) && i.op != Op::Yield) return jump(i, mask);
  if (i.op == Op::SlotStore) {
    store_slot(i, values_[i.operands[0]->id], mask);
  } else if (i.op == Op::Store) {
    const Lanes& v = values_[i.operands.back()->id];
    each_lane(mask, [&](int l) {
      std::memcpy(address(i, l), &v[static_cast<size_t>(l)],
                  static_cast<size_t>(bytes_of(i.operands[0]->type.scalar())));
    });
  } else if (!i.type.is_none()) {
    value(i, mask);
  }
  return mask;
}

GangMachine::Mask GangMachine::jump(const Inst& i, Mask mask) {
  int64_t scopes = i.op == Op::Leave ? i.imm : 0;
  for (size_t n = frames_.size(); n-- > 0 && i.op != Op::Return;) {
    if ((frames_[n].construct->op == Op::Scope) != (i.op == Op::Leave)) continue;
    if (scopes-- != 0) continue;
    (i.op == Op::Continue ? frames_[n].next : frames_[n].exit) |= mask;
    break;
  }
  return 0;
}

GangMachine::Mask GangMachine::control(const Inst& i, Mask mask) {
  if (i.op == Op::If) return branch(i, mask);
  if (i.op == Op::While) return while_loop(i, mask);
  if (i.op == Op::For) return for_loop(i, mask);
  frames_.push_back({&i});
  mask = block(i.regions[0], mask);
  mask |= frames_.back().exit;
  frames_.pop_back();
  return mask;
}

GangMachine::Mask GangMachine::truth(const Inst& i, Mask mask) const {
  Mask holds = 0;
  each_lane(mask, [&](int l) {
    if (values_[i.id][static_cast<size_t>(l)] != 0) holds |= Mask{1} << l;
  });
  return holds;
}

GangMachine::Mask GangMachine::branch(const Inst& i, Mask mask) {
  const Mask then = truth(*i.operands[0], mask);
  if (!a_.divergent[i.id] && then != 0 && then != mask) fail(i, "lanes diverge");
  const Mask after = block(i.regions[0], then);
  return after | block(i.regions[1], mask & ~then);
}

GangMachine::Mask GangMachine::while_loop(const Inst& i, Mask mask) {
  Mask active = mask, done = 0, broke = 0;
  for (path_.push_back(0);; ++path_.back()) {
    active = block(i.regions[0], active);
    const Mask stays = active == 0 ? 0 : truth(*i.regions[0].insts.back()->operands[0], active);
    done |= active & ~stays;
    if (stays == 0) break;
    if (!a_.divergent[i.id] && stays != mask) fail(i, "lanes diverge");
    frames_.push_back({&i});
    active = block(i.regions[1], stays);
    active |= frames_.back().next;
    broke |= frames_.back().exit;
    frames_.pop_back();
    if (active == 0) break;
  }
  path_.pop_back();
  return block(i.regions[2], done) | broke;
}

GangMachine::Mask GangMachine::for_loop(const Inst& i, Mask mask) {
  const auto operand = [&](int k, int l) {
    const Inst& o = *i.operands[static_cast<size_t>(k)];
    const auto bits = values_[o.id][static_cast<size_t>(l)];
    return is_unsigned_int(o.type.scalar()) ? static_cast<__int128>(static_cast<uint64_t>(bits))
                                            : bits;
  };
  Mask active = mask, done = 0, broke = 0;
  path_.push_back(0);
  for (;; ++path_.back()) {
    Lanes counter{};
    Mask stays = 0;
    each_lane(active, [&](int l) {
      const auto step = operand(2, l), v = operand(0, l) + step * path_.back();
      counter[static_cast<size_t>(l)] = static_cast<int64_t>(v);
      const bool before = step > 0 ? v < operand(1, l) : step < 0 && v > operand(1, l);
      if (before) stays |= Mask{1} << l;
    });
    done |= active & ~stays;
    if (stays == 0) break;
    if (!a_.divergent[i.id] && stays != mask) fail(i, "lanes diverge");
    store_slot(i, counter, stays);
    frames_.push_back({&i});
    active = block(i.regions[0], stays) | frames_.back().next;
    broke |= frames_.back().exit;
    frames_.pop_back();
  }
  path_.pop_back();
  return block(i.regions[1], done) | broke;
}

void GangMachine::store_slot(const Inst& i, const Lanes& v, Mask mask) {
  const auto slot = static_cast<size_t>(i.imm);
  each_lane(mask, [&](int l) {
    slots_[slot][static_cast<size_t>(l)] = v[static_cast<size_t>(l)];
    check_range(i, a_.slot_ranges[slot], v[static_cast<size_t>(l)]);
  });
  spoilt_[slot] &= ~mask;
  if (!a_.store_blends[i.id]) spoilt_[slot] |= ~mask;
}

void GangMachine::value(const Inst& i, Mask mask) {
  if (i.op == Op::SlotLoad) {
    const auto slot = static_cast<size_t>(i.imm);
    if ((spoilt_[slot] & mask) != 0) fail(i, "reads what a store without a blend overwrote");
    values_[i.id] = slots_[slot];
  } else if (i.op == Op::Load) {
    load(i, mask);
  } else if (!i.type.is_array()) {
    each_lane(mask, [&](int l) { values_[i.id][static_cast<size_t>(l)] = evaluate(i, l); });
  }
  if (!i.type.is_array()) check(i, mask);
}

int64_t GangMachine::evaluate(const Inst& i, int lane) {
  if (i.op == Op::Const) return i.imm;
  if (i.op == Op::Param) return arguments_[static_cast<size_t>(i.imm)].scalar;
  if (i.op == Op::Extent || i.op == Op::Stride) {
    const auto& array = arguments_[static_cast<size_t>(i.operands[0]->imm)].array;
    return (i.op == Op::Extent ? array.shape : array.strides)[static_cast<size_t>(i.imm)];
  }
  if (const ir::Evaluator compute = ir::evaluator(i)) {
    int64_t in[3] = {0, 0, 0};
    for (size_t k = 0; k < i.operands.size(); ++k) {
      in[k] = values_[i.operands[k]->id][static_cast<size_t>(lane)];
    }
    return compute(in[0], in[1], in[2]);
  }
  return ir::canonical(i.type.scalar(), position(i, lane));
}

int64_t GangMachine::position(const Inst& i, int lane) const {
  const auto axis = static_cast<size_t>(i.imm);
  const Index& t = thread_[static_cast<size_t>(lane)];
  const auto& dim = grid_.block;
  switch (i.op) {
    case Op::ThreadIdx:
      return t[axis];
    case Op::BlockIdx:
      return block_[axis];
    case Op::BlockDim:
      return dim[axis];
    case Op::GridDim:
      return grid_.grid[axis];
    case Op::Tid:
      return t[axis] + block_[axis] * dim[axis];
    case Op::GridSize:
      return dim[axis] * grid_.grid[axis];
    default:
      return (t[0] + dim[0] * (t[1] + dim[1] * t[2])) % kWarpWidth;
  }
}

char* GangMachine::address(const Inst& i, int lane) const {
  const auto& array = arguments_[static_cast<size_t>(i.operands[0]->imm)].array;
  char* at = array.data;
  for (size_t k = 0; k < array.shape.size(); ++k) {
    at += array.strides[k] * values_[i.operands[k + 1]->id][static_cast<size_t>(lane)];
  }
  return at;
}

void GangMachine::load(const Inst& i, Mask mask) {
  each_lane(mask, [&](int l) {
    int64_t v = 0;
    std::memcpy(&v, address(i, l), static_cast<size_t>(bytes_of(i.type.scalar())));
    values_[i.id][static_cast<size_t>(l)] = ir::canonical(i.type.scalar(), v);
  });
}

void GangMachine::check(const Inst& i, Mask mask) {
  if (i.type.is_int()) {
    each_lane(mask,
              [&](int l) { check_range(i, a_.range(i), values_[i.id][static_cast<size_t>(l)]); });
  }
  const Shape& s = a_.shape(i);
  if (s.level != Level::Varying && several(mask)) ++checked_;
  if (s.uniform()) check_uniform(i, mask);
  if (i.type.is_int()) check_congruence(i, mask);
  if (s.affine()) check_affine(i, mask);
}

void GangMachine::check_uniform(const Inst& i, Mask mask) {
  const int64_t v = values_[i.id][static_cast<size_t>(first_lane(mask))];
  each_lane(mask, [&](int l) {
    if (values_[i.id][static_cast<size_t>(l)] != v)
      fail(i, "not equal in lane " + std::to_string(l));
  });
  const Level level = a_.shape(i).level;
  if (level == Level::GangUniform) return;
  auto& instances = (level == Level::LaunchUniform ? in_launch_ : in_block_)[i.id];
  const auto [seen, fresh] = instances.emplace(path_, v);
  if (!fresh && seen->second != v) fail(i, "not equal in another gang or block");
}

// The congruence of the value, or of its base.
void GangMachine::check_congruence(const Inst& i, Mask mask) {
  const Shape& s = a_.shape(i);
  if (s.level == Level::Varying || !s.s0.known || !s.s1.known) return;
  const int lane = first_lane(mask);
  const int64_t base = values_[i.id][static_cast<size_t>(lane)] - offset(s, lane);
  const int64_t low_bits = sign_extended(base, i.type.bits());
  const Congruence& c = a_.congruences[i.id];
  if ((low_bits - c.value) % int64_t{c.modulus} != 0) fail(i, "not of its congruence");
}

int64_t GangMachine::offset(const Shape& s, int lane) const {
  const int period = static_cast<int>(s.period_in(a_.layout));
  return static_cast<int64_t>(
      static_cast<uint64_t>(s.s0.value) * static_cast<uint64_t>(lane % period) +
      static_cast<uint64_t>(s.s1.value) * static_cast<uint64_t>(lane / period));
}

void GangMachine::check_affine(const Inst& i, Mask mask) {
  const Shape& s = a_.shape(i);
  if (!s.s0.known || !s.s1.known) return check_steps(i, mask);
  const int bits = i.type.bits();
  const auto base_of = [&](const Inst& v, const Shape& shape, int l) {
    return values_[v.id][static_cast<size_t>(l)] - offset(shape, l);
  };
  const int64_t base = sign_extended(base_of(i, s, first_lane(mask)), bits);
  each_lane(mask, [&](int l) {
    if (sign_extended(base_of(i, s, l), bits) != base)
      fail(i, "not affine in lane " + std::to_string(l));
  });
  if (a_.narrow(i) && base != static_cast<int32_t>(base)) fail(i, "the base is not narrow");
  const bool widened =
      (i.op == Op::Convert || i.op == Op::Wrap) && i.operands[0]->type.bits() < bits;
  if (!widened) return;
  const Inst& from = *i.operands[0];
  const int64_t source = base_of(from, a_.shape(from), first_lane(mask));
  if (sign_extended(source, from.type.bits()) != base) fail(i, "the base is not sign-extended");
}

// An unknown step: equal differences between neighbours of one row.
void GangMachine::check_steps(const Inst& i, Mask mask) {
  const Shape& s = a_.shape(i);
  const int period = static_cast<int>(s.period_in(a_.layout));
  if (!s.s1.known) return;
  bool have = false;
  int64_t difference = 0;
  each_lane(mask & (mask >> 1), [&](int l) {
    if (l % period == period - 1) return;
    const auto at = static_cast<size_t>(l);
    const int64_t d = sign_extended(values_[i.id][at + 1] - values_[i.id][at], i.type.bits());
    if (have && d != difference) fail(i, "steps differ at lane " + std::to_string(l));
    have = true;
    difference = d;
  });
}

void GangMachine::check_range(const Inst& i, const Range& range, int64_t v) {
  const ir::Type type = i.type.is_none() ? f_.slots[static_cast<size_t>(i.imm)].type : i.type;
  if (!type.is_int()) return;
  const bool beyond = type.scalar() == ScalarKind::U64 && v < 0;
  const bool inside = beyond ? range.unsigned_overflow
                             : v >= range.lo && (v <= range.hi || range.unsigned_overflow);
  if (!inside) fail(i, std::to_string(v) + " is out of range");
}

void GangMachine::together(const Inst& i, Mask before, Mask after) {
  if (!a_.divergent[i.id] && after != 0 && after != before) fail(i, "lanes diverge");
}

void GangMachine::fail(const Inst& i, const std::string& what) {
  if (failures_.size() < kMaxFailures) failures_.push_back(ir::print_line(f_, i) + ": " + what);
}

}  // namespace cuda_device::analysis::testing
