#include "unit/codegen/nvptx_on_cpu.h"

#include <gtest/gtest.h>

#include "codegen/emit_machine.h"
#include "codegen/host/machine/link.h"
#include "codegen/host/machine/target.h"
#include "codegen/nvptx/kernel.h"
#include "unit/codegen/array_compare.h"
#include "unit/codegen/op_cases.h"

namespace cuda_device::codegen::test {
namespace {

namespace id = llvm::Intrinsic;
using llvm::Value;

// Registers as words: tid, ntid, ctaid, nctaid, x y z each, then laneid.
const std::pair<id::ID, unsigned> kRegisters[] = {
    {id::nvvm_read_ptx_sreg_tid_x, 0},     {id::nvvm_read_ptx_sreg_tid_y, 1},
    {id::nvvm_read_ptx_sreg_tid_z, 2},     {id::nvvm_read_ptx_sreg_ntid_x, 3},
    {id::nvvm_read_ptx_sreg_ntid_y, 4},    {id::nvvm_read_ptx_sreg_ntid_z, 5},
    {id::nvvm_read_ptx_sreg_ctaid_x, 6},   {id::nvvm_read_ptx_sreg_ctaid_y, 7},
    {id::nvvm_read_ptx_sreg_ctaid_z, 8},   {id::nvvm_read_ptx_sreg_nctaid_x, 9},
    {id::nvvm_read_ptx_sreg_nctaid_y, 10}, {id::nvvm_read_ptx_sreg_nctaid_z, 11},
    {id::nvvm_read_ptx_sreg_laneid, 12}};

const id::ID kToSigned[] = {id::nvvm_f2i_rz, id::nvvm_f2ll_rz, id::nvvm_d2i_rz, id::nvvm_d2ll_rz};
const id::ID kToUnsigned[] = {id::nvvm_f2ui_rz, id::nvvm_f2ull_rz, id::nvvm_d2ui_rz,
                              id::nvvm_d2ull_rz};

// The kernel with one more parameter, the registers.
llvm::Function* with_registers(llvm::Function& kernel) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::SmallVector<llvm::Type*, 8> types(kernel.getFunctionType()->params());
  types.push_back(llvm::PointerType::get(context, 0));
  auto* f =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                             llvm::GlobalValue::InternalLinkage, "thread", *kernel.getParent());
  for (unsigned i = 0; i < kernel.arg_size(); ++i)
    kernel.getArg(i)->replaceAllUsesWith(f->getArg(i));
  f->splice(f->begin(), &kernel);
  kernel.eraseFromParent();
  return f;
}

Value* on_cpu(llvm::IntrinsicInst& call, Value* registers) {
  llvm::IRBuilder<> b(&call);
  for (const auto& [which, word] : kRegisters) {
    if (call.getIntrinsicID() != which) continue;
    return b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), registers, word));
  }
  const auto convert = [&](id::ID to) {
    Value* x = call.getArgOperand(0);
    return b.CreateIntrinsic(to, {call.getType(), x->getType()}, {x});
  };
  if (llvm::is_contained(kToSigned, call.getIntrinsicID())) return convert(id::fptosi_sat);
  if (llvm::is_contained(kToUnsigned, call.getIntrinsicID())) return convert(id::fptoui_sat);
  return nullptr;
}

void replace_intrinsics(llvm::Function& f) {
  Value* registers = f.getArg(static_cast<unsigned>(f.arg_size()) - 1);
  llvm::SmallVector<llvm::IntrinsicInst*, 32> calls;
  for (llvm::BasicBlock& block : f) {
    for (llvm::Instruction& i : block) {
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) calls.push_back(call);
    }
  }
  for (llvm::IntrinsicInst* call : calls) {
    if (Value* v = on_cpu(*call, registers)) {
      call->replaceAllUsesWith(v);
      call->eraseFromParent();
    }
  }
}

