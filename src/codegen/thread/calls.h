// Functions of the module that are called. One is a function of LLVM:
//
//   results(environment ..., int32 depth, parameters ..., addresses of the arrays that it is lent
//   ...)
//
// Its environment is the platform's; `depth` counts the calls that are nested in one another,
// itself among them; several results are a struct.
#pragma once

#include "codegen/thread/arrays.h"
#include "codegen/thread/platform.h"

namespace cuda_device::codegen::thread {

// Declares one, with nothing but its type and name. `environment`: the types.
llvm::Function* declare_called(llvm::Module& module, const ir::Function& f,
                               llvm::ArrayRef<llvm::Type*> environment);
// Its context is about to emit it.
void begin_called(EmitContext& c, size_t environment);

// Fails where the calls are nested too deep.
void check_depth(EmitContext& c, Platform& platform);
bool is_own_parameter(const EmitContext& c, const ir::Inst& param);
llvm::Value* own_parameter(const EmitContext& c, const ir::Inst& param);
// The first element of an array of the table that the callers lend.
llvm::Value* lent_array(const EmitContext& c, uint32_t array);

// The first result; another one.
llvm::Value* emit_call(EmitContext& c, Platform& platform, Arrays& arrays, const ir::Inst& call);
llvm::Value* further_result(EmitContext& c, const ir::Inst& result);
void emit_return(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::thread
