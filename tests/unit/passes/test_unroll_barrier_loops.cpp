// Kernels whose threads go in step through nested loops around barriers, drawn at random:
// unrolling keeps what they do. And how much is unrolled, where that is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ir/visitor.h"
#include "passes/barriers/unroll_barrier_loops.h"
#include "passes/simplify/fold.h"
#include "passes/simplify/forward_slots.h"
#include "random_kernel.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Inst;
using ir::Op;

size_t count(const Function& f, Op op) {
  size_t found = 0;
  ir::for_each_inst(f.body, [&](const Inst& i) { found += i.op == op; });
  return found;
}
size_t loops(const Function& f) { return count(f, Op::While) + count(f, Op::For); }

// A body of a kernel whose slots $0 and $1 count.
std::unique_ptr<Function> kernel(const std::string& body, const std::string& type = "int32") {
  return ir::parse("kernel \"k\"\nslot $0 \"i\": " + type + "\nslot $1 \"j\": " + type +
                   "\narray &0 \"s\": array<int32, 1, shared> shape 16 strides 4 align 4\n{\n" +
                   "%t = thread_idx #0 : uint32\n%s = array &0 : array<int32, 1, shared>\n" +
                   "%0 = const 0 : " + type + "\n%1 = const 1 : " + type +
                   "\n%2 = const 2 : " + type + "\n" + body + "}\n");
}

// Stores the exclusive or of thread and counter, for which the counter's value matters.
std::string use(const std::string& slot, const std::string& type = "int32") {
  return "%use" + slot + " = slot_load $" + slot + " : " + type + "\n%wide" + slot +
         " = convert %use" + slot + " : uint32\n%xor" + slot + " = xor %t, %wide" + slot +
         " : uint32\n%as" + slot + " = convert %xor" + slot + " : int32\nstore %s, %t, %as" + slot +
         "\nbarrier\n";
}

std::string for_(int64_t trips, const std::string& body) {
  return "%n = const " + std::to_string(trips) + " : int32\nfor $0, %0, %n, %1 {\n" + body + "}\n";
}

// while $0 <comparison> bound: use; update
std::string while_(const std::string& start, const std::string& bound, const std::string& compare,
                   const std::string& update, const std::string& type = "int32") {
  return "%start = const " + start + " : " + type + "\n%bound = const " + bound + " : " + type +
         "\nslot_store $0, %start\nwhile {\n%c = slot_load $0 : " + type + "\n%go = " + compare +
         " %c, %bound : bool\nyield %go\n} do {\n" + use("0", type) +
         "%u = slot_load $0 : " + type + "\n%next = " + update + " %u, %2 : " + type +
         "\nslot_store $0, %next\n}\n";
}

size_t barriers_when_written_out(const std::string& body, const std::string& type = "int32") {
  const auto f = kernel(body, type);
  EXPECT_EQ(ir::verify(*f), std::vector<std::string>()) << body;
  unroll_barrier_loops(*f);
  EXPECT_EQ(ir::verify(*f), std::vector<std::string>()) << ir::print(*f);
  return loops(*f) == 0 ? count(*f, Op::Barrier) : 0;
}

TEST(UnrollBlocks, UpToABoundOfIterations) {
  EXPECT_EQ(barriers_when_written_out(for_(1, use("0"))), 1);
  EXPECT_EQ(barriers_when_written_out(for_(64, use("0"))), 64);
  EXPECT_EQ(barriers_when_written_out(for_(65, use("0"))), 0);
  EXPECT_EQ(barriers_when_written_out(while_("0", "128", "lt", "add")), 64);
  EXPECT_EQ(barriers_when_written_out(while_("0", "130", "lt", "add")), 0);
  EXPECT_EQ(barriers_when_written_out(while_("0", "0", "ge", "add")), 0);  // 2^30 times
}

TEST(UnrollBlocks, CountersThatWrap) {
  // 192, then 128, and 0.
  EXPECT_EQ(barriers_when_written_out(while_("96", "0", "ne", "mul", "uint8"), "uint8"), 3);
  // -128, which halves to -1 and stays there.
  EXPECT_EQ(barriers_when_written_out(while_("64", "0", "ne", "mul", "int8"), "int8"), 2);
  EXPECT_EQ(barriers_when_written_out(while_("-128", "0", "ne", "floordiv", "int8"), "int8"), 0);
  // 255 down to 1, and so odd for ever.
  EXPECT_EQ(barriers_when_written_out(while_("255", "0", "ne", "sub", "uint8"), "uint8"), 0);
}

TEST(UnrollBlocks, ForeverIsNot) {
  const std::string forever = "while {\n%go = const 1 : bool\nyield %go\n} do {\n";
  EXPECT_EQ(barriers_when_written_out(forever + use("0") + "}\n"), 0);
  EXPECT_EQ(barriers_when_written_out(forever + "barrier\n}\n"), 0);
  EXPECT_EQ(barriers_when_written_out(forever + use("0") + "break\n}\n"), 1);
}

