// What the names of intrinsics.def do when they are called. Each gets an evaluated call. They
// stand in the files of their subjects: here and in arrays/.
#pragma once

#include "frontend/calls/calls.h"

namespace cuda_device::frontend {

using HandlerSignature = Value(Context& ctx, const Arguments& a, const Intrinsic& i);

HandlerSignature call_math, call_math2;
#define CALL(name, handler, ...) HandlerSignature handler;
#define CALL_OP(name, handler, ...) HandlerSignature handler;
#define NAMED(name, handler, ...) HandlerSignature handler;
#include "frontend/calls/intrinsics.def"

}  // namespace cuda_device::frontend
