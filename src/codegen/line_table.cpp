#include "codegen/line_table.h"

#include "support/render.h"

namespace cuda_device::codegen {

void LineTable::open(llvm::Function& function, llvm::IRBuilderBase& builder,
                     const SourceLines* lines, const std::string& name) {
  if (!lines) return;
  lines_ = lines;
  builder_ = &builder;
  llvm::Module& module = *function.getParent();
  // The oldest version that has all we need: every gdb and ptxas reads it.
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  debug_.reset(new llvm::DIBuilder(module));
  const auto kind = lines->form == SourceLines::Form::Tables
                        ? llvm::DICompileUnit::LineTablesOnly
                        : llvm::DICompileUnit::DebugDirectivesOnly;
  const Span& at = lines->definition;
  debug_->createCompileUnit(llvm::dwarf::DW_LANG_Python, file(at.file), "cuda.device",
                            /*isOptimized=*/true, "", 0, "", kind);
  auto* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
  function_ = debug_->createFunction(
      file(at.file), name, /*LinkageName=*/"", file(at.file), at.line, type, at.line,
      llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(function_);
  scopes_[at.file] = function_;
  go_to(at);
}

void LineTable::close() {
  if (builder_) debug_->finalize();
}

llvm::DIFile* LineTable::file(uint32_t index) {
  const bool known = index < lines_->files->size();
  return debug_->createFile(known ? (*lines_->files)[index].name : "<unknown>", "");
}

// A helper that was written elsewhere is a part of the kernel with a file of its own.
llvm::DIScope* LineTable::scope(uint32_t index) {
  llvm::DIScope*& known = scopes_[index];
  if (!known) known = debug_->createLexicalBlockFile(function_, file(index));
  return known;
}

void LineTable::go_to(const Span& span) {
  if (!span.known()) return;  // as what is around it
  const int column = column_of(*lines_->files, span.file, span.line, span.column);
  builder_->SetCurrentDebugLocation(llvm::DILocation::get(
      builder_->getContext(), span.line, static_cast<unsigned>(column), scope(span.file)));
}

}  // namespace cuda_device::codegen
