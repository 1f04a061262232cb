#include "codegen/thread/calls.h"

#include <algorithm>

namespace cuda_device::codegen::thread {
namespace {

llvm::Type* type_of_results(llvm::LLVMContext& context, const ir::Function& f) {
  llvm::SmallVector<llvm::Type*> types;
  for (const ir::Type result : f.results) types.push_back(register_type(context, result.scalar()));
  if (types.empty()) return llvm::Type::getVoidTy(context);
  return types.size() == 1 ? types[0] : llvm::StructType::get(context, types);
}

}  // namespace

llvm::Function* declare_called(llvm::Module& module, const ir::Function& f,
                               llvm::ArrayRef<llvm::Type*> environment) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*> types(environment);
  types.push_back(llvm::Type::getInt32Ty(context));
  for (size_t i = f.kernel_params(); i < f.params.size(); ++i)
    types.push_back(register_type(context, f.params[i].type.scalar()));
  types.append(f.lent.size(), llvm::PointerType::get(context, 0));
  auto* type = llvm::FunctionType::get(type_of_results(context, f), types, false);
  // No kernel has a $ in its symbol.
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, "called$", module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  return function;
}

void begin_called(EmitContext& c, size_t environment) {
  const auto depth = static_cast<unsigned>(environment);
  c.depth = c.kernel->getArg(depth);
  c.first_own = depth + 1;
}

void check_depth(EmitContext& c, Platform& platform) {
  platform.check(c.b.CreateICmpULE(c.depth, c.b.getInt32(ir::kMostNestedCalls)),
                 c.function.too_deep, nullptr);
}

bool is_own_parameter(const EmitContext& c, const ir::Inst& param) {
  return static_cast<size_t>(param.imm) >= c.function.kernel_params();
}

llvm::Value* own_parameter(const EmitContext& c, const ir::Inst& param) {
  const size_t own = static_cast<size_t>(param.imm) - c.function.kernel_params();
  return c.kernel->getArg(c.first_own + static_cast<unsigned>(own));
}

llvm::Value* lent_array(const EmitContext& c, uint32_t array) {
  const ir::Function& f = c.function;
  const size_t scalars = f.params.size() - f.kernel_params();
  const auto position = std::ranges::find(f.lent, array) - f.lent.begin();
  return c.kernel->getArg(c.first_own + static_cast<unsigned>(scalars) +
                          static_cast<unsigned>(position));
}

llvm::Value* emit_call(EmitContext& c, Platform& platform, Arrays& arrays, const ir::Inst& call) {
  llvm::SmallVector<llvm::Value*> arguments = platform.environment();
  llvm::Value* one = c.b.getInt32(1);
  arguments.push_back(c.depth ? c.b.CreateAdd(c.depth, one) : one);
  for (const ir::Inst* operand : call.operands)
    arguments.push_back(operand->type.is_array() ? arrays.data(*operand) : c.value(*operand));
  llvm::CallInst* made = c.b.CreateCall(c.called[static_cast<size_t>(call.imm)], arguments);
  c.calls[&call] = made;
  if (!made->getType()->isStructTy()) return made;
  return c.b.CreateExtractValue(made, 0);
}

llvm::Value* further_result(EmitContext& c, const ir::Inst& result) {
  return c.b.CreateExtractValue(c.calls.at(result.operands[0]), static_cast<unsigned>(result.imm));
}

void emit_return(EmitContext& c, const ir::Inst& inst) {
  if (inst.operands.empty()) {
    c.b.CreateRetVoid();
    return;
  }
  if (inst.operands.size() == 1) {
    c.b.CreateRet(c.operand(inst, 0));
    return;
  }
  llvm::Value* all = llvm::PoisonValue::get(c.kernel->getReturnType());
  for (unsigned k = 0; k < inst.operands.size(); ++k)
    all = c.b.CreateInsertValue(all, c.operand(inst, k), k);
  c.b.CreateRet(all);
}

}  // namespace cuda_device::codegen::thread
