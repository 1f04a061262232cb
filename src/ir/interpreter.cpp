#include "ir/interpreter.h"

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

using Index = std::array<uint32_t, 3>;

// In increasing order, x fastest.
template <class Action>
void for_each_index(const Index& extents, Action&& action) {
  Index i;
  for (i[2] = 0; i[2] < extents[2]; ++i[2]) {
    for (i[1] = 0; i[1] < extents[1]; ++i[1]) {
      for (i[0] = 0; i[0] < extents[0]; ++i[0]) action(i);
    }
  }
}

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
    out.push_back(integral ? canonical(type.scalar, value) : value);
  }
  return out;
}

void run_block(const Launch& launch, const Index& block, uint64_t max_steps) {
  for_each_index(launch.grid.block, [&](const Index& index) {
    Thread thread(launch, block, index);
    if (advance(launch, thread, max_steps) == Outcome::OutOfSteps) {
      throw InterpretError("kernel '" + launch.code.function->name + "' exceeded " +
                           std::to_string(max_steps) + " steps in one thread");
    }
  });
}

}  // namespace

void interpret(const Function& f, const std::vector<Argument>& arguments, const Grid& grid,
               uint64_t max_steps) {
  verify_or_throw(f, "all that came before the interpreter");
  check_arguments(f, arguments);
  CD_CHECK(!f.launch.has_block() || f.launch.block == grid.block,
           "the kernel is specialised for another block shape");
  const DefaultFloatEnvironment environment;
  const StepCode code = flatten(f, scalars_of(f, arguments));
  const Launch launch{code, arguments, grid};
  for_each_index(grid.grid, [&](const Index& block) { run_block(launch, block, max_steps); });
}

}  // namespace cuda_device::ir
