// The fixpoint over passes, and the two entry points.
#include <algorithm>
#include <set>
#include <tuple>

#include "frontend/calls/called.h"
#include "frontend/calls/calls.h"
#include "frontend/control/control.h"
#include "frontend/parameters.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

// Types only grow along the promotion table, so a few passes are enough; more is a compiler bug.
constexpr int kMaxPasses = 1000;

// Types that rest on each other might narrow and grow in turn: then the wider ones stay.
constexpr int kMaxNarrowings = 20;

// More mistakes than one reads at once.
constexpr size_t kEnoughMistakes = 100;

struct Pass {
  std::unique_ptr<Context> context;
  Value result;  // of a function; a kernel has none
};

// Lowers function 0 once, with the types found so far.
Pass run(Session& session, bool as_kernel) {
  Instance& root = *session.root;
  ++session.effort.passes;
  session.effort.lowered_calls = 0;
  session.for_each_function([](Instance& i) { i.begin_pass(); });
  for (const auto& called : session.called) called->begin_pass();
  for (auto& [function, kept] : session.kept_calls) kept.begin_pass();
  session.kept_insts = 0;
  Pass pass{std::make_unique<Context>(session), {}};
  Context& ctx = *pass.context;
  ctx.instance = &root;
  bind_kernel_arguments(ctx);
  if (!as_kernel) {
    pass.result = inlined(ctx, root);
    finish_module(ctx);
    return pass;
  }
  Frame frame;
  frame.instance = &root;
  frame.is_kernel = true;
  frame.body = &ctx.function->body;
  ctx.frame = &frame;
  check_kernel_annotation(ctx, *root.function);
  block(ctx, root.function->body, true);
  ctx.frame = nullptr;
  finish_module(ctx);
  return pass;
}

void renew_webs(Session& session) {
  session.for_each_function([](Instance& i) { i.renew_webs(); });
  for (const auto& called : session.called) called->captures.clear();  // their webs have changed
}

void forget_types(Session& session) {
  session.for_each_function([](Instance& i) { i.forget_types(); });
  for (const auto& called : session.called) called->result = {};
}

bool narrow_types(Session& session) {
  bool found = false;
  session.for_each_function([&](Instance& i) { found |= i.narrow_types(); });
  return found;
}

Pass solve(Session& session, bool as_kernel) {
  int narrowings = 0;
  for (int i = 0; i < kMaxPasses; ++i) {
    Pass pass = run(session, as_kernel);
    if (pass.context->inference.unrolled) {
      renew_webs(session);
      forget_types(session);
    } else if (pass.context->inference.demoted) {
      // What followed from the constant may no longer hold: infer anew without it.
      forget_types(session);
    } else if (!pass.context->inference.changed) {
      // A definition that was met before a variable had its type may have made another one wider.
      if (narrowings == kMaxNarrowings || !narrow_types(session)) return pass;
      ++narrowings;
    }
  }
  CD_UNREACHABLE("types do not stand still");
}

// Passes with the types that were found, until it is known which variables a mistake has left
// without one: what reads them says nothing of its own. Then those that no mistake explains are
// mistakes themselves, one after the other, because the next one may follow from it.
Pass explain(Session& session, bool as_kernel) {
  session.explaining = true;
  while (true) {
    Pass pass = run(session, as_kernel);
    const Inference& found = pass.context->inference;
    const Diagnosis& diagnosis = pass.context->diagnosis;
    if (found.unrolled) renew_webs(session);
    if (found.unrolled || diagnosis.failed_more || found.changed || found.demoted) continue;
    if (!found.unresolved || diagnosis.diagnostics.size() >= kEnoughMistakes) return pass;
    WebState& state = *found.unresolved->state;
    state.failed = true;
    state.mistaken_read = found.unresolved->node;
    state.mistake = state.defined ? DiagCode::type_undetermined : DiagCode::used_before_assigned;
  }
}

bool is_earlier(const Diagnostic& a, const Diagnostic& b) {
  const std::vector<Span> ways[] = {way_to(a), way_to(b)};
  return std::ranges::lexicographical_compare(ways[0], ways[1], [](const Span& x, const Span& y) {
    return std::tie(x.file, x.line, x.column) < std::tie(y.file, y.line, y.column);
  });
}

// Whether the mistake is of the kernel as a whole: then no other one is reported.
bool is_whole_kernel(const Diagnostic& d) {
  return d.code == DiagCode::nested_too_deep || d.code == DiagCode::program_too_large ||
         d.code == DiagCode::calls_too_deep;
}

Pass checked(Session& session, bool as_kernel) {
  session.root = session.make_instance(session.request.program->functions.at(0), 0);
  session.root->begins_function = true;
  Pass pass = solve(session, as_kernel);
  if (!pass.context->diagnosis.diagnostics.empty() || pass.context->inference.unresolved)
    pass = explain(session, as_kernel);
  std::vector<Diagnostic> found = pass.context->diagnosis.diagnostics;
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
  CD_CHECK(!pass.context->inference.met_unknown,
           "an expression without a type and without a diagnostic");
  return pass;
}

}  // namespace

const Webs& Session::webs_of(const syntax::Function& f) {
  auto at = webs.find(&f);
  Unrolled none;
  const bool keep_types = policy.loop_rule == LoopRule::BeforeLoop;
  if (at == webs.end()) at = webs.emplace(&f, find_webs(f, none, keep_types)).first;
  return at->second;
}

const syntax::Call* Session::call_of(const syntax::Node* node) {
  std::unique_ptr<syntax::Call>& call = property_calls[node];
  if (!call) {
    call = std::make_unique<syntax::Call>();
    call->span = node->span;
  }
  return call.get();
}

std::unique_ptr<Instance> Session::make_instance(const syntax::Function& function, uint32_t index) {
  auto instance = std::make_unique<Instance>();
  ++instances;
  instance->function = &function;
  instance->index = index;
  instance->webs = &webs_of(*instance->function);
  instance->states.resize(instance->webs->webs.size());
  return instance;
}

Context::Context(Session& s)
    : Walk(std::make_unique<ir::Function>()),
      session(s),
      policy(s.policy),
      program(*s.request.program) {
  const syntax::Function& root = *s.root->function;
  function->name = root.name;
  function->launch = s.request.launch;
  function->options.fmad = root.options.fmad;
  static_cast<FastMath&>(function->options) = root.options.fast_math;
  function->bounds = root.options.bounds;
}

std::unique_ptr<ir::Function> lower(const Request& request, std::vector<Warning>* warnings,
                                    Effort* effort) {
  Session session(request);
  const Pass pass = checked(session, true);
  if (effort) *effort = session.effort;
  if (warnings) *warnings = std::move(pass.context->diagnosis.warnings);
  return std::move(pass.context->function);
}

std::string result_type(const Request& request) {
  return result_type(request, policy_of(request.dialect));
}

std::string result_type(const Request& request, const Policy& policy) {
  Session session(request, policy);
  return type_text(checked(session, false).result);
}

}  // namespace cuda_device::frontend
