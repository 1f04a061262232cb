// The dialect is one policy object: the same function, two sets of types.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/counterparts.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/diagnosis/unsupported.h"
#include "frontend/language_names.h"
#include "frontend/policy.h"
#include "program_reader.h"

namespace cuda_device::frontend::testing {
namespace {

TEST(Dialect, oneFunctionTwoPolicies) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/dialects.cases");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(result_type(cases[0].request()), "(float, float32, int8, float32, float32, int)");
  EXPECT_EQ(result_type(cases[1].request()), "(int32, float32, int32, float64, float64, int64)");
}

std::optional<TypeCode> always_float64(TypeCode, TypeCode) { return TypeCode::f8; }

// What a variable is and what an operator computes in are two questions.
TEST(Dialect, joinsAndOperatorsAskApart) {
  const std::deque<Case> cases = read_cases(CD_TEST_PROGRAMS "/dialects.cases");
  const Request request = cases.at(2).request();
  EXPECT_EQ(result_type(request), "(float32, float32, float32, float32)");
  Policy joins = policy_of(DialectName::Device);
  joins.unify = always_float64;
  EXPECT_EQ(result_type(request, joins), "(float64, float64, float32, float32)");
  Policy operators = policy_of(DialectName::Device);
  operators.operator_type = always_float64;
  EXPECT_EQ(result_type(request, operators), "(float32, float32, float64, float64)");
}

// ------------------------------------------------------------ hints name what the dialect has

// Things of the guide's language, and of Python, that NumbaPro's dialect lacks.
constexpr const char* kOfOthers =
    R"((^|[^.\w])device\.\w|@kernel|@func|@cuda\.device|@dataclass|\blaunch\(|\bshared=|\bprint|)"
    R"(\braise\b|\bassert\b|\bstruct|\bview\b|\breshape|\bastype|shared_array|local_array|\bNone\b|)"
    R"(\bmatch\b|\blambda\b|\bzip\b|\benumerate\b|\breversed\b|\bisinstance\b|\.T\b|\bslice|)"
    R"(\bbuiltins=|\bexecution=|\binline=|\balign\(|\batomic|\bvector|f-string|)"
    R"(\bstring|generator|dynamic_shared)";
// Names of its module that kernels do not have.
constexpr const char* kOfTheHost[] = {"jit", "event", "event_elapsed_time", "device"};

void expect_own(const Policy& policy, std::string hint, const std::string& where) {
  // What kernels of the other language do may be said, by the name of its decorator.
  hint = hint.substr(0, hint.find("kernels of @cuda.device.kernel"));
  std::smatch found;
  EXPECT_FALSE(std::regex_search(hint, found, std::regex(kOfOthers)))
      << where << ": '" << found.str() << "' in: " << hint;
  const std::regex name(R"((^|[^.\w])cuda\.([a-z]\w*(\.[a-z]\w*)?))");
  for (std::sregex_iterator it(hint.begin(), hint.end(), name), end; it != end; ++it) {
    const std::string full = (*it)[2], first = full.substr(0, full.find('.'));
    const bool known =
        find_intrinsic(std::string(language_names(policy).own_prefix) + "cuda." + full) ||
        std::ranges::find(kOfTheHost, first) != std::end(kOfTheHost);
    EXPECT_TRUE(known) << where << ": there is no cuda." << full << " in: " << hint;
  }
}

TEST(Dialect, hintsOfMessagesNameWhatItHas) {
  const Policy& policy = policy_of(DialectName::NumbaPro);
  const auto absent = language_names(policy).absent;
  size_t count = 0;
  for (auto n = static_cast<uint16_t>(DiagCode::unknown_name);
       n <= static_cast<uint16_t>(DiagCode::unsupported_syntax); ++n) {
    const auto code = static_cast<DiagCode>(n);
    if (std::ranges::find(absent, code) != absent.end()) continue;
    const Diagnostic d{code, {}, {"a0", "a1", "a2", "a3", "a4"}, {}, ""};
    expect_own(policy, hint_in_language(policy, d), info(code).name);
    ++count;
  }
  EXPECT_GT(count, 80u);
  EXPECT_FALSE(absent.empty());
}

TEST(Dialect, hintsOfRefusalsNameWhatItHas) {
  const Policy& policy = policy_of(DialectName::NumbaPro);
  const auto expect = [&](DiagCode code, std::vector<std::string> args, const std::string& where) {
    expect_own(policy, hint_in_language(policy, {code, {}, std::move(args), {}, ""}), where);
  };
  for (const char* ast_class :
       {"With",         "AsyncWith",  "Try",         "TryStar",     "ClassDef",
        "Import",       "ImportFrom", "Global",      "Nonlocal",    "Delete",
        "Yield",        "YieldFrom",  "Await",       "AsyncFor",    "AsyncFunctionDef",
        "TypeAlias",    "ListComp",   "SetComp",     "DictComp",    "List",
        "Dict",         "Set",        "JoinedStr",   "TemplateStr", "Interpolation",
        "GeneratorExp", "Lambda",     "FunctionDef", "Match",       "Is",
        "Starred",      "vararg",     "kwarg"}) {
    const Refusal refusal = refusal_of(policy, ast_class);
    expect(DiagCode::unsupported_syntax, {refusal.name, refusal.hint}, ast_class);
  }
  for (const RefusedName& refused : language_names(policy).refused_names)
    expect(DiagCode::foreign_call, {"f", refused.hint}, std::string(refused.entity));
  for (const char* name : {"time.time", "random.random", "os.getcwd", "numpy.linalg.solve"})
    expect(DiagCode::foreign_call, {name, host_hint(policy, name)}, name);
  for (const char* module : {"math", "numpy", "np", "cuda", "device"})
    expect(DiagCode::unknown_module, {module, import_of(module)}, module);
}

// Names of other systems: their counterparts are the dialect's own.
TEST(Dialect, hintsOfForeignNamesNameWhatItHas) {
  const Policy& policy = policy_of(DialectName::NumbaPro);
  size_t count = 0;
  for (const char* name : {
#define FOREIGN_NAME(name, ours, entity) name,
#define HOST(name, ours)
#include "support/foreign_names.def"
       }) {
    const std::string ours = foreign_name_hint(policy, name);
    const Diagnostic d{DiagCode::foreign_name, {}, {name, ours}, {}, ""};
    if (!ours.empty()) expect_own(policy, hint_in_language(policy, d), name);
    count += !ours.empty();
  }
  EXPECT_GT(count, 20u);
}

// A name within a hint, of a type and of what has a counterpart; others stay.
TEST(Dialect, namesInHintsAreItsOwn) {
  const Policy& policy = policy_of(DialectName::NumbaPro);
  const Diagnostic d{DiagCode::tuple_assigned, {}, {"x"}, {}, ""};
  EXPECT_EQ(hint_in_language(policy, d),
            "tuples do not change; elements of cuda.local.array(shape, dtype) do");
  EXPECT_EQ(hint_in_language(policy_of(DialectName::Device), d), hint_of(d));
  const Diagnostic type{DiagCode::needs_integer, {}, {"x", "y"}, {}, ""};
  EXPECT_EQ(hint_in_language(policy, type), "convert with a fixed format such as int32()");
}

}  // namespace
}  // namespace cuda_device::frontend::testing