TEST(UnrollBlocks, OnlyForAUseThatAConstantChanges) {
  EXPECT_EQ(barriers_when_written_out(for_(8, "barrier\n")), 0);
  const std::string load = "%i = slot_load $0 : int32\n%w = convert %i : uint32\n";
  const std::string store = "%x = load %s, %at : int32\nstore %s, %t, %x\nbarrier\n";
  EXPECT_EQ(barriers_when_written_out(for_(8, load + "%at = add %t, %w : uint32\n" + store)), 0);
  EXPECT_EQ(barriers_when_written_out(for_(8, load + "%at = mul %t, %w : uint32\n" + store)), 8);
}

// 64 * 8 uses are twice the budget, so only the loop inside goes, once.
TEST(UnrollBlocks, UpToABudgetOfInstructions) {
  std::string body;
  for (int i = 0; i < 8; ++i)
    body += "%j" + std::to_string(i) + " = slot_load $1 : int32\n" + "%v" + std::to_string(i) +
            " = convert %j" + std::to_string(i) + " : uint32\n" + "%x" + std::to_string(i) +
            " = xor %t, %v" + std::to_string(i) + " : uint32\nstore %s, %x" + std::to_string(i) +
            ", %w\n";
  const std::string inner = "%m = const 8 : int32\nfor $1, %0, %m, %1 {\n" + body + "barrier\n}\n";
  const std::string outer =
      "%i = slot_load $0 : int32\n%b = convert %i : uint32\n"
      "%mixed = xor %t, %b : uint32\n%w = convert %mixed : int32\n";
  EXPECT_EQ(barriers_when_written_out(for_(12, outer + inner)), 12 * 8);
  const auto f = kernel(for_(64, outer + inner));
  unroll_barrier_loops(*f);
  EXPECT_EQ(count(*f, Op::For), 1);
  EXPECT_EQ(count(*f, Op::Barrier), 8);
}

// A loop that stays counts as often as it is unrolled later.
TEST(UnrollBlocks, CountsWhatLoopsInsideBecome) {
  const std::string inside =
      "%m = const 32 : int32\nfor $1, %0, %m, %1 {\n" +
      std::string(
          "%a = mul %t, %t : uint32\n%b = mul %a, %a : uint32\n%c = mul %b, %b : uint32\n"
          "%d = mul %c, %c : uint32\n%e = convert %d : int32\nstore %s, %t, %e\n}\n");
  EXPECT_EQ(barriers_when_written_out(for_(5, use("0"))), 5);
  const auto few = kernel(for_(5, inside + use("0"))), many = kernel(for_(20, inside + use("0")));
  unroll_barrier_loops(*few);
  unroll_barrier_loops(*many);
  EXPECT_EQ(count(*few, Op::Barrier), 5);
  EXPECT_EQ(count(*many, Op::Barrier), 1);
}

// Four loops of 64 iterations inside each other: all but the innermost are given up soon.
TEST(UnrollBlocks, EndsSoon) {
  std::string body = use("1");
  for (int i = 0; i < 4; ++i)
    body = "%n" + std::to_string(i) + " = const 64 : int32\nfor $1, %0, %n" + std::to_string(i) +
           ", %1 {\n" + body + "}\n";
  const auto f = kernel(body);
  unroll_barrier_loops(*f);
  EXPECT_LT(f->inst_count(), 200000);
  EXPECT_EQ(count(*f, Op::For), 3);
}

