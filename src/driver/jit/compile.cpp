#include "driver/jit/compile.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/analysis.h"
#include "analysis/certain_divergence.h"
#include "driver/jit/interpreted.h"
#include "frontend/frontend.h"
#include "passes/pipeline.h"
#include "support/check.h"
#include "syntax/tree.h"

namespace cuda_device::jit {
namespace {

// What may follow the name of a host form: so many lanes a gang, whatever the kernel.
constexpr std::pair<const char*, uint32_t> kGangWidths[] = {{"", 0}, {"x32", 32}, {"x64", 64}};

[[noreturn]] void unknown_target(const std::string& text) {
  std::string known = "interpreter";
  for (codegen::MaskForm form : codegen::kMaskForms)
    known += std::string(", ") + codegen::name_of(form);
  for (codegen::MaskForm form : codegen::kMaskForms)
    if (codegen::can_emulate(form)) known += ", " + kEmulated + codegen::name_of(form);
  for (int sm : codegen::ptx_architectures()) known += ", sm_" + std::to_string(sm);
  throw DiagnosticError(Diagnostic{DiagCode::unknown_target, {}, {text, known}, {}, ""});
}

Target parse_architecture(const std::string& text) {
  const std::vector<int> known = codegen::ptx_architectures();
  for (int sm : known)
    if (text == "sm_" + std::to_string(sm))
      return {Target::Kind::Ptx, codegen::MaskForm::Avx512, sm};
  unknown_target(text);
}

codegen::MaskForm best_form() {
  const auto forms = codegen::host_mask_forms();
  CD_CHECK(!forms.empty(), "this CPU supports no host form");
  return forms.front();
}

bool can_run(codegen::MaskForm form) {
  return std::ranges::count(codegen::host_mask_forms(), form) > 0;
}

// The switch that the tests set: verifiers of our IR after every pass, and LLVM's.
bool verify_wanted() { return std::getenv("CUDA_DEVICE_VERIFY") != nullptr; }

}  // namespace

Target parse_target(const std::string& text) {
  if (text.empty() || text == "host") return {Target::Kind::Host, best_form(), 0};
  if (text == "interpreter") return {Target::Kind::Interpreter, codegen::MaskForm::Avx512, 0};
  if (text.starts_with("sm_")) return parse_architecture(text);
  const bool emulated = text.starts_with(kEmulated);
  const std::string name = emulated ? text.substr(kEmulated.size()) : text;
  for (codegen::MaskForm form : codegen::kMaskForms)
    for (const auto& [suffix, lanes] : kGangWidths)
      if (name == std::string(codegen::name_of(form)) + suffix &&
          (!emulated || codegen::can_emulate(form)))
        return {Target::Kind::Host, form, 0, lanes, emulated};
  unknown_target(text);
}

std::string context_of(const CompileRequest& request) {
  std::string types;
  for (const auto& t : request.source.arguments)
    types += (types.empty() ? "" : ", ") + frontend::to_string(t);
  const syntax::Function& f = request.source.program->functions.front();
  const char* kind = f.kind == syntax::FunctionKind::Kernel ? "kernel" : "function";
  return std::string("in ") + kind + " '" + f.name + "', specialised for (" + types + ")";
}

std::unique_ptr<ir::Function> Compilation::from_frontend() const {
  const StageTimer timer(times_, "frontend");
  return frontend::lower(request_.source);
}

std::unique_ptr<ir::Function> Compilation::lower() const {
  auto f = from_frontend();
  ir::verify_or_throw(*f, "frontend");
  return f;
}

std::unique_ptr<ir::Function> Compilation::optimised() const {
  auto f = from_frontend();
  passes::PipelineOptions options;
  if (target_.kind == Target::Kind::Host)
    options.lanes = passes::Lanes{codegen::register_bytes(target_.mask) / analysis::kWarpWidth};
  options.drop_assertions = target_.kind == Target::Kind::Ptx;
  options.verify = verify_wanted();
  options.times = times_;
  options.check = [](const ir::Function& checked) {
    auto divergent = analysis::certainly_divergent_barriers(checked);
    if (!divergent.empty()) throw DiagnosticError(std::move(divergent));
  };
  passes::run_pipeline(*f, options);
  return f;
}

abi::KernelImage Compilation::image(const ir::Function& f, const codegen::Listing& listing) const {
  abi::KernelImage image;
  const bool listed = listing.llvm || listing.llvm_opt || listing.assembly;
  const syntax::Program& program = *request_.source.program;
  const codegen::SourceLines lines{
      &program.files, program.functions.front().span,
      listed ? codegen::SourceLines::Form::Directives : codegen::SourceLines::Form::Tables};
  if (target_.kind == Target::Kind::Ptx) {
    codegen::PtxOptions options;
    options.sm = target_.sm;
    options.ptx_version = request_.ptx_version;
    options.libdevice = request_.libdevice;
    options.verify_llvm = verify_wanted();
    options.times = times_;
    if (request_.lines && listed) options.lines = &lines;
    image = codegen::compile_ptx(f, options, listing);
  } else {
    codegen::HostOptions options;
    options.mask = target_.mask;
    options.emulate = target_.emulated;
    if (!target_.emulated && !can_run(target_.mask))
      options.cpu = codegen::generic_cpu(target_.mask);
    options.gang_width = target_.gang_width;
    options.verify_llvm = verify_wanted();
    options.times = times_;
    if (request_.lines) options.lines = &lines;
    image = codegen::compile_host(f, options, listing);
  }
  return image;
}

}  // namespace cuda_device::jit
