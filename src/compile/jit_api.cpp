// The C functions of jit_api.h.
#include "compile/jit_api.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/blocks/describe_blocks.h"
#include "compile/compile.h"
#include "compile/compiler_thread.h"
#include "compile/interpreted.h"
#include "compile/ir_listing.h"
#include "compile/stages.h"
#include "frontend/frontend.h"
#include "support/check.h"
#include "support/interrupted.h"
#include "syntax/tree.h"

namespace cuda_device::compile {
namespace {

void release(CompileResult& result) {
  delete static_cast<InterpretedKernel*>(std::exchange(result.interpreted, nullptr));
}
void release(InspectResult&) {}

// What the compiler's thread works on. It may go on after the call was given up.
template <class Result>
struct Work {
  explicit Work(const CompileRequest& asked) : request(asked) {
    request.held.reset();
    request.interrupted = nullptr;  // the caller's, and the caller may be gone before the thread
    if (request.times) request.times = &times;
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() { release(result); }

  CompileRequest request;
  StageTimes times;
  Result result;
};

// Runs `body`; what it throws becomes the result's status.
template <class Result>
void caught(const CompileRequest& request, Result* result, const std::function<void()>& body) {
  try {
    body();
  } catch (const Interrupted&) {
    result->status = Status::Interrupted;
  } catch (DiagnosticError& e) {
    result->status = Status::UserError;
    result->diagnostics = std::move(e.diagnostics);
    for (Diagnostic& d : result->diagnostics)
      if (d.context.empty()) d.context = context_of(request);
  } catch (const std::exception& e) {
    result->status = Status::CompilerFault;
    result->fault = std::string(e.what()) + " (" + context_of(request) + ")";
  }
}

template <class Result>
using Body = std::function<void(const CompileRequest&, const std::stop_token&, Result*)>;

// The same on a stack that is made for the program, until it is interrupted. Nothing leaves this
// object as an exception.
template <class Result>
void guarded(CompileRequest* request, Result* result, const Body<Result>& body) {
  const auto work = std::make_shared<Work<Result>>(*request);
  caught(work->request, result, [&] {
    const auto run = [work, body](const std::stop_token& stop) {
      caught(work->request, &work->result, [&] { body(work->request, stop, &work->result); });
    };
    if (!on_compiler_thread(nesting_of(*work->request.source.program), run, request->interrupted,
                            std::move(request->held)))
      throw Interrupted();
    *result = std::exchange(work->result, {});
    if (request->times) *request->times = std::move(work->times);
  });
}

// "file.py:12", of the function that is compiled.
std::string place_of(const syntax::Program& program) {
  const Span& span = program.functions.front().span;
  if (!span.known() || span.file >= program.files.size()) return "";
  return program.files[span.file].name + ":" + std::to_string(span.line);
}

void compile(const CompileRequest& request, const std::stop_token& stop, CompileResult* result) {
  const syntax::Program& program = *request.source.program;
  result->image.name = program.functions.front().name;
  std::vector<Warning> warnings;
  const Compilation compilation(request, stop, request.times, &warnings);
  if (compilation.target().kind != Target::Kind::Interpreter) {
    Made made = compilation.machine_code();
    result->image = std::move(made.image);
    result->image.source = place_of(program);
    result->image.warnings = std::move(warnings);
    result->stack = made.frame;
    if (made.image.kind == abi::ImageKind::HostCode && !made.image.threads)
      result->lanes = made.from.gangs.layout.gangs * made.from.gangs.layout.width;
    return;
  }
  auto function = compilation.optimised().function;
  result->image.target = request.source.target.architecture;
  codegen::describe(*function, result->image);
  result->image.warnings = std::move(warnings);
  const uint32_t nesting = nesting_of(*function);
  result->interpreted = new InterpretedKernel{
      std::move(function), result->image.params, nesting, {.seed = compilation.target().seed}};
}

std::string machine_listing(const Compilation& compilation,
                            std::string* codegen::Listing::* which) {
  std::string text;
  codegen::Listing listing;
  listing.*which = &text;
  listing.code = which != &codegen::Listing::llvm;
  compilation.machine_code(listing);
  return text;
}

// As the host compiles it: with as many lanes a gang, and the accesses in the words of the code
// that made them. Nothing is decided of a GPU's accesses: each thread has its own.
std::string facts(const Compilation& compilation) {
  const auto lost = [&](const ir::Function& f) {
    return analysis::describe_lost_arrays(*compilation.lower(), f);
  };
  if (compilation.target().kind != Target::Kind::Host) {
    const auto f = compilation.optimised().function;
    return lost(*f) + analysis::describe(*f, analysis::analyse(*f));
  }
  std::vector<std::string> accesses;
  codegen::Listing listing;
  listing.accesses = &accesses;
  listing.code = false;
  const Made made = compilation.machine_code(listing);
  const ir::Function& f = *made.from.function;
  const analysis::Analysis& a = made.from.gangs;
  const std::string arena =
      made.image.arena ? "arena: " + std::to_string(made.image.arena) + " bytes a block\n" : "";
  return lost(f) + arena + analysis::describe_blocks(f, a) + analysis::describe(f, a, accesses);
}

// A stage a line, in the order in which they ended: its seconds and its name.
std::string times(const CompileRequest& request, const std::stop_token& stop, bool ir_only) {
  StageTimes times;
  const Compilation compilation(request, stop, &times);
  if (ir_only)
    compilation.optimised();
  else
    compilation.machine_code();
  std::string text;
  for (const StageTime& time : times)
    text += std::to_string(time.seconds) + " " + std::string(time.name) + "\n";
  return text;
}

std::string ir_text(const CompileRequest& request, const ir::Function& f) {
  ir::PrintOptions options;
  options.spans = request.lines;
  const std::string text = ir::print(f, options);
  return request.lines ? with_lines(text, request.source.program->files) : text;
}

// "threads: a loop ends when another thread has written what it reads (k.py:12)"
std::string plan_text(const CompileRequest& request, const analysis::ExecutionPlan& plan) {
  std::string text =
      std::string(kExecutions[static_cast<size_t>(plan.execution)]) + ": " + plan.reason;
  const SourceMap& files = request.source.program->files;
  if (plan.place.known() && plan.place.file < files.size())
    text += " (" + files[plan.place.file].name + ":" + std::to_string(plan.place.line) + ")";
  return text + "\n";
}

std::string inspect(const CompileRequest& request, const std::stop_token& stop,
                    const std::string& what) {
  check_stage(what, request.source.target.architecture);
  const auto& program = *request.source.program;
  if (what == "syntax") return syntax::print(program.functions.front());
  if (what == "result_type") return frontend::result_type(request.source);
  if (what == "times" || what == "ir_times") return times(request, stop, what == "ir_times");
  const Compilation compilation(request, stop);
  if (what == "ir_raw") return ir_text(request, *compilation.lower());
  if (what == "ir") return ir_text(request, *compilation.optimised().function);
  if (what == "plan") return plan_text(request, compilation.optimised().plan);
  if (what == "facts") return facts(compilation);
  if (what == "llvm_raw") return machine_listing(compilation, &codegen::Listing::llvm);
  if (what == "llvm") return machine_listing(compilation, &codegen::Listing::llvm_opt);
  return machine_listing(compilation, &codegen::Listing::assembly);
}

// On the caller's stack, unless the kernel is nested too deeply for that.
void interpret(const InterpretedKernel& kernel, const char* params, const abi::LaunchDims& dims,
               LaunchReport& report, std::string& error) {
  constexpr uint32_t kShallow = 100;
  const auto body = [&] {
    try {
      interpret_launch(kernel, params, dims, report);
    } catch (const std::exception& e) {
      error = e.what();
    }
  };
  try {
    if (kernel.nesting <= kShallow)
      body();
    else
      on_compiler_thread(kernel.nesting, [&](const std::stop_token&) { body(); });
  } catch (const std::exception& e) {
    error = e.what();
  }
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string host_forms() {
  std::vector<std::string> names;
  for (codegen::MaskForm form : codegen::host_mask_forms()) names.push_back(codegen::name_of(form));
  return join(names);
}

std::string emulated_forms() {
  std::vector<std::string> names;
  for (codegen::MaskForm form : codegen::kMaskForms)
    if (codegen::can_emulate(form)) names.push_back(compile::kEmulated + codegen::name_of(form));
  return join(names);
}

std::string ptx_architectures() {
  std::vector<std::string> numbers;
  for (int sm : codegen::ptx_architectures()) numbers.push_back(std::to_string(sm));
  return join(numbers);
}

}  // namespace
}  // namespace cuda_device::compile

namespace compile = cuda_device::compile;
namespace abi = cuda_device::abi;
namespace codegen = cuda_device::codegen;

void cd_jit_compile(compile::CompileRequest* request, compile::CompileResult* result) {
  compile::guarded<compile::CompileResult>(request, result, compile::compile);
}

void cd_jit_inspect(compile::CompileRequest* request, const char* what,
                    compile::InspectResult* result) {
  compile::guarded<compile::InspectResult>(
      request, result,
      [what = std::string(what)](const compile::CompileRequest& asked, const std::stop_token& stop,
                                 compile::InspectResult* made) {
        made->text = compile::inspect(asked, stop, what);
      });
}

void cd_jit_finish() { compile::finish_stopping(); }

const char* cd_jit_interpret(void* interpreted, const void* params, const abi::LaunchDims* dims,
                             cuda_device::LaunchReport* report) {
  static thread_local std::string error;
  error.clear();
  compile::interpret(*static_cast<compile::InterpretedKernel*>(interpreted),
                     static_cast<const char*>(params), *dims, *report, error);
  return error.empty() ? nullptr : error.c_str();
}

void cd_jit_release(void* interpreted) {
  delete static_cast<compile::InterpretedKernel*>(interpreted);
}

const char* cd_jit_host_forms() {
  static const std::string text = compile::host_forms();
  return text.c_str();
}

const char* cd_jit_emulated_forms() {
  static const std::string text = compile::emulated_forms();
  return text.c_str();
}

const char* cd_jit_host_targets() {
  static const std::string text = compile::join(compile::host_targets());
  return text.c_str();
}

const char* cd_jit_ptx_architectures() {
  static const std::string text = compile::ptx_architectures();
  return text.c_str();
}

const char* cd_jit_llvm_version() { return codegen::llvm_version(); }
