// What the names of intrinsics.def do when they are called. Each gets an evaluated call.
#pragma once

#include "frontend/calls/calls.h"

namespace cuda_device::frontend {

using HandlerSignature = Value(Context& ctx, const Arguments& a, const Intrinsic& i);

// --- builtins.cpp: Python's builtin functions, positions, bits ---
HandlerSignature call_abs, call_min_max, call_round, call_pow, call_divmod, call_len, call_range,
    call_tuple, call_tid, call_bits;

// --- math.cpp ---
HandlerSignature call_math, call_math2, call_hypot, call_classify, call_isclose, call_log,
    call_degrees, call_radians, call_ldexp, call_frexp, call_modf, call_gcd, call_fma,
    call_device_fma, call_cbrt;

// --- arrays/memory.cpp, arrays/barriers.cpp ---
HandlerSignature call_local_array, call_shared_array, call_dynamic_shared, call_syncthreads,
    call_vote;

// --- print.cpp ---
HandlerSignature call_print;

}  // namespace cuda_device::frontend