// One counted loop: `body` gets the counter.
template <class Body>
void loop(llvm::IRBuilder<>& b, Value* first, Value* last, Body&& body) {
  llvm::Function* f = b.GetInsertBlock()->getParent();
  auto* before = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(b.getContext(), "head", f);
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "inside", f);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", f);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* counter = b.CreatePHI(b.getInt64Ty(), 2);
  counter->addIncoming(first, before);
  b.CreateCondBr(b.CreateICmpULT(counter, last), inside, after);
  b.SetInsertPoint(inside);
  body(counter);
  counter->addIncoming(b.CreateAdd(counter, b.getInt64(1)), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

// A function of type abi::HostEntry that runs `thread` for every thread of the blocks.
class Launcher {
 public:
  Launcher(llvm::Function& thread, const ir::Function& f, const abi::ParamLayout& layout)
      : thread_(thread), f_(f), layout_(layout), b_(thread.getContext()) {}

  llvm::Function* emit() {
    auto* pointer = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {pointer, pointer, b_.getInt64Ty(), b_.getInt64Ty()}, false);
    entry_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel",
                                    *thread_.getParent());
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "", entry_));
    registers_ = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt32Ty(), 13));
    arguments();
    for (unsigned axis = 0; axis < 3; ++axis) {
      grid_[axis] = dimension(axis, 9 + axis);
      block_[axis] = dimension(3 + axis, 3 + axis);
    }
    Value* threads = b_.CreateMul(block_[0], b_.CreateMul(block_[1], block_[2]));
    loop(b_, entry_->getArg(2), entry_->getArg(3), [&](Value* block) {
      place(block, grid_, 6);
      loop(b_, b_.getInt64(0), threads, [&](Value* thread) {
        place(thread, block_, 0);
        put(b_.CreateURem(thread, b_.getInt64(32)), 12);
        b_.CreateCall(&thread_, arguments_);
      });
    });
    b_.CreateRetVoid();
    return entry_;
  }

 private:
  void arguments() {
    for (unsigned i = 0; i < f_.params.size(); ++i) {
      Value* at = b_.CreateConstGEP1_32(b_.getInt8Ty(), entry_->getArg(0), layout_.slots[i].offset);
      llvm::Type* type = thread_.getFunctionType()->getParamType(i);
      arguments_.push_back(f_.params[i].type.is_array() ? at : b_.CreateLoad(type, at));
    }
    arguments_.push_back(registers_);
  }

  void put(Value* v, unsigned word) {
    Value* at = b_.CreateConstGEP1_32(b_.getInt32Ty(), registers_, word);
    b_.CreateStore(b_.CreateTrunc(v, b_.getInt32Ty()), at);
  }

  // Word `index` of the launch's dimensions, into a register.
  Value* dimension(unsigned index, unsigned word) {
    Value* at = b_.CreateConstGEP1_32(b_.getInt32Ty(), entry_->getArg(1), index);
    Value* v = b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), at), b_.getInt64Ty());
    put(v, word);
    return v;
  }

  void place(Value* number, const std::array<Value*, 3>& shape, unsigned word) {
    put(b_.CreateURem(number, shape[0]), word);
    Value* rows = b_.CreateUDiv(number, shape[0]);
    put(b_.CreateURem(rows, shape[1]), word + 1);
    put(b_.CreateUDiv(rows, shape[1]), word + 2);
  }

  llvm::Function& thread_;
  const ir::Function& f_;
  const abi::ParamLayout& layout_;
  llvm::IRBuilder<> b_;
  llvm::Function* entry_ = nullptr;
  Value* registers_ = nullptr;
  std::array<Value*, 3> grid_{}, block_{};
  llvm::SmallVector<Value*, 8> arguments_;
};

}  // namespace

abi::KernelImage compile_scalar_for_cpu(const ir::Function& given, bool optimised) {
  const std::unique_ptr<const ir::Function> legal = legalised(given);
  const ir::Function& f = *legal;
  abi::KernelImage image;
  describe(f, image);
  const host::Target target = host::target_of(MaskForm::Avx2, true, "");
  with_llvm({}, [&](llvm::LLVMContext& context) {
    Owned<llvm::TargetMachine> machine = make_target_machine(target.machine);
    Owned<llvm::Module> module(new llvm::Module("scalar", context));
    set_target(*module, *machine);
    llvm::Function* kernel = nvptx::emit_kernel(*module, f, analysis::analyse(f), "scalar");
    verify_or_throw(*module, "emission");
    llvm::Function* thread = with_registers(*kernel);
    replace_intrinsics(*thread);
    if (llvm::Function* opaque = module->getFunction("cd_opaque"))
      opaque->addFnAttr(llvm::Attribute::NonLazyBind);  // through the import table
    host::set_attributes(*thread, target);
    host::set_attributes(*Launcher(*thread, f, image.params).emit(), target);
    if (optimised) nvptx::optimise(*module, *machine, Effort::Full);
    verify_or_throw(*module, "the move to the CPU");
    host::link(emit_object(*module, *machine), "kernel", image);
  });
  return image;
}

void expect_scalar_same(const ir::Function& f, const TestArguments& arguments,
                        const ir::Grid& grid) {
  TestArguments expected = arguments;
  interpret(f, expected, grid);
  for (bool optimised : {false, true}) {
    TestArguments actual = arguments;
    LoadedImage(compile_scalar_for_cpu(f, optimised)).run(actual, grid);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto difference = first_difference(actual[i].array, expected[i].array);
      EXPECT_FALSE(difference) << "'" << f.params[i].name << "' "
                               << (optimised ? "after" : "before")
                               << " LLVM's passes: " << *difference;
    }
  }
}

}  // namespace cuda_device::codegen::test
