#include "compile/compile.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/analysis.h"
#include "analysis/certain_divergence.h"
#include "compile/interpreted.h"
#include "frontend/frontend.h"
#include "ir/visitor.h"
#include "passes/pipeline.h"
#include "support/check.h"
#include "syntax/tree.h"

namespace cuda_device::compile {
namespace {

// What may follow the name of a host form: so many lanes a gang, whatever the kernel.
constexpr std::pair<const char*, uint32_t> kGangWidths[] = {
    {"", 0}, {"x8", 8}, {"x16", 16}, {"x32", 32}, {"x64", 64}};

constexpr uint32_t kCallersRegisters = 64;  // bytes: six are saved in every frame, which is aligned

constexpr uint32_t kFewValues = 4;  // of each lane: so few on the stack cost next to nothing

constexpr uint32_t kNarrowGangs[] = {16, 8};  // less than a warp

// Of kernels that may be compiled several times: some tens of lines; those with tiles of a thread's
// own in variables gain most, and their loops are unrolled.
constexpr size_t kFewInstructions = 200, kFewOfTiles = 1000;

// Of the commonest elements.
bool fills_vectors(uint32_t lanes, codegen::MaskForm form) {
  return lanes == 0 || lanes * sizeof(float) >= codegen::vector_bytes(form);
}

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

passes::Lanes lanes_of(codegen::MaskForm form, uint32_t gang_width) {
  const uint32_t registers = codegen::register_bytes(form);
  for (const uint32_t& width : kNarrowGangs)
    if (width == gang_width) return {registers / width, std::span(&width, 1)};
  return {registers / analysis::kWarpWidth};
}

size_t instructions(const ir::Function& f) {
  size_t count = 0;
  ir::for_each_inst(f.body, [&](const ir::Inst&) { ++count; });
  return count;
}

// The switch that the tests set: verifiers of our IR after every pass, and LLVM's.
bool verify_wanted() { return std::getenv("CUDA_DEVICE_VERIFY") != nullptr; }

}  // namespace

std::vector<std::string> host_targets() {
  std::vector<std::string> names;
  for (codegen::MaskForm form : codegen::kMaskForms)
    for (const auto& [suffix, lanes] : kGangWidths) {
      if (!fills_vectors(lanes, form)) continue;
      const std::string name = std::string(codegen::name_of(form)) + suffix;
      if (can_run(form)) names.push_back(name);
      if (codegen::can_emulate(form)) names.push_back(kEmulated + name);
    }
  return names;
}

Target parse_target(const std::string& text) {
  if (text.empty() || text == "host") return {Target::Kind::Host, best_form(), 0};
  if (text == "interpreter") return {Target::Kind::Interpreter, codegen::MaskForm::Avx512, 0};
  if (text.starts_with("sm_")) return parse_architecture(text);
  const bool emulated = text.starts_with(kEmulated);
  const std::string name = emulated ? text.substr(kEmulated.size()) : text;
  for (codegen::MaskForm form : codegen::kMaskForms)
    for (const auto& [suffix, lanes] : kGangWidths)
      if (name == std::string(codegen::name_of(form)) + suffix && fills_vectors(lanes, form) &&
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

uint32_t Compilation::lanes(const ir::Function& f, uint32_t gang_width) const {
  const analysis::LaneLayout layout = analysis::choose_layout(f, gang_width, tuning());
  return layout.gangs * layout.width;
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
  return optimised_for(target_.gang_width);
}

std::unique_ptr<ir::Function> Compilation::optimised_for(uint32_t gang_width) const {
  auto f = from_frontend();
  run_passes(*f, gang_width);
  return f;
}

void Compilation::run_passes(ir::Function& f, uint32_t gang_width) const {
  passes::PipelineOptions options;
  if (target_.kind == Target::Kind::Host) options.lanes = lanes_of(target_.mask, gang_width);
  options.drop_assertions = target_.kind == Target::Kind::Ptx;
  options.verify = verify_wanted();
  options.tuning = tuning();
  options.stop = stop_;
  options.times = times_;
  options.check = [](const ir::Function& checked) {
    auto divergent = analysis::certainly_divergent_barriers(checked);
    if (!divergent.empty()) throw DiagnosticError(std::move(divergent));
  };
  passes::run_pipeline(f, options);
}

// In tables that debuggers read, unless there is a listing to put them into.
codegen::SourceLines Compilation::lines_for(const codegen::Listing& listing) const {
  const bool listed = listing.llvm || listing.llvm_opt || listing.assembly;
  const syntax::Program& program = *request_.source.program;
  return {&program.files, program.functions.front().span,
          listed ? codegen::SourceLines::Form::Directives : codegen::SourceLines::Form::Tables};
}

Made Compilation::ptx(const codegen::Listing& listing) const {
  const codegen::SourceLines lines = lines_for(listing);
  codegen::PtxOptions options;
  options.sm = target_.sm;
  options.ptx_version = request_.ptx_version;
  options.libdevice = request_.libdevice;
  options.verify_llvm = verify_wanted();
  options.stop = stop_;
  options.times = times_;
  if (request_.lines && lines.form == codegen::SourceLines::Form::Directives)
    options.lines = &lines;
  auto f = optimised();
  abi::KernelImage image = codegen::compile_ptx(*f, options, listing);
  return {std::move(f), std::move(image)};
}

Made Compilation::host_code(uint32_t gang_width, codegen::Listing listing) const {
  const codegen::SourceLines lines = lines_for(listing);
  codegen::HostOptions options;
  options.mask = target_.mask;
  options.emulate = target_.emulated;
  if (!target_.emulated && !can_run(target_.mask)) options.cpu = codegen::generic_cpu(target_.mask);
  options.gang_width = gang_width;
  options.verify_llvm = verify_wanted();
  options.tuning = tuning();
  options.stop = stop_;
  options.times = times_;
  if (request_.lines) options.lines = &lines;
  Made made{from_frontend(), {}};
  const size_t arrays = made.function->arrays.size();
  run_passes(*made.function, gang_width);
  made.in_variables = made.function->arrays.size() < arrays;
  listing.frame = &made.frame;
  listing.spilled = &made.spilled;
  made.image = codegen::compile_host(*made.function, options, listing);
  return made;
}

// Measured with AVX2 only. Where AVX-512 is emulated, what is spilled says nothing of it.
bool Compilation::is_worth_narrowing(const ir::Function& f, bool in_variables) const {
  if (target_.kind != Target::Kind::Host || target_.mask != codegen::MaskForm::Avx2) return false;
  if (target_.emulated || target_.gang_width != 0) return false;
  if (!tuning().on(Heuristic::narrow_gangs)) return false;
  return instructions(f) <= (in_variables ? kFewOfTiles : kFewInstructions);
}

// The passes ask how many lanes a gang has, which may be known of the machine code only.
std::unique_ptr<ir::Function> Compilation::compiled() const {
  auto f = optimised();
  if (!is_worth_narrowing(*f, /*in_variables=*/true)) return f;
  return machine_code().function;
}

// The widest in which registers hold all but a few values. No lanes may be idle for it.
std::optional<Made> Compilation::in_narrower_gangs(const Made& made) const {
  for (uint32_t width : kNarrowGangs) {
    const analysis::LaneLayout layout = analysis::choose_layout(*made.function, width, tuning());
    const bool warps = layout.width != width;  // the kernel asks for its lane in one
    if (warps || layout.gangs * width > lanes(*made.function, made.image.width)) return {};
    Made narrow = host_code(width);
    if (narrow.spilled <= kCallersRegisters + kFewValues * width * sizeof(float)) return narrow;
  }
  return {};
}

Made Compilation::machine_code(const codegen::Listing& listing) const {
  if (target_.kind == Target::Kind::Ptx) return ptx(listing);
  Made made = host_code(target_.gang_width, listing);
  const bool spills = made.spilled > codegen::register_bytes(target_.mask);
  if (!spills || !is_worth_narrowing(*made.function, made.in_variables)) return made;
  std::optional<Made> narrow = in_narrower_gangs(made);
  if (!narrow) return made;
  return listing.has_text() ? host_code(narrow->image.width, listing) : std::move(*narrow);
}

}  // namespace cuda_device::compile
