// Which arrays workers may update in tables of their own: those that a kernel only updates, by one
// operation that commutes, and of which nobody can tell when.
#include "analysis/memory/worker_tables.h"

#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

using ir::AtomicKind;
using Tables = std::vector<WorkerTable>;

Tables tables(const std::string& body, const std::string& facts = "no_alias element_aligned",
              const std::string& element = "int32") {
  const Analysed k("kernel \"k\"\nparam @0 \"a\": array<" + element + ", 1> " + facts +
                   "\nparam @1 \"b\": array<" + element + R"(, 1> no_alias element_aligned
param @2 "n": int32
slot $0 "i": int32
{
  %a = param @0 : array<)" +
                   element + R"(, 1>
  %b = param @1 : array<)" +
                   element + R"(, 1>
  %n = param @2 : int32
  %x = tid #0 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %v = const 1 : )" +
                   element + "\n" + body + "}\n");
  return k.a.worker_tables;
}

std::string rmw(const std::string& spec, const std::string& array = "%a",
                const std::string& element = "int32") {
  static int number = 0;
  return "%u" + std::to_string(++number) + " = atomic_rmw " + spec + ", " + array +
         ", %x, %v : " + element + "\n";
}

const std::string kAdd = "add.relaxed.device";
const Tables kNone, kAdds = {{0, AtomicKind::Add, ScalarKind::I32}};

std::string loop(const std::string& body) {
  return "for $0, %zero, %n, %one {\n" + body + "} else {\n}\n";
}

TEST(WorkerTables, AreForRelaxedUpdates) {
  EXPECT_EQ(tables(rmw(kAdd)), kAdds);
  EXPECT_EQ(tables(loop(rmw(kAdd))), kAdds);
  EXPECT_EQ(tables(rmw("add.relaxed.block")), kAdds);
  EXPECT_EQ(tables(rmw("add.relaxed.system")), kNone) << "threads of the host may watch";
  EXPECT_EQ(tables(rmw("add.seq_cst.device")), kNone);
  EXPECT_EQ(tables(rmw("add.release.device")), kNone);
  EXPECT_EQ(tables(rmw("add.acquire.device")), kNone);
}

TEST(WorkerTables, NeedTheFacts) {
  EXPECT_EQ(tables(rmw(kAdd), "element_aligned"), kNone) << "another argument may be the array";
  EXPECT_EQ(tables(rmw(kAdd), "no_alias"), kNone);
}

TEST(WorkerTables, AreMergedByTheOperation) {
  for (const auto& [names, merge] :
       std::vector<std::pair<std::string, AtomicKind>>{{"and", AtomicKind::And},
                                                       {"or", AtomicKind::Or},
                                                       {"xor", AtomicKind::Xor},
                                                       {"max", AtomicKind::Max},
                                                       {"min", AtomicKind::Min}})
    EXPECT_EQ(tables(rmw(names + ".relaxed.device")), (Tables{{0, merge, ScalarKind::I32}}));
  EXPECT_EQ(tables(rmw("sub.relaxed.device")), kAdds);
  EXPECT_EQ(tables(rmw("sub.relaxed.device") + rmw(kAdd)), kAdds);
  EXPECT_EQ(tables(rmw("or.relaxed.device") + rmw(kAdd)), kNone) << "the order matters";
  EXPECT_EQ(tables(rmw("max.relaxed.device") + rmw("min.relaxed.device")), kNone);
  EXPECT_EQ(tables(rmw("exch.relaxed.device")), kNone);
}

TEST(WorkerTables, AreOfIntegers) {
  for (const auto& [name, kind] : std::vector<std::pair<std::string, ScalarKind>>{
           {"uint32", ScalarKind::U32}, {"int64", ScalarKind::I64}, {"uint64", ScalarKind::U64}})
    EXPECT_EQ(tables(rmw(kAdd, "%a", name), "no_alias element_aligned", name),
              (Tables{{0, AtomicKind::Add, kind}}));
  for (const std::string name : {"float32", "float64", "int16", "uint8"})
    EXPECT_EQ(tables(rmw(kAdd, "%a", name), "no_alias element_aligned", name), kNone) << name;
}

