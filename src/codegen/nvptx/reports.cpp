#include "codegen/nvptx/reports.h"

#include "codegen/thread/opaque.h"
#include "support/c_format.h"

namespace cuda_device::codegen::nvptx {
namespace {

using llvm::Value;
using thread::in_memory;

constexpr unsigned kGlobal = 1;  // the address space

Value* text(EmitContext& c, const std::string& characters) {
  Value* global = c.b.CreateGlobalString(characters, "text", kGlobal, c.kernel->getParent());
  return c.b.CreateAddrSpaceCast(global, c.b.getPtrTy());
}

// As it is given to a function of C with any number of arguments; eight bytes each.
Value* passed(EmitContext& c, const ir::Inst& print, const CArgument& argument) {
  const ScalarKind kind = print.operands[argument.value]->type.scalar();
  Value* value = c.operand(print, argument.value);
  switch (argument.as) {
    case CArgument::As::Bool:
      return c.b.CreateSelect(value, text(c, "True"), text(c, "False"));
    case CArgument::As::Double:
      return c.arithmetic.convert(kind, ScalarKind::F64, value);
    case CArgument::As::Integer:
      break;
  }
  return c.b.CreateIntCast(value, c.b.getInt64Ty(), is_signed_int(kind));
}

}  // namespace

// Inline assembly: LLVM knows of llvm.trap that nothing comes after, and cuts control flow there
// that ptxas would have to find again around barriers.
void emit_check(EmitContext& c, Value* holds) {
  llvm::BasicBlock *trap = c.new_block("trap"), *passed = c.new_block("passed");
  c.b.CreateCondBr(holds, passed, trap, llvm::MDBuilder(c.llvm()).createLikelyBranchWeights());
  c.b.SetInsertPoint(trap);
  auto* type = llvm::FunctionType::get(c.b.getVoidTy(), false);
  c.b.CreateCall(llvm::InlineAsm::get(type, "trap;", "~{memory}", /*hasSideEffects=*/true));
  c.b.CreateBr(passed);
  c.b.SetInsertPoint(passed);
}

static void emit_printf(EmitContext& c, const ir::Inst& print, const CFormat& format) {
  llvm::SmallVector<Value*, 8> arguments;
  for (const CArgument& one : format.arguments) arguments.push_back(passed(c, print, one));
  auto* pointer = c.b.getPtrTy();
  auto printf =
      c.kernel->getParent()->getOrInsertFunction("vprintf", c.b.getInt32Ty(), pointer, pointer);
  Value* memory = in_memory(c, arguments);
  c.b.CreateCall(printf, {text(c, format.text), memory});
}

// The call that the numbers choose.
static void emit_chosen(EmitContext& c, const ir::Inst& print, const CFormat& format) {
  if (format.alternatives.empty()) return emit_printf(c, print, format);
  Value* number = c.operand(print, format.number);
  llvm::BasicBlock* done = c.new_block("printed");
  for (size_t k = 0; k < format.alternatives.size(); ++k) {
    llvm::BasicBlock *here = c.new_block("print"), *next = c.new_block("other");
    c.b.CreateCondBr(c.b.CreateICmpEQ(number, llvm::ConstantInt::get(number->getType(), k)), here,
                     next);
    c.b.SetInsertPoint(here);
    emit_chosen(c, print, format.alternatives[k]);
    c.b.CreateBr(done);
    c.b.SetInsertPoint(next);
  }
  c.b.CreateBr(done);
  c.b.SetInsertPoint(done);
}

void emit_print(EmitContext& c, const ir::Inst& print) {
  emit_chosen(c, print, c_print(c.function.formats[static_cast<size_t>(print.imm)]).format);
}

}  // namespace cuda_device::codegen::nvptx
