// Every operation on numbers, for every type it has: what op.def lists and the verifier accepts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {

struct OpCase {
  ir::Op op;
  ScalarKind operand;  // of Select: of operands 1 and 2; of Ldexp and Wrap: of operand 0
  ScalarKind result;
  std::string name() const;                  // "floordiv int32", "convert float32 uint8"
  ScalarKind operand_kind(int index) const;  // of each operand
  int operands() const { return ir::info(op).operands; }
};

using OpCases = std::vector<OpCase>;
OpCases all_op_cases();
// Targets compute in no float that is only stored: passes/simplify/legalise_floats.h.
bool is_for_targets(const OpCase& c);
// The function as targets get it: a copy without such arithmetic.
std::unique_ptr<ir::Function> legalised(const ir::Function& f);
// Those on operands of one type.
OpCases op_cases_of(ScalarKind operand, const std::function<bool(ir::Op)>& wanted);

// Every target gives the same bits, and none asks a library.
bool is_exact_everywhere(ir::Op op);

// Uniform: operands that all lanes share, one set for each block.
enum class OperandShape : uint8_t { Varying, Uniform };

// out[k][i] = cases[k](x[i], y[i], z[i]) for i below the extent of x; the cases have one type of
// operands. Parameters: x, y, z of it, one array each of bool, int32 and int64 for operands that
// are of those types whatever the case's, then the results.
std::unique_ptr<ir::Function> kernel_of(const OpCases& cases, OperandShape shape);

}  // namespace cuda_device::codegen::test
