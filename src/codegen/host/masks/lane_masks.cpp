#include "codegen/host/masks/lane_masks.h"

#include "codegen/emit_types.h"
#include "support/check.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::Instruction;
using llvm::Value;

bool is_mask(const Value* value) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type && type->getElementType()->isIntegerTy(1);
}

class LaneMasks {
 public:
  LaneMasks(llvm::Function& function, unsigned native) : function_(function), native_(native) {}

  void run() {
    // Definitions before uses, but for phis.
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (Instruction& i : *block) all_.push_back(&i);
    for (Instruction* i : all_)
      if (is_mask(i)) masks_.push_back(i);
    for (Instruction* mask : masks_) wide_[mask] = widen(*mask);
    for (Instruction* mask : masks_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) connect(*phi);
    for (Instruction* i : all_)
      if (!is_rewritten(i)) use_wide(*i);
    erase_old();
  }

 private:
  // Masks that are computed from masks; the others, compares for the most part, are extended.
  static bool is_rewritten(const Instruction* i) {
    if (!is_mask(i)) return false;
    switch (i->getOpcode()) {
      case Instruction::PHI:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
      case Instruction::Select:
      case Instruction::ShuffleVector:
      case Instruction::Freeze:
        return true;
      default:
        return false;
    }
  }

  llvm::Type* wide_type(const Value* mask) {
    return with_lanes_of(mask->getType(), llvm::Type::getInt32Ty(function_.getContext()));
  }

  Value* wide(Value* mask) {
    if (auto found = wide_.find(mask); found != wide_.end()) return found->second;
    auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
    CD_CHECK(constant, "a mask that nothing defines");
    llvm::SmallVector<llvm::Constant*, kMostLanes> lanes;
    for (unsigned lane = 0; lane < lanes_of(mask->getType()); ++lane) {
      llvm::Constant* bit = constant->getAggregateElement(lane);
      const bool set = bit && bit->isOneValue();
      lanes.push_back(llvm::ConstantInt::getSigned(wide_type(mask)->getScalarType(), set ? -1 : 0));
    }
    return llvm::ConstantVector::get(lanes);
  }

  Value* widen(Instruction& mask) {
    llvm::IRBuilder<> b(&mask);
    auto operand = [&](unsigned i) { return wide(mask.getOperand(i)); };
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&mask))
      return b.CreatePHI(wide_type(&mask), phi->getNumIncomingValues());
    if (auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(&mask); logic && is_rewritten(&mask))
      return b.CreateBinOp(logic->getOpcode(), operand(0), operand(1));
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&mask)) {
      Value* condition = select->getCondition();
      if (is_mask(condition)) condition = narrow(b, condition);
      return b.CreateSelect(condition, operand(1), operand(2));
    }
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&mask))
      return b.CreateShuffleVector(operand(0), operand(1), shuffle->getShuffleMask());
    if (llvm::isa<llvm::FreezeInst>(mask)) return b.CreateFreeze(operand(0));
    b.SetInsertPoint(mask.getParent(), std::next(mask.getIterator()));
    return b.CreateSExt(&mask, wide_type(&mask));
  }

  void connect(llvm::PHINode& phi) {
    auto* widened = llvm::cast<llvm::PHINode>(wide_[&phi]);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      widened->addIncoming(wide(phi.getIncomingValue(i)), phi.getIncomingBlock(i));
  }

  // As a vector of i1 again, next to its use, where the back end takes the sign for the mask.
  Value* narrow(llvm::IRBuilder<>& b, Value* mask) {
    Value* lanes = wide(mask);
    return b.CreateICmpSLT(lanes, llvm::Constant::getNullValue(lanes->getType()));
  }

  // A compare serves the uses in its own block as it is.
  bool stays(const Value* mask, const Instruction& user) const {
    auto* i = llvm::dyn_cast<Instruction>(mask);
    return !i || (!is_rewritten(i) && i->getParent() == user.getParent());
  }

  void use_wide(Instruction& user) {
    if (is_extension_of_ours(user)) return;
    for (llvm::Use& use : user.operands()) {
      Value* mask = use.get();
      if (!is_mask(mask) || stays(mask, user)) continue;
      llvm::IRBuilder<> b(&user);
      if (Value* instead = replacement(b, user, mask)) {
        user.replaceAllUsesWith(instead);
        return;
      }
      use.set(narrow(b, mask));
    }
  }

  bool is_extension_of_ours(Instruction& user) {
    if (user.getNumOperands() != 1) return false;
    auto found = wide_.find(user.getOperand(0));
    return found != wide_.end() && found->second == &user;
  }

  // What replaces a user that is better made from the wide mask itself; null: nothing.
  Value* replacement(llvm::IRBuilder<>& b, Instruction& user, Value* mask) {
    Value* lanes = wide(mask);
    llvm::Type* type = user.getType();
    if (llvm::isa<llvm::SExtInst>(user)) return b.CreateSExtOrTrunc(lanes, type);
    if (llvm::isa<llvm::ZExtInst>(user))
      return b.CreateAnd(b.CreateSExtOrTrunc(lanes, type), llvm::ConstantInt::get(type, 1));
    if (llvm::isa<llvm::BitCastInst>(user)) compare_one_register(user, lanes);
    return nullptr;
  }

  // Compares of the mask as a number with none set, or all: the parts of the mask come together
  // lane by lane first.
  void compare_one_register(Instruction& bits, Value* lanes) {
    llvm::SmallVector<llvm::ICmpInst*, 4> compares;
    for (llvm::User* user : bits.users())
      if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user); compare && compare->isEquality())
        compares.push_back(compare);
    for (llvm::ICmpInst* compare : compares) {
      auto* number = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
      if (!number || !(number->isZero() || number->isMinusOne())) continue;
      llvm::IRBuilder<> b(compare);
      Value* merged = merge(b, lanes, number->isZero());
      Value* signs = b.CreateICmpSLT(merged, llvm::Constant::getNullValue(merged->getType()));
      llvm::Type* as_number = b.getIntNTy(lanes_of(merged->getType()));
      Value* same = llvm::ConstantInt::getSigned(as_number, number->isZero() ? 0 : -1);
      compare->replaceAllUsesWith(
          b.CreateICmp(compare->getPredicate(), b.CreateBitCast(signs, as_number), same));
    }
  }

  Value* merge(llvm::IRBuilder<>& b, Value* lanes, bool any) {
    for (unsigned count = lanes_of(lanes->getType()); count > native_; count /= 2) {
      llvm::SmallVector<int, kMostLanes> low, high;
      for (unsigned i = 0; i < count / 2; ++i) {
        low.push_back(static_cast<int>(i));
        high.push_back(static_cast<int>(i + count / 2));
      }
      Value *x = b.CreateShuffleVector(lanes, low), *y = b.CreateShuffleVector(lanes, high);
      lanes = any ? b.CreateOr(x, y) : b.CreateAnd(x, y);
    }
    return lanes;
  }

  // Masks that only each other use.
  void erase_old() {
    for (Instruction* i : masks_)
      if (is_rewritten(i)) i->replaceAllUsesWith(llvm::PoisonValue::get(i->getType()));
    for (Instruction* i : masks_)
      if (is_rewritten(i)) i->eraseFromParent();
  }

  llvm::Function& function_;
  unsigned native_;
  std::vector<Instruction*> all_, masks_;
  llvm::DenseMap<Value*, Value*> wide_;
};

}  // namespace

void use_lane_masks(llvm::Function& function, unsigned native) {
  LaneMasks(function, native).run();
}

}  // namespace cuda_device::codegen::host
