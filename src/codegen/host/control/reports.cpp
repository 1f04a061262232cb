#include "codegen/host/control/reports.h"

#include "codegen/host/machine/runtime_call.h"

namespace cuda_device::codegen::host {

using llvm::Value;

Value* Reports::bits(const Mask& mask) {
  return c_.b.CreateBitCast(c_.masks.lanes(mask), c_.b.getIntNTy(c_.width()));
}

Value* Reports::launch() { return c_.b.GetInsertBlock()->getParent()->getArg(1); }

llvm::CallInst* Reports::call(const char* name, llvm::ArrayRef<Value*> arguments,
                              llvm::Type* result) {
  return call_runtime(c_.b, c_.module, name, result ? result : c_.b.getVoidTy(), arguments);
}

// Where threads fail the kernel only calls: stores there to arrays that all checks share, and lanes
// taken out of vectors, cost LLVM the square of the number of checks, and a vector of stack each.
void Reports::fail(const ir::Inst& check, Value* lanes) {
  Value* lane = c_.b.CreateZExtOrTrunc(c_.masks.first_lane(lanes), c_.b.getInt32Ty());
  llvm::SmallVector<Value*, 16> arguments = {launch(),
                                             c_.b.getInt32(static_cast<uint32_t>(check.imm)), lane};
  llvm::append_range(arguments, position_.of_lane(lane));
  std::string name = "cd.report";  // no name of Python's
  for (size_t k = 1; k < check.operands.size(); ++k) {
    const ir::Inst& operand = *check.operands[k];
    const ScalarKind kind = operand.type.scalar();
    arguments.push_back(told(operand, lane));
    const bool vector = arguments.back()->getType()->isVectorTy();
    name += "." + std::string(name_of(kind)) + (vector ? "s" : "");
  }
  llvm::Function* report = c_.module.getFunction(name);
  if (!report) report = make_report(check, name, arguments);
  c_.b.CreateCall(report, arguments)->addFnAttr(llvm::Attribute::Cold);
  if (!c_.failed) c_.failed = c_.new_block("failed");
  c_.b.CreateBr(c_.failed);
}

// An operand of a check as its report takes it: bits, of all lanes or of this one.
Value* Reports::told(const ir::Inst& operand, Value* lane) {
  const ScalarKind kind = operand.type.scalar();
  const bool uniform = values_.of(operand).uniform();
  Value* value = uniform ? values_.scalar(operand, kind) : values_.vector(operand, kind);
  if (!uniform && operand.type.is_bool()) value = c_.b.CreateExtractElement(value, lane);
  return is_float(kind) ? c_.b.CreateBitCast(value, integer_like(value->getType())) : value;
}

// Tells the runtime about the lane that fails: its place, and the values of the message in it.
llvm::Function* Reports::make_report(const ir::Inst& check, const std::string& name,
                                     llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 16> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  const llvm::Function& kernel = *c_.b.GetInsertBlock()->getParent();
  auto* report = llvm::Function::Create(llvm::FunctionType::get(c_.b.getVoidTy(), types, false),
                                        llvm::Function::InternalLinkage, name, c_.module);
  report->addFnAttrs(llvm::AttrBuilder(c_.llvm(), kernel.getAttributes().getFnAttrs()));
  report->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c_.llvm(), "entry", report));
  constexpr unsigned kPlace = 3, kValues = kPlace + 6;
  const auto count = static_cast<uint32_t>(arguments.size() - kValues);
  auto* place = b.CreateAlloca(llvm::ArrayType::get(b.getInt32Ty(), kValues - kPlace));
  for (unsigned k = kPlace; k < kValues; ++k)
    b.CreateStore(report->getArg(k), b.CreateConstGEP1_64(b.getInt32Ty(), place, k - kPlace));
  auto* message = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), count));
  for (uint32_t k = 0; k < count; ++k) {
    Value* value = report->getArg(kValues + k);
    if (value->getType()->isVectorTy()) value = b.CreateExtractElement(value, report->getArg(2));
    const bool is_signed = is_signed_int(check.operands[k + 1]->type.scalar());
    b.CreateStore(b.CreateIntCast(value, b.getInt64Ty(), is_signed),
                  b.CreateConstGEP1_64(b.getInt64Ty(), message, k));
  }
  call_runtime(b, c_.module, "cd_kernel_failed", b.getVoidTy(),
               {report->getArg(0), report->getArg(1), place, b.getInt32(count), message});
  b.CreateRetVoid();
  return report;
}

