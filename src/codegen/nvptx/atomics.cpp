#include "codegen/nvptx/atomics.h"

#include "ir/atomic.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

using ir::AtomicKind;
using ir::AtomicSpec;
using ir::Inst;
using ir::MemoryOrder;
using ir::Op;
using ir::ThreadScope;
using llvm::Value;

std::string scope_of(const AtomicSpec& spec) {
  switch (spec.scope) {
    case ThreadScope::Thread:
    case ThreadScope::Block:
      return ".cta";
    case ThreadScope::Device:
      return ".gpu";
    case ThreadScope::System:
      return ".sys";
  }
  CD_UNREACHABLE("unknown scope");
}

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel ||
         order == MemoryOrder::SeqCst;
}

// The order of the access, which has a fence in front where it is sequentially consistent.
std::string order_of(const AtomicSpec& spec, const char* sequential) {
  if (!spec.concurrent()) return ".relaxed";
  if (spec.order == MemoryOrder::SeqCst) return sequential;
  return "." + std::string(ir::kMemoryOrders[static_cast<size_t>(spec.order)]);
}

std::string space_of(Value* pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
    case 1:
      return ".global";
    case 3:
      return ".shared";
    default:
      return "";
  }
}

// The instruction that adds, combines or compares numbers of this kind in memory; empty: there is
// none.
std::string instruction_of(AtomicKind kind, ScalarKind element) {
  const std::string bits = std::to_string(bits_of(element));
  const std::string number = (is_signed_int(element) ? ".s" : ".u") + bits;
  switch (kind) {
    case AtomicKind::Exch:
      return ".exch.b" + bits;
    case AtomicKind::Add:
    case AtomicKind::Sub:  // of the negative
      if (is_float(element)) return ".add.f" + bits;
      return bits == "64" ? ".add.u64" : ".add" + number;
    case AtomicKind::And:
      return ".and.b" + bits;
    case AtomicKind::Or:
      return ".or.b" + bits;
    case AtomicKind::Xor:
      return ".xor.b" + bits;
    case AtomicKind::Max:
    case AtomicKind::NanMax:
      return is_float(element) ? "" : ".max" + number;
    case AtomicKind::Min:
    case AtomicKind::NanMin:
      return is_float(element) ? "" : ".min" + number;
  }
  CD_UNREACHABLE("unknown kind of atomic operation");
}

char constraint_of(llvm::Type* type) {
  if (type->isFloatTy()) return 'f';
  if (type->isDoubleTy()) return 'd';
  return type->isIntegerTy(64) ? 'l' : type->isIntegerTy(32) ? 'r' : 'h';
}

class Emitter {
 public:
  Emitter(EmitContext& c, const Inst& inst, Value* pointer)
      : c_(c), b_(c.b), inst_(inst), spec_(*AtomicSpec::decoded(inst.imm)), pointer_(pointer) {}

  Value* run() {
    if (spec_.order == MemoryOrder::SeqCst && spec_.concurrent())
      assembly("fence.sc" + scope_of(spec_) + ";", b_.getVoidTy(), {});
    switch (inst_.op) {
      case Op::AtomicLoad:
        return value(load(pointer_, bits(), order_of(spec_, ".acquire")));
      case Op::AtomicStore:
        store();
        return nullptr;
      case Op::AtomicRmw:
        return rmw();
      case Op::AtomicCas:
        return value(bits() < 32 ? swapped_in_word(number(2), number(1))
                                 : swapped(pointer_, number(2), number(1)));
      case Op::AtomicLoadPair:
        return load_pair();
      case Op::AtomicStorePair:
        store_pair();
        return nullptr;
#define OP(name, ...) case Op::name:
#define ATOMIC(...)
#include "ir/op.def"
        break;
    }
    CD_UNREACHABLE("no atomic operation");
  }

 private:
  ScalarKind kind() const { return inst_.operands[0]->type.scalar(); }
  unsigned bits() const { return static_cast<unsigned>(bits_of(kind())); }
  llvm::Type* integer() { return b_.getIntNTy(bits()); }