// All control is the same for the block; control slots hold constants or what only the launch
// tells, data slots anything.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed), b_(*f_, f_->body) {}

  std::unique_ptr<Function> run() {
    f_->name = "random";
    for (ScalarKind kind : {ScalarKind::Bool, ScalarKind::I32, ScalarKind::I64, ScalarKind::U8,
                            ScalarKind::U32, ScalarKind::F32, ScalarKind::F64})
      f_->params.push_back({"array", ir::Type::array(kind, 1), {}, {}});
    for (int i = 0; i < kControl + kData; ++i) f_->slots.push_back({"slot", kType});
    statements(f_->body, 3);
    for (uint32_t slot = 0; slot < kControl + kData; ++slot) record(slot);
    return std::move(f_);
  }

 private:
  static constexpr int kControl = 3, kData = 2;
  static constexpr ir::Type kType = ir::kI32;

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  uint32_t control() { return static_cast<uint32_t>(below(kControl)); }
  uint32_t data() { return static_cast<uint32_t>(kControl + below(kData)); }
  Inst* constant(int64_t value) { return b_.const_int(kType, value); }
  Inst* one_of_few() { return constant(below(7) - 1); }
  Inst* position(Op op) { return b_.typed(Op::Convert, kType, {b_.op(op, {}, 0)}); }
  Inst* mixed(Inst* a, Inst* b) {
    constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::FloorDiv, Op::FloorMod, Op::Xor, Op::Shr};
    return b_.op(kOps[below(std::size(kOps))], {a, b});
  }
  Inst* compared(Inst* a, Inst* b) {
    constexpr Op kOps[] = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
    return b_.op(kOps[below(std::size(kOps))], {a, b});
  }

  template <class F>
  void inside(Block& block, F&& f) {
    Block& outside = b_.block();
    b_.set_block(block);
    f();
    b_.set_block(outside);
  }

  void body(Block& block, int depth) {
    ++loops_;
    statements(block, depth);
    inside(block, [&] { meet(); });
    --loops_;
  }

  // Most loops hold a barrier, for only those are unrolled.
  void meet() {
    if (!chance(4)) b_.op(Op::Barrier, {});
  }

  void statements(Block& block, int depth) {
    inside(block, [&] {
      for (int n = below(4) + 1; n > 0; --n) statement(depth);
    });
  }

  void statement(int depth) {
    switch (below(depth > 0 ? 9 : 5)) {
      case 0:
        return record(chance(2) ? control() : data());
      case 1: {
        Inst* value = chance(8) ? position(Op::GridDim) : one_of_few();
        b_.slot_store(control(), value);
        return;
      }
      case 2:
        b_.slot_store(control(), mixed(b_.slot_load(control()), one_of_few()));
        return;
      case 3: {
        Inst* other = chance(2) ? b_.slot_load(control()) : position(Op::ThreadIdx);
        b_.slot_store(data(), mixed(b_.slot_load(data()), other));
        return;
      }
      case 4:
        b_.op(Op::Barrier, {});
        return;
      case 5:
        return branch(depth - 1);
      case 6:
        return divergent();
      default:
        return chance(2) ? counted(depth - 1) : conditional(depth - 1);
    }
  }

  // a[thread] = a[thread] * 5 ^ slot
  void record(uint32_t slot) {
    Inst* array = b_.op(Op::Param, {}, 1);
    Inst* place = position(Op::Tid);
    Inst* before = b_.op(Op::Load, {array, place});
    Inst* value = b_.op(Op::Mul, {before, constant(5)});
    b_.op(Op::Store, {array, place, b_.op(Op::Xor, {value, b_.slot_load(slot)})});
  }

  void branch(int depth) {
    Inst* asked = chance(3) ? position(Op::GridDim) : b_.slot_load(control());
    Inst* inst = b_.control(Op::If, {compared(asked, one_of_few())}, 2);
    statements(inst->regions[0], depth);
    inside(inst->regions[0], [&] { jump(); });
    if (chance(2)) statements(inst->regions[1], depth);
  }

  void divergent() {
    Inst* inst = b_.control(Op::If, {compared(position(Op::ThreadIdx), one_of_few())}, 2);
    inside(inst->regions[0], [&] {
      record(control());
      b_.slot_store(data(), b_.slot_load(control()));
    });
  }

  void jump() {
    if (loops_ > 0 && chance(3)) b_.op(chance(2) ? Op::Break : Op::Continue, {});
  }

  void counted(int depth) {
    Inst* start = one_of_few();
    Inst* stop = chance(4) ? b_.slot_load(control()) : one_of_few();
    Inst* loop = b_.control(Op::For, {start, stop, constant(chance(4) ? -1 : 1)}, 2, control());
    body(loop->regions[0], depth);
    if (chance(2)) statements(loop->regions[1], depth);
  }

  // Ends at the latest when a counter of its own does.
  void conditional(int depth) {
    const auto counter = static_cast<uint32_t>(f_->slots.size());
    f_->slots.push_back({"counter", kType});
    b_.slot_store(counter, constant(below(5)));
    Inst* loop = b_.control(Op::While, {}, 3);
    ++loops_;
    inside(loop->regions[0], [&] {
      Inst* left = b_.slot_load(counter);
      b_.slot_store(counter, b_.op(Op::Sub, {left, constant(1)}));
      Inst* more = b_.op(Op::Gt, {left, constant(0)});
      if (chance(2)) more = b_.op(Op::And, {more, compared(b_.slot_load(control()), one_of_few())});
      b_.op(Op::Yield, {more});
    });
    --loops_;
    body(loop->regions[1], depth);
    if (chance(2)) statements(loop->regions[2], depth);
  }

  std::mt19937_64 random_;
  std::unique_ptr<Function> f_ = std::make_unique<Function>();
  Builder b_;
  int loops_ = 0;
};

TEST(UnrollBlocks, KeepsWhatRandomKernelsDo) {
  size_t straight = 0;  // kernels that had loops, and have none left
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const auto f = Generator(seed).run();
    ASSERT_EQ(ir::verify(*f), std::vector<std::string>()) << ir::print(*f);
    const Outcome expected = run_kernel(*f, seed);
    const std::string text = ir::print(*f);
    forward_slots(*f);
    fold(*f);
    const bool had_loops = loops(*f) > 0;
    unroll_barrier_loops(*f);
    straight += had_loops && loops(*f) == 0;
    ASSERT_EQ(ir::verify(*f), std::vector<std::string>()) << text << ir::print(*f);
    ASSERT_EQ(run_kernel(*f, seed), expected) << seed << "\n" << text << ir::print(*f);
  }
  EXPECT_GT(straight, 50);  // or nothing is tested
}

}  // namespace
}  // namespace cuda_device::passes
