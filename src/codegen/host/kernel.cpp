#include "codegen/host/kernel.h"

#include "analysis/loops/scalarized_loops.h"
#include "codegen/host/control/block_control.h"
#include "codegen/host/control/loop_hints.h"
#include "ir/effects.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::Value;

// LLVM moves lanes by a constant within and across parts of 128 bits by two instructions a register
// where the CPU is not known to permute quickly, though one does it.
Target for_shuffles(const KernelSource& source) {
  Target target = source.target;
  if (target.form == MaskForm::Avx512 && ir::uses_warps(source.function))
    target.machine.features += ",+fast-variable-crosslane-shuffle";
  return target;
}

llvm::Function* declare_entry(llvm::Module& module, const KernelSource& source, const char* name) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* number = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, number, number}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  set_attributes(*function, for_shuffles(source));
  const char* names[] = {"params", "launch", "first", "last"};
  for (unsigned i = 0; i < 4; ++i) function->getArg(i)->setName(names[i]);
  for (unsigned i = 0; i < 2; ++i) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
    function->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  return function;
}

std::vector<bool> scalarized_loops(const KernelSource& source) {
  if (source.target.slow_gathers)
    return analysis::find_scalarized_loops(source.function, source.analysis);
  return std::vector<bool>(source.function.inst_count());
}

class Kernel {
 public:
  Kernel(llvm::Module& module, const KernelSource& source, llvm::Function& function)
      : emission_(module, source),
        c_(emission_),
        function_(function),
        launch_(c_, function),
        values_(c_),
        arena_(c_, launch_),
        arrays_(c_, values_, launch_, arena_),
        pure_(c_, values_, launch_, arrays_),
        position_(c_, values_, launch_),
        reports_(c_, values_, position_),
        warps_(c_, values_),
        slots_(c_, values_),
        exits_(find_exits(source.function)),
        guards_(analysis::find_guards(source.function, source.analysis)),
        scalarized_loops_(scalarized_loops(source)),
        runs_(analysis::block_runs(source.function, source.analysis)) {}

  uint32_t emit() {
    auto* entry = llvm::BasicBlock::Create(c_.llvm(), "entry", &function_);
    auto* start = llvm::BasicBlock::Create(c_.llvm(), "start", &function_);
    c_.entry.SetInsertPoint(entry);
    c_.start(start);
    c_.lines.open(function_, c_.b, c_.source.options.lines, c_.source.function.name);
    Prefetcher prefetcher(c_, arrays_);
    Access access(c_, values_, arrays_, prefetcher);
    BlockControl block({c_, values_, pure_, position_, slots_, access, reports_, warps_, launch_,
                        arrays_, prefetcher, exits_, guards_, scalarized_loops_},
                       arena_);
    block_ = &block;
    slots_.create();
    arrays_.create();
    block.create();
    blocks();
    c_.entry.CreateBr(start);
    c_.lines.close();
    return arena_.bytes();
  }

 private:
  // The number of blocks of a run that begins with this block: as many as its line has and the call
  // requests.
  Value* blocks_of_run(Value* x, Value* width, Value* number, Value* last) {
    if (runs_.blocks == 1) return c_.b.getInt32(1);
    auto least = [&](Value* a, Value* b) {
      return c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
    };
    Value* left = least(c_.b.CreateSub(last, number), c_.b.getInt64(runs_.blocks));
    return least(c_.b.CreateSub(width, x), c_.b.CreateTrunc(left, c_.b.getInt32Ty()));
  }

  // Blocks [first, last), numbered x fastest; their coordinates are counted along.
  void blocks() {
    llvm::BasicBlock* loop = c_.new_block("block");
    llvm::BasicBlock* done = c_.new_block("done");
    Value *first = function_.getArg(2), *last = function_.getArg(3);
    Value* width = launch_.grid_extent(0);
    Value* height = launch_.grid_extent(1);
    auto wide = [&](Value* x) { return c_.b.CreateZExt(x, c_.b.getInt64Ty()); };
    auto low = [&](Value* x) { return c_.b.CreateTrunc(x, c_.b.getInt32Ty()); };
    llvm::BasicBlock* decode = c_.new_block("first_block");
    c_.b.CreateCondBr(c_.b.CreateICmpULT(first, last), decode, done);
    c_.start(decode);
    Value* line = c_.b.CreateUDiv(first, wide(width));
    Value* x0 = low(c_.b.CreateURem(first, wide(width)));
    Value* y0 = low(c_.b.CreateURem(line, wide(height)));
    Value* z0 = low(c_.b.CreateUDiv(line, wide(height)));
    llvm::BasicBlock* before = c_.b.GetInsertBlock();
    c_.b.CreateBr(loop);
    c_.start(loop);
    auto counter = [&](Value* from, const char* name) {
      llvm::PHINode* phi = c_.b.CreatePHI(from->getType(), 2, name);
      phi->addIncoming(from, before);
      return phi;
    };
    llvm::PHINode *number = counter(first, "block_number"), *x = counter(x0, "block_x"),
                  *y = counter(y0, "block_y"), *z = counter(z0, "block_z");
    Value* run = blocks_of_run(x, width, number, last);
    block_->emit({x, y, z}, run, runs_);
    auto one = [&](Value* v) { return c_.b.CreateAdd(v, c_.b.getInt32(1)); };
    Value* zero = c_.b.getInt32(0);
    Value* next_x = c_.b.CreateAdd(x, run);
    Value* end_of_line = c_.b.CreateICmpEQ(next_x, width);
    Value* next_y = c_.b.CreateSelect(end_of_line, one(y), y);
    Value* end_of_plane = c_.b.CreateICmpEQ(next_y, height);
    llvm::BasicBlock* latch = c_.b.GetInsertBlock();
    Value* next_number = c_.b.CreateAdd(number, wide(run));
    number->addIncoming(next_number, latch);
    x->addIncoming(c_.b.CreateSelect(end_of_line, zero, next_x), latch);
    y->addIncoming(c_.b.CreateSelect(end_of_plane, zero, next_y), latch);
    z->addIncoming(c_.b.CreateSelect(end_of_plane, one(z), z), latch);
    hint(c_.b.CreateCondBr(c_.b.CreateICmpULT(next_number, last), loop, done),
         {.keep_inside = c_.source.effort == Effort::Bounded});
    if (c_.failed) {
      c_.start(c_.failed);
      c_.b.CreateBr(done);
    }
    c_.start(done);
    // Streaming stores are in order with nothing, not even the news that blocks are done.
    if (c_.has_nontemporal_stores)
      c_.b.CreateIntrinsic(c_.b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
    c_.b.CreateRetVoid();
  }

  Emission emission_;
  EmitContext c_;
  llvm::Function& function_;
  LaunchValues launch_;
  LaneValues values_;
  Arena arena_;
  Arrays arrays_;
  PureOps pure_;
  Position position_;
  Reports reports_;
  WarpOps warps_;
  Slots slots_;
  const std::vector<Exits> exits_;
  const std::vector<analysis::Guard> guards_;
  const std::vector<bool> scalarized_loops_;
  const analysis::BlockRuns runs_;
  BlockControl* block_ = nullptr;
};

}  // namespace

uint32_t emit_kernel(llvm::Module& module, const KernelSource& source, const char* name) {
  return Kernel(module, source, *declare_entry(module, source, name)).emit();
}

}  // namespace cuda_device::codegen::host
