// How mistakes are reported.
#include "frontend/diagnosis/diagnosis.h"

#include <algorithm>

#include "frontend/calls/size.h"
#include "frontend/diagnosis/counterparts.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/diagnosis/unsupported.h"
#include "frontend/language_names.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

using syntax::NodeKind;

// Where the operator's sign stands: after the left operand, past blanks and closing brackets, if on
// the same line.
Span operator_place(const SourceMap& files, const Span& left, const Span& right,
                    std::string_view sign) {
  if (!left.known() || left.file >= files.size() || left.end_line != right.line) return {};
  const SourceFile& file = files[left.file];
  if (left.end_line < file.first_line || left.end_line - file.first_line >= file.lines.size())
    return {};
  const std::string& line = file.lines[left.end_line - file.first_line];
  const size_t at = line.find(sign, left.end_column);
  if (at == std::string::npos || at >= right.column) return {};
  const auto column = static_cast<uint32_t>(at);
  return {left.file, left.end_line, column, left.end_line,
          column + static_cast<uint32_t>(sign.size())};
}

// The span of an operation; of a chain of comparisons only the pair in question.
Span operation_place(const Node* node, const Node* left, const Node* right) {
  auto* chain = syntax::as<syntax::Compare>(node);
  if (!chain || chain->comparators.size() < 2 || !left || !right) return node->span;
  return {left->span.file, left->span.line, left->span.column, right->span.end_line,
          right->span.end_column};
}

}  // namespace

// A lambda among the arguments of the call: its place says all.
static bool is_called_where_it_stands(const Instance& i) {
  const Span &lambda = i.function->span, &call = i.call.node->span;
  const auto place = [](uint32_t line, uint32_t column) { return std::pair(line, column); };
  return i.enclosing && i.function->name == "<lambda>" && lambda.file == call.file &&
         place(call.line, call.column) <= place(lambda.line, lambda.column) &&
         place(lambda.end_line, lambda.end_column) <= place(call.end_line, call.end_column);
}

// The calls on the way to what is lowered, the innermost first; those of a recursion stand for each
// other.
static std::vector<Note> calls_to(const Instance* instance) {
  constexpr size_t kMostShown = 3;  // of one call that is repeated
  const auto is_same_call = [](const Instance* a, const Instance* b) {
    return a->call.node == b->call.node && a->function == b->function;
  };
  std::vector<const Instance*> calls;
  for (const Instance* i = instance; i && i->call.node; i = i->parent)
    if (!is_called_where_it_stands(*i)) calls.push_back(i);
  std::vector<Note> notes;
  for (auto i = calls.begin(); i != calls.end();) {
    const auto last = std::find_if_not(
        i, calls.end(), [&](const Instance* next) { return is_same_call(*i, next); });
    const auto times = static_cast<size_t>(last - i);
    const Note note{(*i)->call.node->span, "in '" + (*i)->function->name + "', called here"};
    notes.insert(notes.end(), std::min(times, kMostShown), note);
    if (times > kMostShown)
      notes.back().text += ": the call is repeated " + std::to_string(times - kMostShown) +
                           (times == kMostShown + 1 ? " more time" : " more times");
    i = last;
  }
  return notes;
}

ReportedPlace place_in_program(Context& ctx, const Span& place) {
  Instance* in = ctx.instance;
  ReportedPlace reported{nullptr, place, nullptr};
  const auto is_of_program = [](const syntax::Function& f) {
    return !f.of_language && f.in_library.empty();
  };
  while (!is_of_program(*in->function) && in->parent && in->call.node) {
    reported.called = in->function;
    reported.span = in->call.node->span;
    in->is_one_of_a_kind = true;
    in = in->parent;
  }
  reported.in = in;
  return reported;
}

// What is written for what a function of Python's library does.
static std::string instead_of(const Policy& policy, const std::string& function) {
  const std::string ours = foreign_name_hint(policy, function.substr(function.rfind('.') + 1));
  return ours.empty() ? "write a function of your own that does what it does" : "use " + ours;
}

