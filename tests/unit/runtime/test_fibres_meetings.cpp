// Operations of a warp: threads that meet get what the interpreter gives them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>

#include "ir/warp.h"
#include "runtime/host/fibres/meeting.h"
#include "unit/runtime/threads.h"

#if defined(__x86_64__)

namespace cuda_device::runtime {
namespace {

using abi::ThreadMeeting;
using fibres::kLanes;

constexpr uint32_t kAll = ~uint32_t{0};

struct Kind {
  ThreadMeeting kind;
  ir::Op op;
  bool votes = false;  // the operand is a bool
};
constexpr Kind kKinds[] = {
    {ThreadMeeting::Sync, ir::Op::WarpSync},
    {ThreadMeeting::ActiveMask, ir::Op::ActiveMask},
    {ThreadMeeting::All, ir::Op::VoteAll, true},
    {ThreadMeeting::Any, ir::Op::VoteAny, true},
    {ThreadMeeting::Eq, ir::Op::VoteEq, true},
    {ThreadMeeting::Ballot, ir::Op::Ballot, true},
    {ThreadMeeting::Shuffle, ir::Op::Shuffle},
    {ThreadMeeting::ShuffleUp, ir::Op::ShuffleUp},
    {ThreadMeeting::ShuffleDown, ir::Op::ShuffleDown},
    {ThreadMeeting::ShuffleXor, ir::Op::ShuffleXor},
    {ThreadMeeting::MatchAny, ir::Op::MatchAny},
    {ThreadMeeting::MatchAll, ir::Op::MatchAll},
};
static_assert(std::size(kKinds) == static_cast<size_t>(ThreadMeeting::MatchAll) + 1);

// Bits of a type, and back. Types that are 16 bits or wider, since of narrower ones the interpreter
// has another pattern for what a lane that takes no part gives.
const ScalarKind kTypes[] = {ScalarKind::U16, ScalarKind::I32, ScalarKind::U32,
                             ScalarKind::I64, ScalarKind::F32, ScalarKind::F64};

uint64_t bits_of(int64_t value, ir::Type type) {
  return static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - type.bits()));
}

// What one warp does at one operation, by lane.
struct Meeting {
  Kind kind{};
  ir::Inst operation;
  uint32_t lanes = 0;
  std::array<uint64_t, kLanes> values{};
  std::array<uint32_t, kLanes> numbers{};

  Meeting(std::mt19937& random, Kind k, uint32_t of) : kind(k), lanes(of) {
    const auto any = [&](size_t count) { return random() % count; };
    operation.op = k.op;
    operation.type = k.votes ? ir::Type::of(ScalarKind::Bool) : ir::Type::of(kTypes[any(6)]);
    const uint64_t few[] = {0, 1, random(), uint64_t{random()} << 32 | random()};
    const bool alike = any(3) == 0;
    const int64_t common = static_cast<int64_t>(few[any(4)]);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto value = alike ? common : static_cast<int64_t>(few[any(4)]);
      values[lane] = k.votes ? value & 1 : bits_of(value, operation.type);
      numbers[lane] = static_cast<uint32_t>(any(2) ? any(40) : random());
    }
  }

  // By the interpreter.
  std::array<uint64_t, kLanes> expected() const {
    std::vector<ir::WarpMember> members;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      ir::WarpMember m;
      m.lane = lane;
      m.operation = &operation;
      m.mask = lanes;
      m.value = kind.votes ? static_cast<int64_t>(values[lane]) : canonical_value(lane);
      m.number = static_cast<int32_t>(numbers[lane]);
      members.push_back(m);
    }
    const std::vector<int64_t> results = ir::results_of_meeting(members);
    std::array<uint64_t, kLanes> by_lane{};
    for (size_t i = 0; i < members.size(); ++i) by_lane[members[i].lane] = in_bits(results[i]);
    return by_lane;
  }
  // Whatever the code takes of a result.
  uint64_t in_bits(int64_t result) const {
    const bool shuffles =
        kind.kind >= ThreadMeeting::Shuffle && kind.kind <= ThreadMeeting::ShuffleXor;
    return shuffles ? bits_of(result, operation.type) : static_cast<uint64_t>(result);
  }

 private:
  int64_t canonical_value(uint32_t lane) const {
    const auto bits = static_cast<int64_t>(values[lane]);
    return operation.type.is_float() ? bits : ir::canonical(operation.type.scalar(), bits);
  }
};

TEST(Meetings, GiveWhatTheInterpreterGives) {
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t lanes = random() % 4 ? random() : random() % 2 ? kAll : 1u << random() % kLanes;
    if (!lanes) continue;
    const Meeting m(random, kKinds[random() % std::size(kKinds)], lanes);
    std::array<uint64_t, kLanes> results{};
    fibres::write_results({m.kind.kind, m.lanes, m.values, m.numbers}, results);
    const std::array<uint64_t, kLanes> expected = m.expected();
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      ASSERT_EQ(m.in_bits(static_cast<int64_t>(results[lane])), expected[lane])
          << info(m.kind.op).text << " in lane " << lane;
    }
  }
}

