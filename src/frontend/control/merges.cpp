#include "frontend/control/merges.h"

#include <algorithm>
#include <iterator>

namespace cuda_device::frontend {

// The definition that reaches a point; kUndefined: none does.
static uint32_t reaching(const Flow& flow, uint32_t variable) {
  return flow.variables[variable].front();
}

static Reaching with_undefined(uint32_t definition, bool undefined) {
  return undefined && definition != kUndefined ? Reaching{definition, kUndefined}
                                               : Reaching{definition};
}

Flow Merges::meet(std::span<const Arrival> arrivals) {
  Flow met{false, {}};
  for (const Arrival& one : arrivals) met.reachable |= one.flow.reachable;
  if (!met.reachable) return met;
  met.variables.reserve(kept_.size());
  for (uint32_t v = 0; v < kept_.size(); ++v) met.variables.push_back(meet(v, arrivals));
  return met;
}

Reaching Merges::meet(uint32_t variable, std::span<const Arrival> arrivals) {
  std::set<uint32_t> webs;
  bool undefined = false;
  uint32_t into = kUndefined;
  for (const Arrival& one : arrivals) {
    if (!one.flow.reachable) continue;
    undefined |= one.flow.variables[variable].back() == kUndefined;
    const uint32_t definition = reaching(one.flow, variable);
    if (definition == kUndefined) continue;
    into = std::min(into, definition);
    webs.insert(webs_.find(definition));
  }
  const bool kept = !kept_[variable].empty();
  if (kept && !webs.empty()) webs.insert(webs_.find(kept_[variable].back()));
  if (webs.size() < 2) return with_undefined(into, undefined);
  into = kept ? kept_[variable].back() : webs_.add();
  if (!kept) variable_of_.push_back(variable);
  for (const Arrival& one : arrivals) {
    const uint32_t from = one.flow.reachable ? reaching(one.flow, variable) : kUndefined;
    if (from != kUndefined && webs_.find(from) != webs_.find(into))
      copies_.push_back({one.edge, from, into, kept});
  }
  return with_undefined(into, undefined);
}

// The variables that the loop assigns and does not count with.
std::set<uint32_t> Merges::assigned(const LoopDefinitions& loop) const {
  std::set<uint32_t> found;
  for (const auto* definitions : {&loop.others, &loop.inner_counters})
    for (const uint32_t definition : *definitions) found.insert(variable_of_[definition]);
  return found;
}

void Merges::enter(Flow& flow, const LoopDefinitions& loop) {
  for (const uint32_t variable : assigned(loop)) keep_before(flow, variable, loop);
  for (const uint32_t counter : loop.counters) {
    kept_[variable_of_[counter]].push_back(counter);
    keep(counter, loop.counted);
  }
}

// The variable keeps the type that it has before the loop, or else that of the first definition in
// it.
void Merges::keep_before(Flow& flow, uint32_t variable, const LoopDefinitions& loop) {
  std::vector<uint32_t>& kept = kept_[variable];
  const bool undefined = flow.variables[variable].back() == kUndefined;
  uint32_t first = kept.empty() ? reaching(flow, variable) : kept.back();
  if (first == kUndefined) {
    std::vector<uint32_t> inside;
    for (const auto* definitions : {&loop.others, &loop.inner_counters})
      std::ranges::copy_if(*definitions, std::back_inserter(inside),
                           [&](uint32_t d) { return variable_of_[d] == variable; });
    std::ranges::sort(inside);  // as the source has them
    first = inside.front();
    first_in_loops_.push_back(std::move(inside));
  }
  if (kept.empty()) keep(first, loop.others);
  kept.push_back(first);
  flow.variables[variable] = with_undefined(first, undefined);
}

void Merges::settle() {
  for (const std::vector<uint32_t>& inside : first_in_loops_) {
    const auto first = std::ranges::find_if(inside, [&](uint32_t d) { return reached_[d]; });
    if (first == inside.end()) continue;
    webs_.unite(inside.front(), *first);
    keeps_type_[*first] = false;
  }
}

// Definitions of one variable with the type of one of them.
void Merges::keep(uint32_t type_of, const std::vector<uint32_t>& definitions) {
  for (const uint32_t definition : definitions) {
    if (definition == type_of || variable_of_[definition] != variable_of_[type_of]) continue;
    webs_.unite(type_of, definition);
    keeps_type_[definition] = true;
  }
}

void Merges::leave(Flow& flow, const LoopDefinitions& loop, std::span<const Arrival> arrivals) {
  for (const uint32_t variable : assigned(loop)) kept_[variable].pop_back();
  for (const uint32_t counter : loop.counters) kept_[variable_of_[counter]].pop_back();
  for (const uint32_t counter : loop.counters)
    flow.variables[variable_of_[counter]] = meet(variable_of_[counter], arrivals);
}

std::vector<Merges::CopyOfDefinition> Merges::copies(std::set<uint32_t> read) {
  for (size_t before = 0; before != read.size();) {
    before = read.size();
    for (const CopyOfDefinition& one : copies_)
      if (read.contains(webs_.find(one.into))) read.insert(webs_.find(one.from));
  }
  std::vector<CopyOfDefinition> found;
  for (const CopyOfDefinition& one : copies_)
    if (read.contains(webs_.find(one.into)) && webs_.find(one.from) != webs_.find(one.into))
      found.push_back(one);
  return found;
}

}  // namespace cuda_device::frontend
