#include "compile/compile.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "analysis/analysis.h"
#include "analysis/blocks/certain_divergence.h"
#include "compile/interpreted.h"
#include "frontend/frontend.h"
#include "ir/visitor.h"
#include "passes/barriers/meet_at_any_barrier.h"
#include "passes/pipeline.h"
#include "support/check.h"
#include "syntax/tree.h"

namespace cuda_device::compile {
namespace {

// What may follow the name of a host form: so many lanes a gang, whatever the kernel.
constexpr std::pair<const char*, uint32_t> kGangWidths[] = {
    {"", 0}, {"x8", 8}, {"x16", 16}, {"x32", 32}, {"x64", 64}};

constexpr std::pair<std::string_view, Execution> kExecutionSuffixes[] = {
    {"-gangs", Execution::Gangs}, {"-threads", Execution::Threads}};

constexpr uint32_t kNarrowGangs[] = {16, 8};  // less than a warp

// Whether a gang of so many lanes fills vectors of the commonest elements.
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

// "interpreter", or with the seed of an order after it; nothing: another target.
std::optional<Target> parse_interpreter(const std::string& text) {
  static const std::string kName = "interpreter", kSeeded = kName + "-seed";
  Target target{Target::Kind::Interpreter, codegen::MaskForm::Avx512, 0};
  if (text == kName) return target;
  if (!text.starts_with(kSeeded)) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [at, error] =
      std::from_chars(text.data() + kSeeded.size(), end, target.seed.emplace());
  if (error != std::errc() || at != end) return std::nullopt;
  return target;
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

// Frames of functions that are called, with what a call itself puts on the stack.
uint32_t stack_of(const ir::Function& f, uint32_t largest_frame) {
  constexpr uint32_t kCall = 64;
  return f.has_calls() ? largest_frame + ir::kMostNestedCalls * (largest_frame + kCall)
                       : largest_frame;
}

// The switch that the tests set: verifiers of our IR after every pass, and LLVM's.
bool verify_wanted() {
  const char* wanted = std::getenv("CUDA_DEVICE_VERIFY");
  return wanted && *wanted;
}

}  // namespace

std::vector<std::string> host_targets() {
  std::vector<std::string> names;
  for (codegen::MaskForm form : codegen::kMaskForms)
    for (const auto& [suffix, lanes] : kGangWidths) {
      if (!fills_vectors(lanes, form)) continue;
      const std::string name = std::string(codegen::name_of(form)) + suffix;
      if (can_run(form)) names.push_back(name);
      if (codegen::can_emulate(form)) names.push_back(kEmulated + name);
      if (lanes != 0) continue;
      if (can_run(form)) names.push_back(name + "-threads");
      if (codegen::can_emulate(form)) names.push_back(kEmulated + name + "-threads");
    }
  return names;
}

Target parse_target(const std::string& text) {
  if (text.empty() || text == "host") return {Target::Kind::Host, best_form(), 0};
  if (const auto target = parse_interpreter(text)) return *target;
  if (text.starts_with("sm_")) return parse_architecture(text);
  for (const auto& [suffix, execution] : kExecutionSuffixes)
    if (text.ends_with(suffix)) {
      Target target = parse_target(text.substr(0, text.size() - suffix.size()));
      if (target.kind != Target::Kind::Host) unknown_target(text);
      target.execution = execution;
      return target;
    }
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
    types += (types.empty() ? "" : ", ") + frontend::to_string(t, request.source);
  const syntax::Function& f = request.source.program->functions.front();
  const char* kind = f.kind == syntax::FunctionKind::Kernel ? "kernel" : "function";
  return std::string("in ") + kind + " '" + f.name + "', specialised for (" + types + ")";
}

std::unique_ptr<ir::Function> Compilation::from_frontend() const {
  const StageTimer timer(times_, "frontend");
  return frontend::lower(request_.source, warnings_);
}

std::unique_ptr<ir::Function> Compilation::lower() const {
  auto f = from_frontend();
  ir::verify_or_throw(*f, "frontend");
  return f;
}

Lowered Compilation::optimised() const {
  if (target_.kind == Target::Kind::Host) return for_host();
  return optimised_for(0);
}

Lowered Compilation::optimised_for(uint32_t gang_width) const {
  Lowered lowered{from_frontend()};
  lowered.plan = run_passes(*lowered.function, gang_width);
  return lowered;
}

// What the target's name says comes before what the kernel says: tests run every kernel both ways.
Execution Compilation::asked_execution() const {
  if (target_.execution != Execution::Automatic) return target_.execution;
  return request_.source.program->functions.front().options.execution;
}

// Gangs that the kernel asks for are what it gets, or an error.
void Compilation::check_plan(const analysis::ExecutionPlan& plan, const ir::Function& f) const {
  if (asked_execution() != Execution::Gangs) return;
  if (plan.execution != Execution::Gangs)
    throw DiagnosticError({DiagCode::gangs_with_calls, plan.place, {plan.called}, {}, "", {}});
  if (!analysis::has_barriers_of_several_kinds(f)) return;
  auto missed = analysis::errors_of_missed_barriers(f);
  if (!missed.empty()) throw DiagnosticError(std::move(missed));
}

analysis::ExecutionPlan Compilation::run_passes(ir::Function& f, uint32_t gang_width) const {
  analysis::ExecutionPlan plan;
  passes::PipelineOptions options;
  if (target_.kind == Target::Kind::Host) {
    options.lanes = lanes_of(target_.mask, gang_width);
    options.own_math = true;
    options.choose_lanes = [&](const ir::Function& simplified) {
      plan = analysis::execution_plan(simplified, asked_execution());
      check_plan(plan, simplified);
      return plan.execution == Execution::Gangs;
    };
  }
  options.drop_assertions = target_.kind == Target::Kind::Ptx;
  options.verify = verify_wanted();
  options.tuning = tuning();
  options.stop = stop_;
  options.times = times_;
  options.check = [](const ir::Function& checked) {
    auto unmatched = analysis::errors_of_unmatched_barriers(checked);
    if (!unmatched.empty()) throw DiagnosticError(std::move(unmatched));
  };
  passes::run_pipeline(f, options);
  place_failures(f);
  options.lanes.reset();
  options.choose_lanes = {};
  for (const auto& called : f.functions) passes::run_pipeline(*called, options);
  return plan;
}

// Lines go into tables that debuggers read, unless there is a listing to put them into.
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
  Made made{optimised(), {}};
  made.image = codegen::compile_ptx(*made.from.function, options, listing);
  return made;
}

codegen::HostOptions Compilation::host_options() const {
  codegen::HostOptions options;
  options.mask = target_.mask;
  options.emulate = target_.emulated;
  if (!target_.emulated && !can_run(target_.mask)) options.cpu = codegen::generic_cpu(target_.mask);
  options.gang_width = target_.gang_width;
  options.verify_llvm = verify_wanted();
  options.tuning = tuning();
  options.stop = stop_;
  options.times = times_;
  return options;
}

// The passes ask how many lanes a gang has, which is known after them: where it turns out to be
// less than a warp, they run again.
Lowered Compilation::for_host() const {
  codegen::HostOptions options = host_options();
  Lowered lowered = optimised_for(options.gang_width);
  if (lowered.plan.execution == Execution::Threads) {
    lowered.gangs = analysis::analyse(*lowered.function);
    return lowered;
  }
  lowered.gangs = codegen::choose_gangs(*lowered.function, options);
  const uint32_t width = lowered.gangs.layout.width;
  if (options.gang_width != 0 || width >= analysis::kWarpWidth) return lowered;
  options.gang_width = width;
  lowered = optimised_for(width);
  lowered.gangs = codegen::choose_gangs(*lowered.function, options);
  return lowered;
}

// The function of the program that a place is in: the last one of its file that begins before it.
WaitSite Compilation::site_of(const Span& span) const {
  const auto& functions = request_.source.program->functions;
  size_t owner = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    const Span& begin = functions[i].span;
    const bool before = begin.file == span.file && begin.line <= span.line;
    const bool closer = functions[owner].span.file != span.file ||
                        functions[owner].span.line > span.line ||
                        begin.line >= functions[owner].span.line;
    if (before && closer) owner = i;
  }
  const auto line =
      static_cast<int32_t>(span.line) - static_cast<int32_t>(functions[owner].span.line);
  return {static_cast<uint32_t>(owner), span.known() ? line : 0};
}