  // An operand, counted from the last, which is 1; as its bits.
  Value* operand(size_t from_end) { return c_.operand(inst_, inst_.operands.size() - from_end); }
  Value* number(size_t from_end) { return b_.CreateBitCast(operand(from_end), integer()); }
  // Bits as the element's type.
  Value* value(Value* number) { return b_.CreateBitCast(number, c_.type(kind())); }

  Value* assembly(const std::string& text, llvm::Type* result, llvm::ArrayRef<Value*> operands,
                  const std::string& outputs = "") {
    std::vector<llvm::Type*> types;
    std::string constraints = outputs;
    for (const Value* operand : operands) {
      types.push_back(operand->getType());
      constraints += std::string(constraints.empty() ? "" : ",") + constraint_of(types.back());
    }
    constraints += std::string(constraints.empty() ? "" : ",") + "~{memory}";
    auto* type = llvm::FunctionType::get(result, types, false);
    llvm::CallInst* call =
        b_.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, true), operands);
    call->setDoesNotThrow();
    return call;
  }

  std::string place() const { return scope_of(spec_) + space_of(pointer_); }
  static Value* address(llvm::IRBuilder<>& b, Value* pointer) {
    return b.CreatePtrToInt(pointer, b.getInt64Ty());
  }

  // Registers have 16 bits at least.
  Value* load(Value* at, unsigned wide, const std::string& order) {
    llvm::Type* in_register = b_.getIntNTy(std::max(wide, 16U));
    Value* loaded =
        assembly("ld" + order + place() + ".b" + std::to_string(wide) + " $0, [$1];", in_register,
                 {address(b_, at)}, std::string("=") + constraint_of(in_register));
    return b_.CreateTrunc(loaded, b_.getIntNTy(wide));
  }

  void store() {
    Value* stored = b_.CreateZExt(number(1), b_.getIntNTy(std::max(bits(), 16U)));
    assembly(
        "st" + order_of(spec_, ".relaxed") + place() + ".b" + std::to_string(bits()) + " [$0], $1;",
        b_.getVoidTy(), {address(b_, pointer_), stored});
  }

  Value* atom(const std::string& operation, Value* at, llvm::ArrayRef<Value*> operands) {
    std::string text = "atom" + order_of(spec_, ".acquire") + place() + operation + " $0, [$1]";
    std::vector<Value*> all = {address(b_, at)};
    for (Value* operand : operands) {
      text += ", $" + std::to_string(all.size() + 1);
      all.push_back(operand);
    }
    llvm::Type* type = operands[0]->getType();
    return assembly(text + ";", type, all, std::string("=") + constraint_of(type));
  }

  Value* swapped(Value* at, Value* expected, Value* wanted) {
    const unsigned wide = expected->getType()->getIntegerBitWidth();
    return atom(".cas.b" + std::to_string(wide), at, {expected, wanted});
  }

  Value* rmw() {
    if (bits() < 32) return value(swapped_in_word(nullptr, number(1)));
    const std::string instruction = instruction_of(spec_.kind, kind());
    if (instruction.empty()) return value(in_a_loop());
    Value* given = spec_.kind == AtomicKind::Exch ? number(1) : operand(1);
    if (spec_.kind == AtomicKind::Sub) given = c_.arithmetic.emit(Op::Neg, kind(), kind(), {given});
    Value* old = atom(instruction, pointer_, {given});
    return spec_.kind == AtomicKind::Exch ? value(old) : old;
  }

  // attempt(old) gives what is wanted in place of the old value; null: nothing, the loop ends.
  // Goes on while another thread is faster.
  template <class Wanted>
  Value* compare_and_swap(Value* at, unsigned wide, Wanted&& wanted) {
    Value* first =
        load(at, wide, acquires(spec_.order) && spec_.concurrent() ? ".acquire" : ".relaxed");
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = c_.new_block("swap"),
                     *swap = c_.new_block("swap_now"), *done = c_.new_block("swapped");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* old = b_.CreatePHI(first->getType(), 2);
    old->addIncoming(first, before);
    const auto [next, differs] = wanted(old);
    if (differs)
      b_.CreateCondBr(differs, done, swap);
    else
      b_.CreateBr(swap);
    llvm::BasicBlock* asked = b_.GetInsertBlock();
    b_.SetInsertPoint(swap);
    Value* found = swapped(at, old, next);
    b_.CreateCondBr(b_.CreateICmpEQ(found, old), done, loop);
    old->addIncoming(found, swap);
    b_.SetInsertPoint(done);
    llvm::PHINode* result = b_.CreatePHI(first->getType(), 2);
    result->addIncoming(old, swap);
    if (differs) result->addIncoming(old, asked);
    return result;
  }

  Value* in_a_loop() {
    return compare_and_swap(pointer_, bits(), [&](Value* old) -> std::pair<Value*, Value*> {
      Value* x = b_.CreateBitCast(old, c_.type(kind()));
      Value* y = operand(1);
      Value* next = c_.arithmetic.emit(ir::op_of(spec_.kind), kind(), kind(), {x, y});
      if (ir::replaces_nan(spec_.kind))
        next =
            b_.CreateSelect(c_.arithmetic.emit(Op::IsNan, kind(), ScalarKind::Bool, {x}), y, next);
      return {b_.CreateBitCast(next, integer()), nullptr};
    });
  }

  // A part of an aligned word of 32 bits; `expected` null: whatever it holds.
  Value* swapped_in_word(Value* expected, Value* wanted) {
    llvm::Type* word = b_.getInt32Ty();
    Value* at = address(b_, pointer_);
    Value* low = b_.CreateAnd(at, b_.getInt64(3));
    Value* base = b_.CreateGEP(b_.getInt8Ty(), pointer_, b_.CreateNeg(low));
    Value* shift = b_.CreateShl(b_.CreateTrunc(low, word), b_.getInt32(3));
    Value* part = b_.CreateShl(b_.getInt32(static_cast<uint32_t>((1U << bits()) - 1)), shift);
    Value* placed = b_.CreateShl(b_.CreateZExt(wanted, word), shift);
    Value* old = compare_and_swap(base, 32, [&](Value* whole) -> std::pair<Value*, Value*> {
      Value* next = b_.CreateOr(b_.CreateAnd(whole, b_.CreateNot(part)), placed);
      if (!expected) return {next, nullptr};
      Value* held = b_.CreateTrunc(b_.CreateLShr(whole, shift), integer());
      return {next, b_.CreateICmpNE(held, expected)};
    });
    return b_.CreateTrunc(b_.CreateLShr(old, shift), integer());
  }

  Value* load_pair() {
    llvm::Type* half = b_.getInt64Ty();
    Value* both = assembly("{ .reg .b128 pair; ld" + order_of(spec_, ".acquire") + place() +
                               ".b128 pair, [$2]; mov.b128 {$0, $1}, pair; }",
                           llvm::StructType::get(half, half), {address(b_, pointer_)}, "=l,=l");
    c_.second[&inst_] = b_.CreateExtractValue(both, 1);
    return b_.CreateExtractValue(both, 0);
  }

  void store_pair() {
    assembly("{ .reg .b128 pair; mov.b128 pair, {$1, $2}; st" + order_of(spec_, ".relaxed") +
                 place() + ".b128 [$0], pair; }",
             b_.getVoidTy(), {address(b_, pointer_), operand(2), operand(1)});
  }

  EmitContext& c_;
  llvm::IRBuilder<>& b_;
  const Inst& inst_;
  const AtomicSpec spec_;
  Value* pointer_;
};

}  // namespace

Value* emit_atomic(EmitContext& c, const Inst& inst, Value* pointer) {
  return Emitter(c, inst, pointer).run();
}

void emit_fence(EmitContext& c, const Inst& inst) {
  const AtomicSpec spec = *AtomicSpec::decoded(inst.imm);
  if (!spec.orders()) return;
  const char* order = spec.order == MemoryOrder::SeqCst ? "fence.sc" : "fence.acq_rel";
  auto* type = llvm::FunctionType::get(c.b.getVoidTy(), false);
  c.b.CreateCall(type, llvm::InlineAsm::get(type, order + scope_of(spec) + ";", "~{memory}", true));
}

}  // namespace cuda_device::codegen::nvptx
