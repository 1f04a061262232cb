#include "codegen/host/machine/emulation.h"

#include "codegen/host/control/emit_branch.h"
#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/masks/mask_form.h"
#include "codegen/host/memory/memory_form.h"
#include "support/check.h"

namespace cuda_device::codegen::host {
namespace {

namespace id = llvm::Intrinsic;
using ir::Op;
using llvm::Value;

class Emulation {
 public:
  Emulation(llvm::Module& module, const Target& there)
      : there_(there), b_(module.getContext()), arithmetic_(b_, module, there, false) {}

  void run(llvm::Function& function) {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) calls.push_back(call);
    for (llvm::CallInst* call : calls)
      if (const llvm::Function* called = call->getCalledFunction()) replace(*call, *called);
    set_attributes(function, there_);
  }

 private:
  void replace(llvm::CallInst& call, const llvm::Function& called) {
    const auto function = instead_of_avx512(called.getName().str(), there_);
    if (function)
      in_place_of(call, [&] {
        return arithmetic_.call_vector(*function, llvm::SmallVector<Value*, 2>(call.args()));
      });
    else if (called.isIntrinsic())
      replace_intrinsic(call, called.getIntrinsicID());
  }

  void replace_intrinsic(llvm::CallInst& call, llvm::Intrinsic::ID intrinsic) {
    const auto operand = [&](unsigned i) { return call.getArgOperand(i); };
    switch (intrinsic) {
      case id::masked_load:
        return in_place_of(call, [&] { return load(call, operand(0), operand(1), operand(2)); });
      case id::masked_store:
        return in_place_of(call, [&] { return store(operand(0), operand(1), operand(2)); });
      case id::x86_avx512_mask_gather_dps_512:
      case id::x86_avx512_mask_gather_dpi_512:
      case id::x86_avx512_mask_gather_dpd_512:
      case id::x86_avx512_mask_gather_dpq_512:
      case id::x86_avx512_mask_gather_qps_512:
      case id::x86_avx512_mask_gather_qpi_512:
      case id::x86_avx512_mask_gather_qpd_512:
      case id::x86_avx512_mask_gather_qpq_512:
        return in_place_of(call, [&] { return gather(call); });
      case id::x86_avx512_mask_scatter_dps_512:
      case id::x86_avx512_mask_scatter_dpi_512:
      case id::x86_avx512_mask_scatter_dpd_512:
      case id::x86_avx512_mask_scatter_dpq_512:
      case id::x86_avx512_mask_scatter_qps_512:
      case id::x86_avx512_mask_scatter_qpi_512:
      case id::x86_avx512_mask_scatter_qpd_512:
      case id::x86_avx512_mask_scatter_qpq_512:
        return in_place_of(call, [&] { return scatter(call); });
      case id::x86_avx512_mask_scalef_ps_512:
      case id::x86_avx512_mask_scalef_pd_512:
        return in_place_of(call, [&] {
          return arithmetic(Op::Scale, call, {operand(0), operand(1)}, operand(3));
        });
      case id::x86_avx512_mask_getexp_ps_512:
      case id::x86_avx512_mask_getexp_pd_512:
        return in_place_of(call,
                           [&] { return arithmetic(Op::Logb, call, {operand(0)}, operand(2)); });
      case id::x86_avx512_mask_getmant_ps_512:
      case id::x86_avx512_mask_getmant_pd_512:
        return in_place_of(
            call, [&] { return arithmetic(Op::Significand, call, {operand(0)}, operand(3)); });
      case id::x86_avx512_rcp14_ps_512:
      case id::x86_avx512_rsqrt14_ps_512:
        return in_place_of(call, [&] {
          const bool root = intrinsic == id::x86_avx512_rsqrt14_ps_512;
          Value* x = root ? b_.CreateUnaryIntrinsic(id::sqrt, operand(0)) : operand(0);
          return b_.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), x);
        });
      default:
        CD_CHECK(!call.getCalledFunction()->getName().starts_with("llvm.x86.avx512"),
                 call.getCalledFunction()->getName().str() + " has no emulation");
    }
  }

  // `make` may end blocks and begin others.
  template <class Make>
  void in_place_of(llvm::CallInst& call, Make&& make) {
    llvm::BasicBlock* before = call.getParent();
    llvm::BasicBlock* rest = before->splitBasicBlock(&call);
    before->getTerminator()->eraseFromParent();
    b_.SetInsertPoint(before);
    Value* result = make();
    b_.CreateBr(rest);
    if (result) call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }

  // The operations are defined as these instructions are, in every corner.
  Value* arithmetic(Op op, const llvm::CallInst& call, Arithmetic::Values operands, Value* mask) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
    CD_CHECK(constant && constant->isAllOnesValue(), "a masked instruction has no emulation");
    const ScalarKind kind = float_of(call.getType()->getScalarType());
    return arithmetic_.emit(op, kind, kind, operands);
  }

  ScalarKind float_of(const llvm::Type* type) {
    for (ScalarKind kind : kComputedFloats)
      if (register_type(b_.getContext(), kind) == type) return kind;
    CD_UNREACHABLE("an instruction on a type that is none of ours");
  }

  // Accesses memory as the form that is there does: what LLVM makes of masked loads for AVX2 reads
  // lanes that are off (22.1: a mask half of which is known to be off counts as on).
  template <class Access>
  Value* in_memory(llvm::Type* vector, Access&& access) {
    const auto form = MemoryForm::create(b_, there_, lanes_of(vector));
    return access(*form, Element{vector->getScalarType(), llvm::Align(1), nullptr, nullptr, false});
  }

  static Mask mask_of(Value* lanes) { return Mask::of(lanes, /*may_be_empty=*/true); }

  // What the form that is there does not mask: whole where all lanes are on, else lane by lane.
  Value* load(const llvm::CallInst& call, Value* pointer, Value* lanes, Value* otherwise) {
    return in_memory(call.getType(), [&](MemoryForm& form, const Element& e) {
      const Mask mask = mask_of(lanes);
      const auto whole = [&] { return form.load(e, pointer, Mask::all_lanes()); };
      const auto each = [&] { return form.load_scalarized(e, pointer, form.consecutive(e), mask); };
      Value* loaded = form.info().masks(e.bytes())
                          ? form.load(e, pointer, mask)
                          : emit_branch(b_, b_.CreateAndReduce(lanes), whole, each);
      return b_.CreateSelect(lanes, loaded, otherwise);
    });
  }

  Value* store(Value* value, Value* pointer, Value* lanes) {
    return in_memory(value->getType(), [&](MemoryForm& form, const Element& e) -> Value* {
      const Mask mask = mask_of(lanes);
      const auto whole = [&] { form.store(e, value, pointer, Mask::all_lanes()); };
      const auto each = [&] {
        form.store_scalarized(e, value, pointer, form.consecutive(e), mask);
      };
      if (form.info().masks(e.bytes()))
        form.store(e, value, pointer, mask);
      else
        emit_branch(b_, b_.CreateAndReduce(lanes), whole, each);
      return nullptr;
    });
  }

  static Offsets offsets_of(Value* numbers, const Value* scale) {
    return {numbers, static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(scale)->getZExtValue())};
  }

  Value* gather(const llvm::CallInst& call) {
    Value *pointer = call.getArgOperand(1), *lanes = call.getArgOperand(3);
    const Offsets offsets = offsets_of(call.getArgOperand(2), call.getArgOperand(4));
    return in_memory(call.getType(), [&](MemoryForm& form, const Element& e) {
      Value* gathered = form.gather(e, pointer, offsets, mask_of(lanes));
      return b_.CreateSelect(lanes, gathered, call.getArgOperand(0));
    });
  }

  Value* scatter(const llvm::CallInst& call) {
    Value* value = call.getArgOperand(3);
    const Offsets offsets = offsets_of(call.getArgOperand(2), call.getArgOperand(4));
    return in_memory(value->getType(), [&](MemoryForm& form, const Element& e) -> Value* {
      const Mask mask = mask_of(call.getArgOperand(1));
      form.store_scalarized(e, value, call.getArgOperand(0), offsets, mask);
      return nullptr;
    });
  }

  const Target& there_;
  llvm::IRBuilder<> b_;
  HostArithmetic arithmetic_;
};

}  // namespace

void emulate_avx512(llvm::Module& module, const Target& there) {
  Emulation emulation(module, there);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) emulation.run(function);
  apply_mask_form(module, there);
}

}  // namespace cuda_device::codegen::host
