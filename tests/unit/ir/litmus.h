// Litmus tests of memory orders, as tests/litmus/programs.txt has and explains them: "x=1; f; r0=y
// |
// ...", threads side by side.
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ir/atomic.h"
#include "unit/ir/schedules.h"

namespace cuda_device::ir::test {

constexpr size_t kVariables = 3, kRegisters = 8;

struct LitmusStep {
  enum class Kind { Load, Store, Add, Exch, Cas, Fence, If } kind;
  bool plain = false;
  size_t variable = 0, result = 0;
  int32_t value = 0, expected = 0;
};
using LitmusThread = std::vector<LitmusStep>;
using LitmusProgram = std::vector<LitmusThread>;

inline size_t digit(char c) { return static_cast<size_t>(c - '0'); }

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    std::erase(part, ' ');
    parts.push_back(part);
  }
  return parts;
}

// What reads "=x+1" and the like after a register.
inline void read_right(LitmusStep& s, const std::string& right) {
  using Kind = LitmusStep::Kind;
  if (right.size() == 1) return;
  s.kind = right[1] == '+' ? Kind::Add : right[1] == ':' ? Kind::Exch : Kind::Cas;
  s.value = std::stoi(right.substr(2));
  if (s.kind != Kind::Cas) return;
  s.expected = s.value;
  s.value = std::stoi(right.substr(right.find(':') + 1));
}

inline LitmusStep litmus_step(const std::string& text) {
  using Kind = LitmusStep::Kind;
  if (text == "f") return {.kind = Kind::Fence};
  const size_t equals = text.find('=');
  std::string left = text.substr(0, equals), right = text.substr(equals + 1);
  if (left.starts_with("ifr"))
    return {.kind = Kind::If, .result = digit(left[3]), .expected = std::stoi(right)};
  std::string& place = left[0] == 'r' ? right : left;
  const bool plain = place[0] == '.';
  if (plain) place.erase(0, 1);
  LitmusStep s{.kind = Kind::Store, .plain = plain};
  s.variable = static_cast<size_t>(place[0] - 'x');
  if (left[0] != 'r') {
    s.value = std::stoi(right);
    return s;
  }
  s.kind = Kind::Load;
  s.result = digit(left[1]);
  read_right(s, right);
  return s;
}

inline LitmusProgram litmus(const std::string& text) {
  LitmusProgram program;
  for (const std::string& thread : split(text, '|')) {
    program.emplace_back();
    for (const std::string& step : split(thread, ';')) program.back().push_back(litmus_step(step));
  }
  return program;
}

// ---- the table ----

struct LitmusTest {
  std::string name;
  LitmusProgram program;
  std::vector<std::pair<size_t, int32_t>> never;  // places in memory, and what they hold
  ThreadScope narrowest = ThreadScope::Block;
  size_t ends = 0;

  bool has_never(const Memory& m) const {
    return std::ranges::all_of(never, [&](const auto& one) { return m[one.first] == one.second; });
  }
};

// Columns are two spaces or more apart.
inline std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (size_t at = 0; at < line.size(); at = line.find_first_not_of(' ', at)) {
    const size_t end = std::min(line.find("  ", at), line.size());
    columns.push_back(line.substr(at, end - at));
    at = end;
  }
  return columns;
}

inline LitmusTest litmus_test(const std::vector<std::string>& columns) {
  LitmusTest test;
  test.name = columns.at(0);
  test.program = litmus(columns.at(1));
  std::istringstream never(columns.at(2));
  for (std::string one; never >> one;) {
    const size_t equals = one.find('=');
    const size_t place = one[0] == 'r' ? kVariables + digit(one[1]) : one[0] - 'x';
    test.never.emplace_back(place, std::stoi(one.substr(equals + 1)));
  }
  const auto scope = std::ranges::find(kThreadScopes, columns.at(4));
  test.narrowest = static_cast<ThreadScope>(scope - kThreadScopes.begin());
  test.ends = std::stoul(columns.at(5));
  return test;
}