TEST(WorkerTables, AreOfParts) {
  const std::string view = R"(
    %wide = convert %x : int64
    %four = const 4 : int64
    %at = mul %wide, %four : int64
    %part = view %a, %at, %four, %four : array<int32, 1>
  )";
  EXPECT_EQ(tables(view + rmw(kAdd, "%part")), kAdds);
  EXPECT_EQ(tables(view + rmw(kAdd, "%part") + rmw(kAdd)), kAdds);
  EXPECT_EQ(tables(view + rmw(kAdd, "%part") + rmw("or.relaxed.device")), kNone);
  EXPECT_EQ(tables(view + rmw(kAdd) + "%w = load %part, %x : int32\n"), kNone);
  const std::string other = R"(
    %wide = convert %x : int64
    %eight = const 8 : int64
    %part = view %a, %wide, %eight, %eight : array<int64, 1>
    %v64 = const 1 : int64
    %w = atomic_rmw add.relaxed.device, %part, %x, %v64 : int64
  )";
  EXPECT_EQ(tables(other), (Tables{{0, AtomicKind::Add, ScalarKind::I64}}));
  EXPECT_EQ(tables(other + rmw(kAdd)), kNone) << "elements of two sizes";
}

TEST(WorkerTables, NotOfWhatIsLookedAt) {
  EXPECT_EQ(tables("%w = atomic_rmw add.relaxed.device, %a, %x, %v : int32\n"
                   "store %b, %x, %w\n"),
            kNone)
      << "the result is used";
  EXPECT_EQ(tables(rmw(kAdd) + "%w = load %a, %zero : int32\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "store %a, %zero, %v\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "%w = atomic_load exch.relaxed.device, %a, %zero : int32\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "atomic_store exch.relaxed.device, %a, %zero, %v\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "%w = load %b, %zero : int32\nstore %b, %x, %w\n"), kAdds)
      << "of another array";
  EXPECT_EQ(tables(rmw(kAdd) + rmw(kAdd, "%b")),
            (Tables{{0, AtomicKind::Add, ScalarKind::I32}, {1, AtomicKind::Add, ScalarKind::I32}}));
}

TEST(WorkerTables, NotWhereOthersAreTold) {
  EXPECT_EQ(tables(rmw(kAdd) + rmw("add.release.device", "%b")), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + rmw("add.seq_cst.system", "%b")), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "fence exch.acq_rel.device\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "%w = atomic_load exch.acquire.device, %b, %zero : int32\n"), kNone);
  EXPECT_EQ(tables(rmw(kAdd) + "fence exch.seq_cst.block\n"), kAdds) << "only threads of the block";
  EXPECT_EQ(tables(rmw(kAdd) + rmw("add.acq_rel.block", "%b")), kAdds);
  EXPECT_EQ(tables(rmw(kAdd) + "barrier\n"), kAdds);
  EXPECT_EQ(tables(rmw(kAdd) + "%w = opaque 1, %x : int32\n"), kNone);
}

TEST(WorkerTables, NotWhereAThreadMayWaitForOthers) {
  const std::string look = "%w = atomic_load exch.relaxed.device, %b, %zero : int32\n";
  const std::string take = "%t = atomic_rmw add.relaxed.device, %b, %zero, %v : int32\n";
  const std::string use = "slot_store $0, %w\n", use_ticket = "slot_store $0, %t\n";
  EXPECT_EQ(tables(rmw(kAdd) + look + use), kAdds) << "once";
  EXPECT_EQ(tables(rmw(kAdd) + loop(look + use)), kNone);
  EXPECT_EQ(tables(loop(rmw(kAdd) + take + use_ticket)), kNone);
  EXPECT_EQ(tables(loop(rmw(kAdd) + take)).size(), 2u) << "nobody looks at the number";
}

}  // namespace
}  // namespace cuda_device::analysis::testing
