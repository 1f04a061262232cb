// Every claim of the analysis, put to the test on random programs run lane by lane; the machine
// that runs them is itself held against the interpreter.
#include <cstdlib>

#include "unit/analysis/analysed.h"
#include "unit/analysis/gang_machine.h"
#include "unit/analysis/random_program.h"

namespace cuda_device::analysis::testing {
namespace {

struct Memory {
  explicit Memory(const RandomProgram& p) {
    for (int64_t i = 0; i < RandomProgram::kInput; ++i) {
      input.push_back(static_cast<int32_t>(i % 5 == 0 ? i : i * 2654435761));
    }
    int64_t threads = 1;
    for (size_t a = 0; a < 3; ++a) threads *= int64_t{p.grid.block[a]} * p.grid.grid[a];
    output.resize(static_cast<size_t>(threads * RandomProgram::kResults));
    arguments.resize(3);
    arguments[0].array = {reinterpret_cast<char*>(input.data()), {RandomProgram::kInput}, {4}};
    arguments[1].array = {reinterpret_cast<char*>(output.data()),
                          {threads, RandomProgram::kResults},
                          {8 * RandomProgram::kResults, 8}};
    arguments[2].scalar = 7;
  }
  Memory(const Memory&) = delete;
  std::vector<int32_t> input;
  std::vector<int64_t> output;
  std::vector<ir::Argument> arguments;
};

// Returns the number of claims tested.
uint64_t try_program(uint64_t seed) {
  const RandomProgram p = random_program(seed);
  const ir::Function& f = *p.function;
  EXPECT_EQ(ir::verify(f), std::vector<std::string>{}) << "seed " << seed;
  const Analysis a = analyse(f, 8U << seed % 4);
  Memory lanes(p), threads(p);
  GangMachine machine(f, a, lanes.arguments, p.grid);
  for (const std::string& failure : machine.run()) {
    ADD_FAILURE() << "seed " << seed << ": " << failure << "\n" << describe(f, a);
  }
  if (::testing::Test::HasFailure()) return 0;
  ir::interpret(f, threads.arguments, p.grid);
  EXPECT_EQ(lanes.output, threads.output) << "seed " << seed << "\n" << ir::print(f);
  return machine.checked();
}

// CD_ANALYSIS_PROGRAMS sets the number of programs, CD_ANALYSIS_SEED the first seed.
uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Claims, HoldOnRandomPrograms) {
  const uint64_t first = setting("CD_ANALYSIS_SEED", 1);
  const uint64_t count = setting("CD_ANALYSIS_PROGRAMS", 1500);
  uint64_t checked = 0;
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    checked += try_program(seed);
  }
  EXPECT_TRUE(HasFailure() || checked > 100 * count) << "the programs say too little: " << checked;
  RecordProperty("claims", static_cast<int>(checked / count));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
