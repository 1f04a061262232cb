#include "runtime/host/fibres/meeting.h"

#include <bit>

#include "support/check.h"

namespace cuda_device::runtime::fibres {
namespace {

using abi::ThreadMeeting;

constexpr uint64_t kAnything = 0x0bad'0bad'0bad'0bad;

bool has(uint32_t lanes, uint32_t lane) { return lanes >> lane & 1; }

uint32_t lanes_with(const Meeting& m, uint64_t value) {
  uint32_t found = 0;
  for_each_lane(m.lanes, [&](uint32_t lane) {
    if (m.values[lane] == value) found |= uint32_t{1} << lane;
  });
  return found;
}

bool alike(const Meeting& m) {
  const auto first = static_cast<uint32_t>(std::countr_zero(m.lanes));
  return lanes_with(m, m.values[first]) == m.lanes;
}

uint32_t source_lane(ThreadMeeting kind, uint32_t lane, uint32_t number) {
  number %= kLanes;
  switch (kind) {
    case ThreadMeeting::Shuffle:
      return number;
    case ThreadMeeting::ShuffleUp:
      return number <= lane ? lane - number : lane;
    case ThreadMeeting::ShuffleDown:
      return lane + number < kLanes ? lane + number : lane;
    default:
      return lane ^ number;
  }
}

void shuffle(const Meeting& m, std::array<uint64_t, kLanes>& results) {
  const std::array<uint64_t, kLanes> values = m.values;  // the results may go where they are
  for_each_lane(m.lanes, [&](uint32_t lane) {
    const uint32_t source = source_lane(m.kind, lane, m.numbers[lane]);
    results[lane] = has(m.lanes, source) ? values[source] : kAnything;
  });
}

void match_any(const Meeting& m, std::array<uint64_t, kLanes>& results) {
  const std::array<uint64_t, kLanes> values = m.values;
  const Meeting before{m.kind, m.lanes, values, m.numbers};
  for_each_lane(m.lanes, [&](uint32_t lane) { results[lane] = lanes_with(before, values[lane]); });
}

uint64_t common_result(const Meeting& m) {
  switch (m.kind) {
    case ThreadMeeting::Sync:
      return 0;
    case ThreadMeeting::ActiveMask:
      return m.lanes;
    case ThreadMeeting::All:
      return lanes_with(m, 1) == m.lanes;
    case ThreadMeeting::Any:
      return lanes_with(m, 1) != 0;
    case ThreadMeeting::Eq:
      return alike(m);
    case ThreadMeeting::Ballot:
      return lanes_with(m, 1);
    case ThreadMeeting::MatchAll:
      return alike(m) ? m.lanes : 0;
    case ThreadMeeting::Shuffle:
    case ThreadMeeting::ShuffleUp:
    case ThreadMeeting::ShuffleDown:
    case ThreadMeeting::ShuffleXor:
    case ThreadMeeting::MatchAny:
      break;
  }
  CD_UNREACHABLE("threads of a warp get results of their own");
}

}  // namespace

void write_results(const Meeting& m, std::array<uint64_t, kLanes>& results) {
  switch (m.kind) {
    case ThreadMeeting::Shuffle:
    case ThreadMeeting::ShuffleUp:
    case ThreadMeeting::ShuffleDown:
    case ThreadMeeting::ShuffleXor:
      return shuffle(m, results);
    case ThreadMeeting::MatchAny:
      return match_any(m, results);
    default: {
      const uint64_t common = common_result(m);
      for_each_lane(m.lanes, [&](uint32_t lane) { results[lane] = common; });
    }
  }
}

}  // namespace cuda_device::runtime::fibres