inline std::vector<LitmusTest> litmus_tests() {
  std::vector<LitmusTest> tests;
  std::ifstream table(CD_LITMUS_PROGRAMS);
  for (std::string line; std::getline(table, line);)
    if (!line.empty() && line[0] != '#') tests.push_back(litmus_test(columns_of(line)));
  return tests;
}

// ---- the model: threads take turns, a step each, and all see one memory ----

inline void act(const LitmusStep& s, Memory& m) {
  using Kind = LitmusStep::Kind;
  if (s.kind == Kind::Fence || s.kind == Kind::If) return;
  int32_t& place = m[s.variable];
  const int32_t old = place;
  if (s.kind == Kind::Store || s.kind == Kind::Exch) place = s.value;
  if (s.kind == Kind::Add) place = old + s.value;
  if (s.kind == Kind::Cas && old == s.expected) place = s.value;
  if (s.kind != Kind::Store) m[kVariables + s.result] = old;
}

// The number of the step after `at`.
inline size_t step_after(const LitmusThread& thread, size_t at, const Memory& m) {
  const LitmusStep& s = thread[at];
  const bool ends = s.kind == LitmusStep::Kind::If && m[kVariables + s.result] != s.expected;
  return ends ? thread.size() : at + 1;
}

inline void interleave(const LitmusProgram& program, std::vector<size_t>& at, const Memory& m,
                       std::set<Memory>& outcomes) {
  bool all_done = true;
  for (size_t t = 0; t < program.size(); ++t) {
    const size_t now = at[t];
    if (now == program[t].size()) continue;
    all_done = false;
    Memory after = m;
    act(program[t][now], after);
    at[t] = step_after(program[t], now, m);
    interleave(program, at, after, outcomes);
    at[t] = now;
  }
  if (all_done) outcomes.insert(m);
}

inline std::set<Memory> outcomes_of_model(const LitmusProgram& program) {
  std::set<Memory> outcomes;
  std::vector<size_t> at(program.size());
  interleave(program, at, Memory(kVariables + kRegisters), outcomes);
  return outcomes;
}

// ---- the kernel: a thread each, in blocks of their own or in one ----

// The order of a step, and for which threads.
using OrderOf = std::function<AtomicSpec(const LitmusStep&)>;

// Registers are stored to memory when a thread has taken all its steps, or all up to a condition.
class LitmusKernel {
 public:
  explicit LitmusKernel(const OrderOf& order) : order_(order) {}

  std::string text(const LitmusProgram& program) {
    out_ = R"(kernel "litmus"
param @0 "m": array<int32, 1> unit_inner contiguous element_aligned
{
  %m = param @0 : array<int32, 1>
  %me = tid #0 : int32
)";
    for (size_t t = 0; t < program.size(); ++t) {
      open_if("%me", static_cast<int64_t>(t));
      thread(program[t]);
      out_ += "  }\n";
    }
    return out_ + "}\n";
  }

 private:
  void thread(const LitmusThread& steps) {
    registers_.clear();
    size_t conditions = 0;
    for (const LitmusStep& s : steps) {
      if (s.kind == LitmusStep::Kind::If) {
        store_registers();
        open_if(registers_.at(s.result), s.expected);
        ++conditions;
      } else if (const std::string found = step(s); !found.empty()) {
        registers_[s.result] = found;
        unstored_.push_back(s.result);
      }
    }
    store_registers();
    for (; conditions > 0; --conditions) out_ += "  }\n";
  }

  void open_if(const std::string& number, int64_t expected) {
    const std::string is = value("eq " + number + ", " + constant("int32", expected) + " : bool");
    out_ += "  if " + is + " {\n";
  }
  void store_registers() {
    for (const size_t result : unstored_)
      out_ += "  store %m, " + place(kVariables + result) + ", " + registers_.at(result) + "\n";
    unstored_.clear();
  }