void Compilation::place_failures(ir::Function& f) const {
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (ir::info(i.op).imm != ir::ImmKind::Failure) return;
    Failure& failure = f.failures[static_cast<size_t>(i.imm)];
    if (failure.function != passes::kNotPlaced) return;
    const WaitSite site = site_of(i.span);
    failure.function = site.function;
    failure.line = site.line;
  });
}

Made Compilation::host_code(const codegen::Listing& listing) const {
  const codegen::SourceLines lines = lines_for(listing);
  codegen::HostOptions options = host_options();
  if (request_.lines) options.lines = &lines;
  Made made{for_host(), {}};
  codegen::Listing with_frame = listing;
  with_frame.frame = &made.frame;
  const Lowered& from = made.from;
  if (from.plan.execution == Execution::Threads) {
    std::vector<Span> sites;
    made.image =
        codegen::compile_host_threads(*from.function, from.gangs, options, sites, with_frame);
    for (const Span& span : sites) made.image.sites.push_back(site_of(span));
    made.image.stack = stack_of(*from.function, made.frame);
  } else {
    made.image = codegen::compile_host(*from.function, from.gangs, options, with_frame);
  }
  return made;
}

Made Compilation::machine_code(const codegen::Listing& listing) const {
  return target_.kind == Target::Kind::Ptx ? ptx(listing) : host_code(listing);
}

}  // namespace cuda_device::compile
