// Where paths meet in NumbaPro's dialect: a variable that has one type on one path and another type
// on the other is a variable of its own from there on, into which both are converted: a phi, whose
// copies stand at the ends of the paths. A loop keeps the type that a variable has before it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "frontend/control/webs.h"
#include "support/disjoint_sets.h"

namespace cuda_device::frontend {

constexpr uint32_t kUndefined = ~0u;

// Definitions of one variable that reach a point, sorted; kUndefined: the entry of the function
// does. Copies share them: each loop keeps those of all variables.
class Reaching {
 public:
  explicit Reaching(std::vector<uint32_t> definitions)
      : definitions_(std::make_shared<const std::vector<uint32_t>>(std::move(definitions))) {}
  Reaching(std::initializer_list<uint32_t> definitions)
      : Reaching(std::vector<uint32_t>(definitions)) {}

  auto begin() const { return definitions_->begin(); }
  auto end() const { return definitions_->end(); }
  uint32_t front() const { return definitions_->front(); }
  uint32_t back() const { return definitions_->back(); }
  size_t size() const { return definitions_->size(); }
  friend bool operator==(const Reaching& a, const Reaching& b) {
    return a.definitions_ == b.definitions_ || *a.definitions_ == *b.definitions_;
  }

 private:
  std::shared_ptr<const std::vector<uint32_t>> definitions_;
};

struct Flow {
  bool reachable = true;
  std::vector<Reaching> variables;
  friend bool operator==(const Flow&, const Flow&) = default;
};

// A path that comes to where others do.
struct Arrival {
  Edge edge;
  Flow flow;
};

// The definitions in a loop, in the order of the program.
struct LoopDefinitions {
  std::vector<uint32_t> counters;  // by its head
  std::vector<uint32_t> counted;   // of variables that it counts with, in its body
  std::vector<uint32_t> others;    // in its body or test, but for what a loop in it counts with
  std::vector<uint32_t> inner_counters;  // of variables that it does not count with
};

// The webs of the dialect. One definition alone reaches a point: one of the source, or a merge.
// Merges have the numbers after those of the source.
class Merges {
 public:
  struct CopyOfDefinition {
    Edge edge;
    uint32_t from, into;
    bool keeps_type;
  };

  // variable_of: by definition of the source.
  Merges(DisjointSets& webs, std::vector<uint32_t> variable_of, uint32_t variables)
      : webs_(webs),
        variable_of_(std::move(variable_of)),
        kept_(variables),
        keeps_type_(variable_of_.size()),
        reached_(variable_of_.size()) {}

  // Some path comes to the definition.
  void reach(uint32_t definition) { reached_[definition] = true; }
  Flow meet(std::span<const Arrival> arrivals);
  // Makes the flow before a loop that at its head.
  void enter(Flow& flow, const LoopDefinitions& loop);
  // Makes the flow at the head that after the loop, where no iteration follows. arrivals: what
  // comes to the head, from before the loop and from the ends of its iterations.
  void leave(Flow& flow, const LoopDefinitions& loop, std::span<const Arrival> arrivals);

  // Once all is visited: a first assignment in a loop that no path comes to says no type, the next
  // one does.
  void settle();

  bool keeps_type(uint32_t definition) const { return keeps_type_[definition]; }
  // The copies into webs that are read, if those of `read` are.
  std::vector<CopyOfDefinition> copies(std::set<uint32_t> read);

 private:
  Reaching meet(uint32_t variable, std::span<const Arrival> arrivals);
  void keep_before(Flow& flow, uint32_t variable, const LoopDefinitions& loop);
  void keep(uint32_t type_of, const std::vector<uint32_t>& definitions);
  std::set<uint32_t> assigned(const LoopDefinitions& loop) const;

  DisjointSets& webs_;
  std::vector<uint32_t> variable_of_;
  // By variable: a definition with the type that the loops around keep, the innermost loop last.
  std::vector<std::vector<uint32_t>> kept_;
  std::vector<bool> keeps_type_, reached_;
  // What may say the types that loops keep, where nothing before the loop does.
  std::vector<std::vector<uint32_t>> first_in_loops_;
  std::vector<CopyOfDefinition> copies_;
};

}  // namespace cuda_device::frontend