static void add(Context& ctx, Diagnostic d) {
  const auto is_it = [&](const Diagnostic& o) {
    return is_same(o, d) || (d.code == DiagCode::library_function && o.code == d.code &&
                             o.span == d.span);  // the first line that is not compiled says it
  };
  if (std::ranges::none_of(ctx.diagnosis.diagnostics, is_it))
    ctx.diagnosis.diagnostics.push_back(std::move(d));
}

bool failed_in_library(const Context& ctx, const Node* call) {
  return std::ranges::any_of(ctx.diagnosis.diagnostics, [&](const Diagnostic& d) {
    return d.code == DiagCode::library_function && d.span == call->span;
  });
}

// " (line 12 of statistics.py)"; empty: not known.
static std::string line_text(const SourceMap& files, const Span& place) {
  if (!place.known() || place.file >= files.size()) return "";
  const std::string& path = files[place.file].name;
  return " (line " + std::to_string(place.line) + " of " + path.substr(path.rfind('/') + 1) + ")";
}

// The mistake, where it is in a function of Python's library, that is called at `use`.
static Diagnostic in_library(const Context& ctx, const std::string& function,
                             const Diagnostic& mistake, const Span& use) {
  return {DiagCode::library_function,
          use,
          {function, message_of(mistake) + line_text(ctx.program.files, mistake.span),
           instead_of(ctx.policy, function)},
          {},
          "",
          {}};
}

static Diagnostic no_such_name(const Policy& policy, const syntax::Function& f, const Span& span) {
  const std::string kernels = "kernels of " + std::string(language_names(policy).decorator);
  return {DiagCode::foreign_call, span, {f.name, kernels + " have no such name"}, {}, "", {}};
}

Value error_at(Context& ctx, DiagCode code, Span span, std::vector<std::string> args, Span caret) {
  const ReportedPlace place = place_in_program(ctx, span);
  Diagnostic d{code, place.span, std::move(args), {}, "", place.called ? Span{} : caret};
  if (place.called && !place.called->in_library.empty()) {
    d.span = span;
    d = in_library(ctx, place.called->in_library, d, place.span);
  } else if (place.called && !ctx.policy.has_objects)  // which such functions are written with
    d = no_such_name(ctx.policy, *place.called, place.span);
  d.hint = hint_in_language(ctx.policy, d);
  d.notes = calls_to(place.in);
  add(ctx, std::move(d));
  return silent(ctx);
}

Value refused_function(Context& ctx, const syntax::Function& f, const Node* node) {
  Diagnostic d = *f.refusal;
  auto* call = syntax::as<syntax::Call>(node);
  const Span use = call && call->func ? call->func->span : node->span;
  if (!f.in_library.empty()) d = in_library(ctx, f.in_library, d, use);
  if (!d.span.known()) d.span = use;
  const ReportedPlace place = place_in_program(ctx, d.span);
  if (place.called) return error_at(ctx, d.code, d.span, d.args);
  if (d.hint.empty()) d.hint = hint_in_language(ctx.policy, d);
  d.notes = calls_to(place.in);
  add(ctx, std::move(d));
  return silent(ctx);
}

void warn(Context& ctx, DiagCode code, const Node* node, std::vector<std::string> args) {
  const ReportedPlace place = place_in_program(ctx, node->span);
  Warning w{code, place.in->index, place.span, std::move(args)};
  const uint32_t definition = place.in->function->span.line;
  w.span.line -= definition;
  w.span.end_line -= definition;
  std::vector<Warning>& all = ctx.diagnosis.warnings;
  if (std::ranges::find(all, w) == all.end()) all.push_back(std::move(w));
}

Value silent(Context& ctx) {
  ++ctx.diagnosis.blamed;
  return Value::unknown();
}

void fail(Context& ctx, WebState& state) {
  if (!ctx.session.explaining || state.failed || ctx.diagnosis.blamed == ctx.diagnosis.began.blamed)
    return;
  state.failed = ctx.diagnosis.failed_more = true;
  const auto first = ctx.diagnosis.diagnostics.begin() +
                     static_cast<std::ptrdiff_t>(ctx.diagnosis.began.diagnostics);
  ctx.session.causes.insert(ctx.session.causes.end(), first, ctx.diagnosis.diagnostics.end());
}

