// Small programs of threads that share variables, as litmus tests write them: "x=1; f; r0=y | ...",
// threads side by side. x, y and z are variables, accessed by atomic operations, or as plain memory
// where a dot stands before them; r0 ... r7 are registers, each of one thread.
//
//   x=1    a store          r0=x+1    an addition, which gives the value before
//   r0=x   a load           r0=x?1:2  a compare-and-swap of 1 for 2, which gives the value before
//   f      a fence
#pragma once

#include <algorithm>
#include <functional>
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
  enum class Kind { Load, Store, Add, Cas, Fence } kind;
  bool plain = false;
  size_t variable = 0, result = 0;
  int32_t value = 0, expected = 0;
};
using LitmusThread = std::vector<LitmusStep>;
using LitmusProgram = std::vector<LitmusThread>;

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    std::erase(part, ' ');
    parts.push_back(part);
  }
  return parts;
}

inline LitmusStep litmus_step(const std::string& text) {
  using Kind = LitmusStep::Kind;
  if (text == "f") return {.kind = Kind::Fence};
  const size_t equals = text.find('=');
  std::string left = text.substr(0, equals), right = text.substr(equals + 1);
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
  s.result = static_cast<size_t>(left[1] - '0');
  const size_t colon = right.find(':');
  if (right.size() > 1) s.kind = colon == std::string::npos ? Kind::Add : Kind::Cas;
  if (s.kind == Kind::Add) s.value = std::stoi(right.substr(2));
  if (s.kind == Kind::Cas) {
    s.expected = std::stoi(right.substr(2));
    s.value = std::stoi(right.substr(colon + 1));
  }
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

// ---- the model: threads take turns, a step each, and all see one memory ----

inline void act(const LitmusStep& s, Memory& m) {
  using Kind = LitmusStep::Kind;
  if (s.kind == Kind::Fence) return;
  int32_t& place = m[s.variable];
  const int32_t old = place;
  if (s.kind == Kind::Store) place = s.value;
  if (s.kind == Kind::Add) place = old + s.value;
  if (s.kind == Kind::Cas && old == s.expected) place = s.value;
  if (s.kind != Kind::Store) m[kVariables + s.result] = old;
}

inline void interleave(const LitmusProgram& program, std::vector<size_t>& at, const Memory& m,
                       std::set<Memory>& outcomes) {
  bool all_done = true;
  for (size_t t = 0; t < program.size(); ++t) {
    if (at[t] == program[t].size()) continue;
    all_done = false;
    Memory after = m;
    act(program[t][at[t]++], after);
    interleave(program, at, after, outcomes);
    --at[t];
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

// Registers are stored to memory when a thread has taken all its steps.
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
      const std::string number = constant("int32", static_cast<int64_t>(t));
      const std::string mine = value("eq %me, " + number + " : bool");
      out_ += "  if " + mine + " {\n";
      thread(program[t]);
      out_ += "  }\n";
    }
    return out_ + "}\n";
  }

 private:
  void thread(const LitmusThread& steps) {
    std::vector<std::pair<size_t, std::string>> results;
    for (const LitmusStep& s : steps) {
      const std::string found = step(s);
      if (!found.empty()) results.emplace_back(s.result, found);
    }
    for (const auto& [result, found] : results)
      out_ += "  store %m, " + place(kVariables + result) + ", " + found + "\n";
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
    if (s.kind == Kind::Add) return value("atomic_rmw" + how + at + ", " + operand + " : int32");
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
                                           Kind::Add,  Kind::Cas,  Kind::Fence};
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
