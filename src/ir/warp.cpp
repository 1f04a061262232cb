#include "ir/warp.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace cuda_device::ir {
namespace {

constexpr uint32_t kLanes = 32;

bool asks_for_active_lanes(const WarpMember& m) { return m.operation->op == Op::ActiveMask; }

bool meets(const WarpMember& a, const WarpMember& b) {
  return a.operation->op == b.operation->op && a.mask == b.mask &&
         a.operation->type == b.operation->type;
}

// Those who are where the first of them is; empty: someone is missing.
std::vector<size_t> group_of(const WarpMember& first, std::span<const WarpMember> waiting,
                             uint32_t live) {
  std::vector<size_t> group;
  uint32_t here = 0;
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (!meets(waiting[i], first) || !has_lane(first.mask, waiting[i].lane)) continue;
    group.push_back(i);
    here |= uint32_t{1} << waiting[i].lane;
  }
  return here == (first.mask & live) ? group : std::vector<size_t>();
}

std::vector<size_t> active_lanes(std::span<const WarpMember> waiting) {
  const WarpMember* first = nullptr;
  for (const WarpMember& m : waiting)
    if (asks_for_active_lanes(m) && (!first || m.step < first->step)) first = &m;
  std::vector<size_t> group;
  for (size_t i = 0; first && i < waiting.size(); ++i)
    if (waiting[i].step == first->step) group.push_back(i);
  return group;
}

// All lanes of a group, by the operand after the mask.
class Group {
 public:
  explicit Group(std::span<const WarpMember> members) {
    for (const WarpMember& m : members) {
      lanes_ |= uint32_t{1} << m.lane;
      values_[m.lane] = m.value;
    }
  }
  uint32_t lanes() const { return lanes_; }
  uint32_t with(int64_t value) const {
    uint32_t found = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      if (has_lane(lanes_, lane) && values_[lane] == value) found |= uint32_t{1} << lane;
    return found;
  }
  int64_t value_of(uint32_t lane, Type type) const {
    if (has_lane(lanes_, lane)) return values_[lane];
    constexpr uint64_t kAnything = 0x0bad'0bad'0bad'0bad;
    if (type.is_bool()) return 1;
    const auto bits = static_cast<int64_t>(kAnything >> (64 - type.bits()));
    return type.is_float() ? bits : canonical(type.scalar(), bits);
  }

 private:
  uint32_t lanes_ = 0;
  int64_t values_[kLanes] = {};
};

uint32_t source_lane(const WarpMember& m) {
  const auto number = static_cast<uint32_t>(m.number) % kLanes;
  switch (m.operation->op) {
    case Op::Shuffle:
      return number;
    case Op::ShuffleUp:
      return number <= m.lane ? m.lane - number : m.lane;
    case Op::ShuffleDown:
      return m.lane + number < kLanes ? m.lane + number : m.lane;
    case Op::ShuffleXor:
      return m.lane ^ number;
#define OP(name, ...) case Op::name:
#define SHUFFLE(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("not a shuffle");
}

int64_t result_of(const WarpMember& m, const Group& group) {
  const bool alike = group.with(m.value) == group.lanes();
  switch (m.operation->op) {
    case Op::WarpSync:
      return 0;
    case Op::ActiveMask:
      return group.lanes();
    case Op::VoteAll:
      return group.with(1) == group.lanes();
    case Op::VoteAny:
      return group.with(1) != 0;
    case Op::VoteEq:
      return alike;
    case Op::Ballot:
      return group.with(1);
#define SHUFFLE(name, ...) case Op::name:
#include "ir/op.def"
      return group.value_of(source_lane(m), m.operation->type);
    case Op::MatchAny:
      return group.with(m.value);
    case Op::MatchAll:
      return alike ? group.lanes() : 0;
#define OP(name, ...) case Op::name:
#define WARP(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no operation of a warp: " + std::string(info(m.operation->op).text));
}

}  // namespace

std::vector<size_t> meeting(std::span<const WarpMember> waiting, uint32_t live) {
  for (const WarpMember& m : waiting) {
    if (asks_for_active_lanes(m)) continue;
    if (std::vector<size_t> group = group_of(m, waiting, live); !group.empty()) return group;
  }
  return active_lanes(waiting);
}

std::vector<int64_t> results_of_meeting(std::span<const WarpMember> members) {
  const Group group(members);
  std::vector<int64_t> results;
  for (const WarpMember& m : members) results.push_back(result_of(m, group));
  return results;
}

}  // namespace cuda_device::ir