// As the interpreter holds it, in 64 bits: a scalar, or of each lane.
Value* Reports::wide(ScalarKind kind, Value* value) {
  llvm::Type* type = c_.b.getInt64Ty();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  if (is_float(kind)) value = c_.b.CreateBitCast(value, integer_like(value->getType()));
  return is_signed_int(kind) ? c_.b.CreateSExt(value, type) : c_.b.CreateZExt(value, type);
}

Value* Reports::wide_vector(const ir::Inst& operand) {
  const ScalarKind kind = operand.type.scalar();
  return wide(kind, values_.vector(operand, kind));
}

// Lane after lane, for one operand after the other.
llvm::AllocaInst* Reports::operands_in_memory(const ir::Inst& inst) {
  const size_t count = std::max<size_t>(1, inst.operands.size()) * c_.width();
  auto* type = llvm::ArrayType::get(c_.b.getInt64Ty(), count);
  llvm::AllocaInst*& values = buffers_[count];
  if (!values) values = c_.variable(type, "operands");
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    Value* to = c_.b.CreateConstInBoundsGEP2_64(type, values, 0, i * c_.width());
    c_.b.CreateAlignedStore(wide_vector(*inst.operands[i]), to, llvm::Align(8));
  }
  return values;
}

void Reports::print(const ir::Inst& inst, const Mask& mask) {
  Value* values = operands_in_memory(inst);
  Value* lanes = c_.b.CreateZExtOrTrunc(bits(mask), c_.b.getInt64Ty());
  call("cd_kernel_prints", {launch(), c_.b.getInt32(static_cast<uint32_t>(inst.imm)),
                            c_.b.getInt32(c_.width()), lanes, values});
}

void Reports::opaque(const ir::Inst& inst, const Mask& mask) {
  llvm::Type* number = c_.b.getInt32Ty();
  Value* operands = operands_in_memory(inst);
  llvm::AllocaInst* answers =
      c_.variable(llvm::FixedVectorType::get(number, c_.width()), "answers");
  c_.b.CreateStore(llvm::Constant::getNullValue(answers->getAllocatedType()), answers);
  Value* asked = bits(mask);
  llvm::BasicBlock *before = c_.b.GetInsertBlock(), *lane = c_.new_block("opaque"),
                   *done = c_.new_block("opaque_done");
  c_.b.CreateBr(lane);
  c_.start(lane);
  llvm::PHINode* left = c_.b.CreatePHI(asked->getType(), 2);
  left->addIncoming(asked, before);
  Value* at = c_.b.CreateZExtOrTrunc(c_.masks.first_lane(left), c_.b.getInt64Ty());
  Value* answer = call("cd_opaque",
                       {c_.b.getInt64(static_cast<uint64_t>(inst.imm)),
                        c_.b.getInt32(static_cast<uint32_t>(inst.operands.size())),
                        c_.b.CreateGEP(c_.b.getInt64Ty(), operands, at), c_.b.getInt32(c_.width())},
                       number);
  c_.b.CreateStore(answer, c_.b.CreateGEP(number, answers, at));
  Value* rest =
      c_.b.CreateAnd(left, c_.b.CreateSub(left, llvm::ConstantInt::get(left->getType(), 1)));
  left->addIncoming(rest, c_.b.GetInsertBlock());
  c_.b.CreateCondBr(c_.b.CreateIsNotNull(rest), lane, done);
  c_.start(done);
  Value* all = c_.b.CreateLoad(answers->getAllocatedType(), answers);
  values_.define_vector(inst, ScalarKind::I32, all);
}

}  // namespace cuda_device::codegen::host