Value error(Context& ctx, DiagCode code, const Node* node, std::vector<std::string> args) {
  return error_at(ctx, code, node->span, std::move(args));
}

Value operator_error(Context& ctx, DiagCode code, const Node* node, const Node* left,
                     const Node* right, std::string_view sign, std::vector<std::string> args) {
  Span caret;
  if (left && right) caret = operator_place(ctx.program.files, left->span, right->span, sign);
  return error_at(ctx, code, operation_place(node, left, right), std::move(args), caret);
}

bool is_launched_kernel(std::string_view class_name) {
  return std::ranges::find(kLaunchedKernels, class_name) != std::end(kLaunchedKernels);
}

// Some classes have a way into kernels that others have not.
static Value foreign_object(Context& ctx, const Node* node, const std::string& class_name) {
  if (class_name == "tuple") return error(ctx, DiagCode::foreign_tuple, node);
  if (is_launched_kernel(class_name)) {
    auto* subscript = syntax::as<syntax::Subscript>(node);
    const std::string kernel = written(subscript ? subscript->value : node, "it");
    return error(ctx, DiagCode::kernel_called_in_kernel, node, {kernel});
  }
  if (class_name == "numpy.ndarray")
    return error(ctx, DiagCode::foreign_array, node, {std::to_string(64 * 1024)});
  if (class_name == "list") return error(ctx, DiagCode::foreign_list, node, {class_name});
  const bool bytes = class_name == "bytes" || class_name == "bytearray";
  return error(ctx, bytes ? DiagCode::foreign_bytes : DiagCode::foreign_object, node, {class_name});
}

Value wrong_kind(Context& ctx, DiagCode code, const Node* node, const Value& value,
                 std::vector<std::string> args) {
  if (value.contains_unknown()) return Value::unknown();
  if (auto* object = value.as<Value::Object>())
    return foreign_object(ctx, node, object->class_name);
  if (value.is<Value::Keywords>()) return error(ctx, DiagCode::keywords_use, node);
  return error(ctx, code, node, std::move(args));
}

bool too_deep(Context& ctx, const Node* node) {
  if (ctx.levels <= syntax::kMaxNesting) return false;
  if (!ctx.diagnosis.met_too_deep)
    error(ctx, DiagCode::nested_too_deep, node, {std::to_string(syntax::kMaxNesting)});
  ctx.diagnosis.met_too_deep = true;  // once is enough
  silent(ctx);
  return true;
}

static std::string referred_text(const Value::Array& reference) {
  return reference.name.empty() ? "another array" : "an element of '" + reference.name + "'";
}

Value array_choice(Context& ctx, const std::string& what, const ArrayPair& arrays,
                   const Node* node) {
  if (arrays.first->reference && arrays.second->reference)
    return error(ctx, DiagCode::reference_choice, node,
                 {what, referred_text(*arrays.first), referred_text(*arrays.second)});
  if (arrays.first->name.empty() || arrays.second->name.empty())
    return error(ctx, DiagCode::two_arrays, node, {what});
  return error(ctx, DiagCode::array_choice, node, {what, arrays.first->name, arrays.second->name});
}

Value function_choice(Context& ctx, const std::string& what, const Node* node) {
  const bool has_choices = ctx.policy.has_objects;
  return error(ctx, has_choices ? DiagCode::function_choice : DiagCode::function_known, node,
               {what});
}

Value not_implemented(Context& ctx, const Node* node, const std::string& what) {
  return error(ctx, DiagCode::not_implemented, node, {what});
}

Value not_implemented(Context& ctx, const Node* node, const std::string& what,
                      const std::string& instead) {
  return error(ctx, DiagCode::not_implemented_but, node, {what, instead});
}

