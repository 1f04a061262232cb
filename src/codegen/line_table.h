// Which line of the Python source each instruction of LLVM comes from, as its debug information. It
// does nothing unless lines are requested.
#pragma once

#include <map>

#include "codegen/codegen.h"
#include "codegen/emit_machine.h"

namespace cuda_device::codegen {

class LineTable {
 public:
  // Begins a function that is about to get a body by `builder`. `lines` null: nothing is done.
  void open(llvm::Function& function, llvm::IRBuilderBase& builder, const SourceLines* lines,
            const std::string& name);
  void close();  // after the body

  // What the builder makes while this lives comes from that place; afterwards from where it was.
  class [[nodiscard]] Location {
   public:
    Location(LineTable& table, const Span& span) : builder_(table.builder_) {
      if (!builder_) return;
      before_ = builder_->getCurrentDebugLocation();
      table.go_to(span);
    }
    Location(const Location&) = delete;
    Location& operator=(const Location&) = delete;
    ~Location() {
      if (builder_) builder_->SetCurrentDebugLocation(before_);
    }

   private:
    llvm::IRBuilderBase* builder_;
    llvm::DebugLoc before_;
  };
  Location at(const Span& span) { return {*this, span}; }

 private:
  void go_to(const Span& span);
  llvm::DIFile* file(uint32_t index);
  llvm::DIScope* scope(uint32_t file);

  llvm::IRBuilderBase* builder_ = nullptr;  // null: off
  const SourceLines* lines_ = nullptr;
  Owned<llvm::DIBuilder> debug_;
  llvm::DISubprogram* function_ = nullptr;
  std::map<uint32_t, llvm::DIScope*> scopes_;  // by file
};

}  // namespace cuda_device::codegen
