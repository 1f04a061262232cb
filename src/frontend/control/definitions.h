// The names that a function binds: where each is defined, of which variable, in which loops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/control/merges.h"
#include "frontend/control/webs.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {

// Variables by name.
using Scope = std::map<std::string, uint32_t>;

struct Definitions {
  std::vector<Definition> all;  // in the order of the program, parameters first
  std::vector<uint32_t> variable_of;
  uint32_t parameters = 0, variables = 0;
  std::unordered_map<NodeCopy, uint32_t, NodeCopyHash> at;

  Scope names;  // of the function
  std::map<const syntax::GeneratorExp*, Scope> own_names;
  std::map<const syntax::Node*, LoopDefinitions> in_loop;  // of NumbaPro's dialect

  std::unordered_map<std::string, const syntax::Node*> declared;  // as in Webs
  bool has_unsupported = false;
  std::set<std::string> hidden;
};

// Where a walk over a function is: in a copy of the body of unrolled loops, and in generator
// expressions, which have variables of their own.
class Position {
 public:
  Position(Unrolled& unrolled, const Scope& names) : unrolled_(unrolled), names_(names) {}

  uint32_t copy() const { return copy_; }
  NodeCopy place(const syntax::Node* node) const { return {node, copy_}; }
  bool is_outermost() const { return copy_ == 0 && scopes_.empty(); }

  std::optional<uint32_t> variable_named(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto at = (*scope)->find(name); at != (*scope)->end()) return at->second;
    const auto at = names_.find(name);
    return at == names_.end() ? std::nullopt : std::optional(at->second);
  }

  std::optional<UnrolledLoop> unrolled(const syntax::Node* loop) const {
    const auto at = unrolled_.loops.find(place(loop));
    return at == unrolled_.loops.end() ? std::nullopt : std::optional(at->second);
  }

  // Calls f in the copy of the loop's body for one element.
  template <class F>
  void in_copy(const syntax::Node* loop, uint32_t element, const F& f) {
    as_in(unrolled_.copy_of(place(loop), element), f);
  }

  // Calls f as if the walk were in another copy.
  template <class F>
  void as_in(uint32_t copy, const F& f) {
    std::swap(copy, copy_);
    f();
    std::swap(copy, copy_);
  }

  // Calls f where a generator expression has these variables of its own.
  template <class F>
  void in_scope(const Scope& own, const F& f) {
    scopes_.push_back(&own);
    f();
    scopes_.pop_back();
  }

 private:
  Unrolled& unrolled_;
  const Scope& names_;
  std::vector<const Scope*> scopes_;  // the innermost last
  uint32_t copy_ = 0;
};

// merges: as for find_webs.
Definitions collect_definitions(const syntax::Function& function, Unrolled& unrolled, bool merges);

}  // namespace cuda_device::frontend