Value unknown_name(Context& ctx, const Node* node, const std::string& name) {
  if (ctx.instance->webs->is_hidden(name)) return silent(ctx);
  if (const std::string ours = foreign_name_hint(ctx.policy, name); !ours.empty())
    return error(ctx, DiagCode::foreign_name, node, {name, ours});
  const std::string ours = name_in_module(ctx.policy, name);
  if (ours == name)  // of the module itself
    return error(
        ctx, DiagCode::unknown_module, node,
        {name, "from " + std::string(language_names(ctx.policy).module) + " import " + name});
  if (!ours.empty()) return error(ctx, DiagCode::name_of_module, node, {name, ours});
  if (const std::string statement = import_of(name); !statement.empty())
    return error(ctx, DiagCode::unknown_module, node, {name, statement});
  std::vector<std::string> candidates;
  candidates.reserve(ctx.instance->webs->webs.size());
  for (const Web& web : ctx.instance->webs->webs) candidates.push_back(web.name);
  for (const auto& [bound, binding] : ctx.instance->function->bindings)
    if (auto* n = syntax::as<syntax::Name>(bound);
        n && binding.kind != syntax::Binding::Kind::Undefined)
      candidates.push_back(n->id);
  const std::string close = closest(name, candidates);
  if (close.empty()) return error(ctx, DiagCode::unknown_name, node, {name});
  return error(ctx, DiagCode::unknown_name_close, node, {name, close});
}

std::string what_it_is(const Node* node, const Value& value) {
  return syntax::as<syntax::Name>(node) ? described(node, value) + "; " : "";
}

std::string described(const Node* node, const Value& value) {
  if (auto* name = syntax::as<syntax::Name>(node)) return name->id + " is " + type_text(value);
  return type_text(value);
}

bool in_func(const Context& ctx) {
  // What calls a function that stands within another one says nothing: only the latter makes it.
  // Where a function of the IR is called first says nothing of its other calls.
  bool is_caller = false;
  for (const Instance* i = ctx.instance; i && (is_caller || !i->dead_on_host);
       i = i->enclosing ? i->enclosing : i->parent) {
    if (i->function->kind == syntax::FunctionKind::Func) return true;
    is_caller |= i->begins_function;
  }
  return false;
}

Value slicing(Context& ctx, const Node* node) {
  return not_implemented(ctx, node, "slicing",
                         "take elements one by one: a[i] in each thread with an i of its own, or "
                         "in a loop such as for i in range(a.shape[0])");
}

Value unsupported(Context& ctx, const Node* node) {
  std::string what;
  switch (node->kind) {
    case NodeKind::Unsupported:
      what = syntax::as<syntax::Unsupported>(node)->what;
      break;
    case NodeKind::Starred:
      what = "Starred";
      break;
    case NodeKind::JoinedStr:
      what = "JoinedStr";
      break;
    default:
      return slicing(ctx, node);
  }
  const Refusal refusal = refusal_of(ctx.policy, what);
  if (refusal.planned) return not_implemented(ctx, node, refusal.name, refusal.hint);
  return error(ctx, DiagCode::unsupported_syntax, node, {refusal.name, refusal.hint});
}

// Once some functions are called for its size, a kernel has no SIMD to lose: it may as well be
// smaller.
static bool is_larger_than_allowed(const Context& ctx, uint32_t share) {
  constexpr uint32_t kMaxInstructions = 1'000'000;
  constexpr uint32_t kMaxInlined = 50'000;  // calls
  return ctx.function->inst_count() > kMaxInstructions / share ||
         ctx.inlined_calls > kMaxInlined / share;
}

bool too_large(Context& ctx, const Node* node) {
  constexpr uint32_t kManyInlined = 5'000;  // more are what makes the kernel large
  constexpr uint32_t kShareWithCalls = 10;
  Diagnosis& diagnosis = ctx.diagnosis;
  if (ctx.met_too_large) {
    silent(ctx);
    return true;
  }
  const bool has_calls = ctx.session.rounds_of_size > 0;
  if (!is_larger_than_allowed(ctx, has_calls ? kShareWithCalls : 1)) return false;
  const bool is_smaller_next = !ctx.stays_large && call_large_functions(ctx);
  ctx.stays_large = true;
  if (!is_smaller_next) {
    if (!is_larger_than_allowed(ctx, 1)) return false;
    error(ctx, DiagCode::program_too_large, node);
    if (ctx.inlined_calls > kManyInlined && ctx.policy.has_sequences)
      diagnosis.diagnostics.back().hint =
          "functions that are called in many places: @device.func(inline=\"never\") makes one copy "
          "of each";
  }
  ctx.met_too_large = true;
  silent(ctx);
  return true;
}

}  // namespace cuda_device::frontend
