// Non-temporal stores, in the machine code: whole lines of arrays that are written only.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "unit/codegen/long_tests.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

const std::string kBeyond = std::string(kAllFacts) + " beyond_cache";
const std::string kBeyondAligned = kBeyond + " aligned";

std::string assembly(const std::string& kernel, const Way& way) {
  std::string text;
  compile_way(*ir::parse(kernel), way, {nullptr, nullptr, &text});
  return text;
}

std::vector<std::string> lines_with(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::istringstream lines(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, wanted)) found.push_back(line);
  return found;
}

std::vector<std::string> nontemporal_stores(const std::string& text) {
  return lines_with(text, "\tv?movnt");
}

bool asks_where_lines_begin(const std::string& text) {
  return !lines_with(text, "\ttest[bwlq]\t\\$63,").empty();
}

uint64_t bytes_of_store(const std::string& line) {
  return line.find("%zmm") != std::string::npos   ? 64
         : line.find("%ymm") != std::string::npos ? 32
                                                  : 16;
}

// The line that a store writes, by its base, and the part of the line.
std::pair<std::string, int64_t> place_of_store(const std::string& line) {
  const std::string place = line.substr(line.find(", ") + 2);
  const int64_t offset = place[0] == '(' ? 0 : std::stoll(place);
  return {place.substr(place.find('(')) + std::to_string(offset / 64), offset % 64};
}

template <class Check>
void for_each_way(Check&& check) {
  for (const Way& way : every_way()) {
    if (!way.analysed) continue;
    SCOPED_TRACE(way.name());
    check(way);
  }
}

std::string straight(ScalarKind kind, const std::string& facts) {
  return move_1d(kind, facts, kStraight);
}

// As wide stores as the machine has, no line in part, and few lines begun at a time: a processor
// has ten buffers or more to put them together.
void expect_whole_lines(const std::string& text, const Way& way) {
  const std::vector<std::string> stores = nontemporal_stores(text);
  ASSERT_FALSE(stores.empty()) << text;
  const uint64_t width = vector_bytes(way.form);
  std::map<std::string, std::set<int64_t>> begun;
  for (const std::string& store : stores) {
    EXPECT_EQ(bytes_of_store(store), width) << store;
    const auto [line, part] = place_of_store(store);
    EXPECT_TRUE(begun[line].insert(part).second) << "twice: " << store << "\n" << text;
    if (begun[line].size() == 64 / width) begun.erase(line);
    EXPECT_LE(begun.size(), 4u) << text;
  }
  EXPECT_TRUE(begun.empty()) << text;
}

TEST(HostNontemporalStores, WholeRowsOfWholeLines) {
  for (ScalarKind kind : {ScalarKind::Bool, ScalarKind::U8, ScalarKind::I16, ScalarKind::F32,
                          ScalarKind::I64, ScalarKind::F64})
    for_each_way([&](const Way& way) {
      SCOPED_TRACE(std::string(name_of(kind)));
      const std::string text = assembly(straight(kind, kBeyond), way);
      const bool half = way.width * static_cast<unsigned>(bytes_of(kind)) < 64;
      if (!half) return expect_whole_lines(text, way);
      EXPECT_TRUE(nontemporal_stores(text).empty()) << text;
    });
}

TEST(HostNontemporalStores, RowsOfBlocks) {
  struct Case {
    const char* block;
    ScalarKind kind;
    bool past;
  };
  for (const Case& c :
       {Case{"32 8", ScalarKind::F32, true}, Case{"64 4", ScalarKind::F32, true},
        Case{"16 16", ScalarKind::F32, true}, Case{"8 8", ScalarKind::F32, false},
        Case{"8 8", ScalarKind::F64, true}, Case{"10 10", ScalarKind::F32, false},
        Case{"24 4", ScalarKind::F64, false}, Case{"16 16", ScalarKind::I16, false}})
    for_each_way([&](const Way& way) {
      SCOPED_TRACE(std::string(c.block) + " " + std::string(name_of(c.kind)));
      const std::string launch = std::string("launch block ") + c.block + " 1 grid_fits_31";
      const std::string text = assembly(copy_2d(c.kind, launch, kBeyond), way);
      if (c.past) return expect_whole_lines(text, way);
      EXPECT_TRUE(nontemporal_stores(text).empty()) << text;
    });
}

// What is not known when compiling, a branch asks: strides, and whether the array begins a line.
TEST(HostNontemporalStores, BeginsLines) {
  for_each_way([&](const Way& way) {
    EXPECT_TRUE(asks_where_lines_begin(assembly(straight(ScalarKind::F32, kBeyond), way)));
    EXPECT_FALSE(asks_where_lines_begin(assembly(straight(ScalarKind::F32, kBeyondAligned), way)));
    const std::string shifted = move_1d(ScalarKind::F32, kBeyondAligned, kStraight, 5);
    EXPECT_TRUE(asks_where_lines_begin(assembly(shifted, way))) << "from the sixth thread on";
    for (const char* block : {"32 8", "16 16"}) {
      const std::string launch = std::string("launch block ") + block + " 1 grid_fits_31";
      const std::string rows = copy_2d(ScalarKind::F32, launch, kBeyondAligned);
      EXPECT_TRUE(asks_where_lines_begin(assembly(rows, way))) << block;
    }
  });
}

TEST(HostNontemporalStores, NotWithoutTheFact) {
  for_each_way([&](const Way& way) {
    for (const char* facts : {kNoFacts, kAllFacts})
      EXPECT_TRUE(nontemporal_stores(assembly(straight(ScalarKind::F32, facts), way)).empty());
    const std::string overlapped = replaced(kBeyond, " no_alias", "");
    EXPECT_TRUE(nontemporal_stores(assembly(straight(ScalarKind::F32, overlapped), way)).empty());
  });
}

// The same code, to the letter.
TEST(HostNontemporalStores, OtherStoresStayAsTheyAre) {
  auto loaded = [](const std::string& facts) {
    return replaced(straight(ScalarKind::F32, facts), "load %b, %from", "load %a, %from");
  };
  for_each_way([&](const Way& way) {
    EXPECT_EQ(assembly(loaded(kBeyond), way), assembly(loaded(kAllFacts), way));
    const std::string one = "%from = add %t, %zero : int64 %to = add %zero, %zero : int64";
    for (const std::string& indices : {std::string(kScatter), one})
      EXPECT_EQ(assembly(move_1d(ScalarKind::F32, kBeyond, indices), way),
                assembly(move_1d(ScalarKind::F32, kAllFacts, indices), way));
  });
}

// What a function does before it returns.
const std::string kLeaving =
    "(\tvzeroupper\n|\tpopq.*\n|\t\\.cfi.*\n|\tadd.*%rsp\n|\tmovq\t%rbp, %rsp\n|\tleaq.*%rsp\n)*";

// They are in order with nothing but a fence, the last thing that the kernel does.
TEST(HostNontemporalStores, AFenceEndsTheKernel) {
  for_each_way([&](const Way& way) {
    const std::string text = assembly(straight(ScalarKind::F32, kBeyond), way);
    EXPECT_EQ(lines_with(text, "\tsfence").size(), lines_with(text, "\tretq").size()) << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\tsfence\n" + kLeaving + "\tretq"))) << text;
    EXPECT_LT(text.rfind("movnt"), text.find("\tsfence")) << text;
    EXPECT_TRUE(lines_with(assembly(straight(ScalarKind::F32, kAllFacts), way), "fence").empty());
  });
}

}  // namespace
}  // namespace cuda_device::codegen::test
