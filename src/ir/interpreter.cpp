#include "ir/interpreter.h"

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "ir/turns.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

void check_arguments(const Function& f, const std::vector<Argument>& arguments) {
  CD_CHECK(arguments.size() == f.params.size(), "wrong number of arguments");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type type = f.params[i].type;
    const size_t ndim = type.is_array() ? type.ndim : 0;
    const ArrayArgument& array = arguments[i].array;
    CD_CHECK(array.shape.size() == ndim && array.strides.size() == ndim,
             "argument " + std::to_string(i) + " is no " + to_string(type));
  }
}

std::vector<int64_t> scalars_of(const Function& f, const std::vector<Argument>& arguments) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type type = f.params[i].type;
    const int64_t value = arguments[i].scalar;
    const bool integral = type.is_int() || type.is_bool();
    out.push_back(integral ? canonical(type.scalar(), value) : value);
  }
  return out;
}

}  // namespace

void interpret(const Function& f, const std::vector<Argument>& arguments, const Grid& grid,
               uint64_t max_steps, LaunchReport* report, const OpaqueCall& opaque,
               const Schedule& schedule) {
  verify_or_throw(f, "all that came before the interpreter");
  check_arguments(f, arguments);
  CD_CHECK(!f.launch.has_block() || f.launch.block == grid.block,
           "the kernel is specialised for another block shape");
  const DefaultFloatEnvironment environment;
  const StepCode code = flatten(f, scalars_of(f, arguments));
  Launch launch{
      .code = code, .arguments = arguments, .grid = grid, .report = report, .opaque = opaque};
  for (const PrintFormat& format : f.formats) launch.printers.emplace_back(format);
  run_blocks(launch, max_steps, schedule);
}

}  // namespace cuda_device::ir
