// Operands that make trouble: ends of ranges, zeros, NaN, halves, numbers between two formats.
#pragma once

#include "unit/codegen/op_cases.h"

namespace cuda_device::codegen::test {

// For kernel_of(cases): every pair of troublesome numbers as x and y, then random ones.
TestArguments troublesome_arguments(const OpCases& cases);
uint32_t operand_sets();  // elements of each array

}  // namespace cuda_device::codegen::test
