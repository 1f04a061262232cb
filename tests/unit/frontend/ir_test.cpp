// The IR of small kernels, whole: goldens/*.txt. CD_UPDATE_GOLDENS=1 in the environment writes them
// anew.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "program_reader.h"
#include "support/render.h"

namespace cuda_device::frontend::testing {
namespace {

std::string ir_of(const Case& c) {
  try {
    const std::unique_ptr<ir::Function> f = lower(c.request());
    for (const std::string& wrong : ir::verify(*f)) ADD_FAILURE() << c.name << ": " << wrong;
    return ir::print(*f);
  } catch (const DiagnosticError& e) {
    return "error: " + render(e.diagnostics.at(0), c.program.files) + "\n";
  }
}

std::string errors_of(const Case& c) {
  try {
    lower(c.request());
    return "no error\n";
  } catch (const DiagnosticError& e) {
    std::string out;
    for (const Diagnostic& d : e.diagnostics) out += render(d, c.program.files) + "\n";
    return out;
  }
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void compare_with_golden(const std::string& name, std::string (*show)(const Case&)) {
  std::string found;
  for (const Case& c : read_cases(CD_TEST_PROGRAMS "/" + name + ".cases"))
    found += "=== " + c.name + "\n" + show(c);
  const std::string path = CD_TEST_GOLDENS "/" + name + ".txt";
  if (std::getenv("CD_UPDATE_GOLDENS")) std::ofstream(path) << found;
  EXPECT_EQ(found, read_file(path)) << "CD_UPDATE_GOLDENS=1 test_frontend writes " << path;
}

TEST(Goldens, ir) { compare_with_golden("ir_kernels", ir_of); }
TEST(Goldens, errors) { compare_with_golden("errors", errors_of); }

}  // namespace
}  // namespace cuda_device::frontend::testing
