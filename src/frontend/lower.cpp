// The fixpoint over passes, and the two entry points.
#include <algorithm>
#include <set>
#include <tuple>

#include "frontend/lowerer.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

// Types only grow along the promotion table, so a few passes are enough; more is a compiler bug.
constexpr int kMaxPasses = 1000;

// More than anybody reads at once.
constexpr size_t kEnoughMistakes = 100;

std::unique_ptr<Lowerer> solve(Session& session, bool as_kernel) {
  for (int i = 0; i < kMaxPasses; ++i) {
    session.root->begin_pass();
    auto pass = std::make_unique<Lowerer>(session, as_kernel);
    pass->run();
    if (pass->demoted()) {
      // What followed from the constant may no longer hold: infer anew without it.
      session.root->forget_types();
    } else if (!pass->changed()) {
      return pass;
    }
  }
  CD_UNREACHABLE("types do not stand still");
}

// Passes with the types that were found, until it is known which variables a mistake has left
// without one: what reads them says nothing of its own. Then those that no mistake explains are
// mistakes themselves, one after the other, because the next one may follow from it.
std::unique_ptr<Lowerer> explain(Session& session, bool as_kernel) {
  session.explaining = true;
  while (true) {
    session.root->begin_pass();
    auto pass = std::make_unique<Lowerer>(session, as_kernel);
    pass->run();
    if (pass->failed_more() || pass->changed() || pass->demoted()) continue;
    const auto& read = pass->unresolved();
    if (!read || pass->diagnostics().size() >= kEnoughMistakes) return pass;
    WebState& state = *read->state;
    state.failed = true;
    state.mistaken_read = read->node;
    state.mistake = state.defined ? DiagCode::type_undetermined : DiagCode::used_before_assigned;
  }
}

bool is_earlier(const Diagnostic& a, const Diagnostic& b) {
  const std::vector<Span> ways[] = {way_to(a), way_to(b)};
  return std::ranges::lexicographical_compare(ways[0], ways[1], [](const Span& x, const Span& y) {
    return std::tie(x.file, x.line, x.column) < std::tie(y.file, y.line, y.column);
  });
}

// Of a kernel that was given up, nothing else is said.
bool is_whole_kernel(const Diagnostic& d) {
  return d.code == DiagCode::nested_too_deep || d.code == DiagCode::program_too_large ||
         d.code == DiagCode::calls_too_deep;
}

std::unique_ptr<Lowerer> checked(Session& session, bool as_kernel) {
  session.root = session.make_instance(0);
  std::unique_ptr<Lowerer> pass = solve(session, as_kernel);
  if (!pass->diagnostics().empty() || pass->unresolved()) pass = explain(session, as_kernel);
  std::vector<Diagnostic> found = pass->diagnostics();
  for (const Diagnostic& cause : session.causes)
    if (std::ranges::none_of(found, [&](const Diagnostic& d) { return is_same(cause, d); }))
      found.push_back(cause);
  // Those of one place stay in the order in which they were found.
  const std::multiset<Diagnostic, decltype(&is_earlier)> in_order(found.begin(), found.end(),
                                                                  is_earlier);
  found.assign(in_order.begin(), in_order.end());
  if (const auto whole = std::ranges::find_if(found, is_whole_kernel); whole != found.end())
    found = {Diagnostic(*whole)};
  if (!found.empty()) throw DiagnosticError(std::move(found));
  CD_CHECK(!pass->met_unknown(), "an expression without a type and without a diagnostic");
  return pass;
}

}  // namespace

const Webs& Session::webs_of(const syntax::Function& f) {
  auto at = webs.find(&f);
  if (at == webs.end()) at = webs.emplace(&f, find_webs(f)).first;
  return at->second;
}

std::unique_ptr<Instance> Session::make_instance(uint32_t function) {
  auto instance = std::make_unique<Instance>();
  instance->function = &request.program->functions.at(function);
  instance->index = function;
  instance->webs = &webs_of(*instance->function);
  instance->states.resize(instance->webs->webs.size());
  return instance;
}

Lowerer::Lowerer(Session& session, bool as_kernel)
    : session_(session),
      policy_(session.policy),
      program_(*session.request.program),
      as_kernel_(as_kernel),
      function_(std::make_unique<ir::Function>()),
      builder_(*function_, function_->body) {
  const syntax::Function& root = *session.root->function;
  function_->name = root.name;
  function_->launch = session.request.launch;
  function_->options.fmad = root.options.fmad;
  function_->options.fastmath = root.options.fastmath;
}

void Lowerer::run() {
  Instance& root = *session_.root;
  if (!check_parameters(*root.function, nullptr)) return;
  instance_ = &root;
  bind_kernel_arguments();
  if (as_kernel_) {
    Frame frame;
    frame.instance = &root;
    frame.is_kernel = true;
    frame.body = &function_->body;
    frame_ = &frame;
    check_kernel_annotation(*root.function);
    block(root.function->body, true);
    frame_ = nullptr;
  } else {
    result_ = inlined(root);
  }
}

std::unique_ptr<ir::Function> lower(const Request& request) {
  Session session(request);
  return checked(session, true)->take();
}

std::string result_type(const Request& request) {
  Session session(request);
  return type_text(checked(session, false)->result());
}

}  // namespace cuda_device::frontend
