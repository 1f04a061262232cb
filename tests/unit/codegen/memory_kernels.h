// Kernels that move elements, as IR text, and arrays to move.
#pragma once

#include <string>

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {

inline constexpr char kNoFacts[] = "";
inline constexpr char kAllFacts[] = "unit_inner contiguous element_aligned fits_31 no_alias";

std::string replaced(std::string text, const std::string& what, const std::string& by);

// Elements that differ from their neighbours.
TestArray numbered(ScalarKind kind, std::vector<int64_t> shape);

// a[y, x] = b[y, x] for the threads inside of a, a thread for each element. `launch` is a line of
// facts, or empty.
std::string copy_2d(ScalarKind kind, const std::string& launch, const std::string& facts);

// a[%to] = b[%from] for 0 <= %t < extent of a, where the thread's number is %t + `shift`. `indices`
// are instructions that define %from and %to out of the int64 values %t, %n, %zero, %one, %two,
// %four and the array %index of int32.
std::string move_1d(ScalarKind kind, const std::string& facts, const std::string& indices,
                    int shift = 0);
inline constexpr uint32_t kMoveBlock = 64;

// Values of %from and %to.
inline constexpr char kStraight[] = "%from = add %t, %zero : int64 %to = add %t, %zero : int64";
inline constexpr char kGather[] =
    "%i = load %index, %t : int32 %from = convert %i : int64 %to = add %t, %zero : int64";
inline constexpr char kScatter[] =
    "%i = load %index, %t : int32 %to = convert %i : int64 %from = add %t, %zero : int64";

}  // namespace cuda_device::codegen::test