// Groups of random lanes of one warp, which meet one after the other: some lanes are always in one
// group, where others go from one to the next.
TEST(Meetings, OfGroupsThatPartAndComeTogether) {
  WorkerPool pool(2);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<Meeting>> rounds;  // in each, groups without a lane in common
    for (int round = 0; round < 30; ++round) {
      std::vector<Meeting>& groups = rounds.emplace_back();
      uint32_t left = kAll;
      while (left && groups.size() < 4) {
        const uint32_t lanes = groups.size() == 3 ? left : left & random();
        if (!lanes) continue;
        left &= ~lanes;
        Kind kind = kKinds[random() % std::size(kKinds)];
        if (kind.kind == ThreadMeeting::ActiveMask) kind = kKinds[0];  // of no mask
        groups.emplace_back(random, kind, lanes);
      }
    }
    std::vector<std::vector<std::array<uint64_t, kLanes>>> expected;
    for (const auto& groups : rounds) {
      auto& results = expected.emplace_back();
      for (const Meeting& m : groups) results.push_back(m.expected());
    }
    std::atomic<int> wrong{0};
    const Ran ran = launch_of(3, 96).run(pool, [&](const TestThread& t) {
      const uint32_t lane = t.thread() % kLanes;
      for (size_t r = 0; r < rounds.size(); ++r)
        for (size_t g = 0; g < rounds[r].size(); ++g) {
          const Meeting& m = rounds[r][g];
          if (!(m.lanes >> lane & 1)) continue;
          const uint64_t result =
              t.meet(m.kind.kind, m.lanes, m.values[lane], m.numbers[lane], lane);
          wrong += m.in_bits(static_cast<int64_t>(result)) != expected[r][g][lane];
        }
    });
    ASSERT_TRUE(ran.fine()) << seed;
    ASSERT_EQ(wrong, 0) << seed;
  }
}

TEST(Meetings, OfOneKindAndMaskAtDifferentPlaces) {
  WorkerPool pool(1);
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(2, 64).run(pool, [&](const TestThread& t) {
    const bool odd = t.thread() % 2;
    const uint64_t sum = odd ? t.meet(ThreadMeeting::Ballot, kAll, 1, 0, 1)
                             : t.meet(ThreadMeeting::Ballot, kAll, 0, 0, 2);
    wrong += sum != 0xaaaaaaaa;
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

TEST(Meetings, ThreadsThatHaveLeftAreNotWaitedFor) {
  WorkerPool pool(1);
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(2, 80).run(pool, [&](const TestThread& t) {  // half a warp at the end
    const uint32_t lane = t.thread() % kLanes;
    for (uint32_t i = 0; i <= lane; ++i) {
      const uint32_t there = (t.thread() < 64 ? kAll : 0xffff) & ~((1u << i) - 1);
      wrong += t.meet(ThreadMeeting::Ballot, kAll, 1) != there;
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

// Lanes that come from both sides of an if are waited for; those that have left are not.
TEST(Meetings, ActiveLanesAreThoseOfThePlace) {
  WorkerPool pool(1);
  std::atomic<int> wrong{0};
  const auto active = [&](const TestThread& t, uint32_t site, uint64_t lanes) {
    wrong += t.meet(ThreadMeeting::ActiveMask, 0, 0, 0, site) != lanes;
  };
  const Ran ran = launch_of(2, 32).run(pool, [&](const TestThread& t) {
    if (t.thread() == 31) return;
    if (t.thread() < 4)
      active(t, 1, 0xf);
    else if (t.thread() < 8)
      active(t, 2, 0xf0);
    for (uint32_t i = 0; i < t.thread(); ++i) active(t, 3, 0x7fffffff & ~((2u << i) - 1));
    active(t, 4, 0x7fffffff);
    t.meet(ThreadMeeting::Sync, 0x7fffffff);
    active(t, 5, 0x7fffffff);
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

// A lane that spins until another knows which lanes are active: it does not run with that one.
TEST(Meetings, ActiveLanesAreKnownThoughAnotherSpins) {
  WorkerPool pool(1);
  for (const bool counts : {false, true}) {
    std::atomic<uint64_t> flag{0};
    const Ran ran = launch_of(1, 2).run(pool, [&](const TestThread& t) {
      if (t.thread() == 0)
        for (uint64_t waited = 0; flag == 0; waited += counts) t.turn(waited);
      else
        flag = t.meet(ThreadMeeting::ActiveMask, 0);
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(flag, 2u);
  }
}

// Lanes in a loop within a loop, whose inner one comes to the same states again and again.
TEST(Meetings, ActiveLanesAreThoseThatLeaveALoopOfManyIterations) {
  WorkerPool pool(1);
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(2, 64).run(pool, [&](const TestThread& t) {
    for (uint32_t outer = 0; outer < t.thread() % 5; ++outer) {
      for (uint32_t inner = 0; inner < 3; ++inner) {
        for (uint32_t innermost = 0; innermost < 2; ++innermost) t.turn(innermost, 3);
        t.turn(inner, 2);
      }
      t.turn(outer, 1);
    }
    wrong += t.meet(ThreadMeeting::ActiveMask, 0) != kAll;
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

// A lock that one lane after the other takes, and all meet at the end.
TEST(Meetings, AfterALockWithinTheWarp) {
  WorkerPool pool(2);
  std::atomic<int> wrong{0};
  std::array<std::atomic<int>, 8> locks{};
  std::array<uint32_t, 8> counts{};
  const Ran ran = launch_of(8, 32).run(pool, [&](const TestThread& t) {
    for (uint32_t i = 1; i <= 20; ++i) {
      t.lock(locks[t.block()]);
      const uint32_t before = counts[t.block()]++;
      locks[t.block()] = 0;
      const uint64_t all = t.meet(ThreadMeeting::All, kAll, before < i * 32);
      wrong += !all || t.meet(ThreadMeeting::Shuffle, kAll, counts[t.block()], i) != i * 32;
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
