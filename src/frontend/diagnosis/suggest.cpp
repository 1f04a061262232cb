#include "frontend/diagnosis/suggest.h"

#include <algorithm>
#include <numeric>

#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/counterparts.h"

namespace cuda_device::frontend {
namespace {

struct ForeignName {
  std::string_view name;
  const char* ours;
  const char* entity;
};

constexpr ForeignName kForeignNames[] = {
#define FOREIGN_NAME(name, ours, entity) {name, ours, entity},
#define HOST(name, ours)
#include "support/foreign_names.def"
};

// Functions of the module time.
constexpr std::string_view kClocks[] = {"time",         "time_ns",         "perf_counter",
                                        "monotonic",    "perf_counter_ns", "monotonic_ns",
                                        "process_time", "process_time_ns", "thread_time"};

// What hints name that languages without objects lack.
constexpr std::string_view kOfObjects[] = {"lambda", "zip(", "isinstance", "struct"};

// `entity` as text, if there is one.
std::string known(const std::string& entity) {
  return find_intrinsic(entity) ? with_status(entity, entity) : "";
}

// C's spellings of what Python has too: sqrtf, __sinf, int32_t, __popc.
std::string from_c(std::string name) {
  if (name.ends_with("_t")) return known("device." + name.substr(0, name.size() - 2));
  const bool builtin = name.starts_with("__");
  if (builtin) name = name.substr(2);
  if (std::string text = builtin ? known("device." + name) : ""; !text.empty()) return text;
  return name.ends_with('f') ? known("math." + name.substr(0, name.size() - 1)) : "";
}

size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string with_status(std::string text, const std::string& entity) {
  const Intrinsic* i = find_intrinsic(entity);
  if (i && i->role == Intrinsic::Role::Later) text += ", which is not implemented yet";
  return text;
}

std::string closest(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  if (name.size() < 3) return best;  // every other short name would be close
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name) continue;
    const size_t d = distance(name, candidate);
    // Among equals the first in the alphabet, so that messages do not depend on the order of a hash
    // table.
    if (d < best_distance || (d == best_distance && !best.empty() && candidate < best)) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string foreign_name_hint(const Policy& policy, const std::string& name) {
  for (const ForeignName& foreign : kForeignNames) {
    if (foreign.name != name) continue;
    const std::string ours = foreign.ours;
    const bool is_absent = !policy.has_objects && std::ranges::any_of(kOfObjects, [&](auto word) {
      return ours.find(word) != std::string::npos;
    });
    return is_absent ? "" : in_language(policy, with_status(ours, foreign.entity));
  }
  return in_language(policy, from_c(name));
}

std::string name_in_module(const Policy& policy, const std::string& name) {
  if (name.size() < 3) return "";
  const std::string ours = in_language(policy, known("device." + name));
  return ours.empty() ? known("math." + name) : ours;
}

std::string host_hint(const Policy& policy, const std::string& name) {
  const bool clock =
      std::ranges::find(kClocks, name.substr(name.rfind('.') + 1)) != std::end(kClocks);
  if (clock)
    return "measure outside of the kernel: start = stream.record() before the launch and "
           "end = stream.record() after it, then end - start in milliseconds";
  if (name.find("random.") != std::string::npos)
    return in_language(policy, "device.random makes numbers in kernels; or ") +
           "make the numbers outside of the kernel, and pass them in an array";
  return "call it outside of the kernel, and pass what it gives as an argument; kernels call "
         "Python functions, and those of math and cuda.device";
}

std::string import_of(const std::string& name) {
  for (const auto& [module, statement] : {std::pair{"math", "import math"},
                                          {"numpy", "import numpy"},
                                          {"np", "import numpy as np"},
                                          {"cuda", "from cuda import device"},
                                          {"device", "from cuda import device"}})
    if (name == module) return statement;
  return "";
}

}  // namespace cuda_device::frontend