  // What it gives; empty: nothing.
  std::string step(const LitmusStep& s) {
    using Kind = LitmusStep::Kind;
    AtomicSpec spec = order_(s);
    if (s.kind == Kind::Add) spec.kind = AtomicKind::Add;
    const std::string how = s.plain ? "" : " " + to_string(spec) + ",";
    const std::string atomic = s.plain ? "" : "atomic_";
    if (s.kind == Kind::Fence) {
      out_ += "  fence " + to_string(spec) + "\n";
      return "";
    }
    const std::string at = " %m, " + place(s.variable);
    if (s.kind == Kind::Load) return value(atomic + "load" + how + at + " : int32");
    const std::string operand = constant("int32", s.value);
    if (s.kind == Kind::Store) {
      out_ += "  " + atomic + "store" + how + at + ", " + operand + "\n";
      return "";
    }
    if (s.kind != Kind::Cas) return value("atomic_rmw" + how + at + ", " + operand + " : int32");
    const std::string expected = constant("int32", s.expected);
    return value("atomic_cas" + how + at + ", " + expected + ", " + operand + " : int32");
  }

  std::string place(size_t index) { return constant("int64", static_cast<int64_t>(index)); }
  std::string constant(const std::string& type, int64_t number) {
    return value("const " + std::to_string(number) + " : " + type);
  }
  std::string value(const std::string& operation) {
    const std::string name = "%v" + std::to_string(values_++);
    out_ += "  " + name + " = " + operation + "\n";
    return name;
  }

  const OrderOf& order_;
  std::string out_;
  std::map<size_t, std::string> registers_;  // of the thread: their values
  std::vector<size_t> unstored_;
  int values_ = 0;
};

inline Grid grid_of(const LitmusProgram& program, bool one_block) {
  const auto threads = static_cast<uint32_t>(program.size());
  return one_block ? Grid{{1, 1, 1}, {threads, 1, 1}} : Grid{{threads, 1, 1}, {1, 1, 1}};
}

// ---- orders ----

inline const std::vector<MemoryOrder>& orders_for(LitmusStep::Kind kind) {
  using enum MemoryOrder;
  static const std::vector<MemoryOrder> kLoads = {Relaxed, Acquire, SeqCst};
  static const std::vector<MemoryOrder> kStores = {Relaxed, Release, SeqCst};
  static const std::vector<MemoryOrder> kFences = {Acquire, Release, AcqRel, SeqCst};
  static const std::vector<MemoryOrder> kAll = {Relaxed, Acquire, Release, AcqRel, SeqCst};
  switch (kind) {
    case LitmusStep::Kind::Load:
      return kLoads;
    case LitmusStep::Kind::Store:
      return kStores;
    case LitmusStep::Kind::Fence:
      return kFences;
    default:
      return kAll;
  }
}

template <class T>
inline const T& one_of(const std::vector<T>& all, std::mt19937& random) {
  return all[random() % all.size()];
}

inline AtomicSpec random_order(const LitmusStep& s, std::mt19937& random, ThreadScope narrowest) {
  const auto first = static_cast<unsigned>(narrowest);
  const auto scope = static_cast<ThreadScope>(first + random() % (kThreadScopes.size() - first));
  return {.order = one_of(orders_for(s.kind), random), .scope = scope};
}

// Two or three threads of up to three steps each; `plain`: some accesses are no atomic ones.
inline LitmusProgram random_litmus(std::mt19937& random, bool plain) {
  using Kind = LitmusStep::Kind;
  static const std::vector<Kind> kKinds = {Kind::Load, Kind::Load, Kind::Store, Kind::Store,
                                           Kind::Add,  Kind::Exch, Kind::Cas,   Kind::Fence};
  LitmusProgram program(2 + random() % 2);
  size_t results = 0;
  for (LitmusThread& thread : program) {
    const size_t steps = 2 + random() % (program.size() == 2 ? 3 : 2);
    for (size_t i = 0; i < steps; ++i) {
      LitmusStep s{.kind = one_of(kKinds, random)};
      const bool gives = s.kind != Kind::Store && s.kind != Kind::Fence;
      if (gives && results == kRegisters) s.kind = Kind::Store;
      if (gives && results < kRegisters) s.result = results++;
      s.plain = plain && (s.kind == Kind::Load || s.kind == Kind::Store) && random() % 3 == 0;
      s.variable = random() % 2;
      s.value = 1 + static_cast<int32_t>(random() % 2);
      s.expected = static_cast<int32_t>(random() % 2);
      thread.push_back(s);
    }
  }
  return program;
}

}  // namespace cuda_device::ir::test
