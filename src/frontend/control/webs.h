// Reaching definitions on the syntax tree. A web is a set of definitions of one name that reach
// common uses: it becomes one slot with one type, so a name may be redefined with another type.
//
// A loop over a tuple is unrolled: each copy of its body has definitions and uses of its own.
// How many copies there are only inference knows (Unrolled), so the analysis of a function that has
// such loops is repeated when it has found them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "syntax/tree.h"

namespace cuda_device::frontend {

// A node in one copy of the unrolled loops around it.
struct Place {
  const syntax::Node* node = nullptr;
  uint32_t copy = 0;  // Unrolled::copy_of the innermost loop; 0: there is none
  friend auto operator<=>(const Place&, const Place&) = default;
};
struct PlaceHash {
  size_t operator()(const Place& p) const {
    return std::hash<const syntax::Node*>()(p.node) ^ p.copy * size_t{0x9e3779b97f4a7c15};
  }
};

// A loop whose body is lowered once for each element.
struct UnrolledLoop {
  uint32_t copies = 0;
  bool may_stop = false;  // before the last of them
  bool repeats = false;   // they run any number of times, each of them or not
  friend bool operator==(const UnrolledLoop&, const UnrolledLoop&) = default;
};

// The loops of a function that are unrolled, as inference has found them.
struct Unrolled {
  std::map<Place, UnrolledLoop> loops;
  // Numbers stay the same when further loops are found.
  std::map<std::tuple<const syntax::Node*, uint32_t, uint32_t>, uint32_t> numbers;

  uint32_t copy_of(const Place& loop, uint32_t element) {
    const auto next = static_cast<uint32_t>(numbers.size() + 1);
    return numbers.try_emplace({loop.node, loop.copy, element}, next).first->second;
  }
};

struct Definition {
  std::string name;
  const syntax::Node* node;  // Name, arg or FunctionDef
  uint32_t web;
  // A loop around it keeps the type of its web, which earlier definitions say: `loops_keep_types`.
  bool keeps_type = false;
};

struct Web {
  std::string name;
  uint32_t first_definition;  // in the order of the program
  uint32_t definition_count;
  bool may_be_undefined;  // some path to some use passes no definition
  bool several;           // more than one assignment of the source defines it
  bool reassigned;        // the source assigns the name elsewhere too, in this web or another
  bool captured;          // a function that stands within this one reads it, whenever it is called
};

struct Webs {
  static constexpr uint32_t kNone = ~0u;

  std::vector<Definition> definitions;
  std::vector<Web> webs;
  std::unordered_map<Place, uint32_t, PlaceHash> definition_at;
  // Web read at a Name; kNone: a local name that no definition reaches there.
  std::unordered_map<Place, uint32_t, PlaceHash> use_at;
  // The definition of a read that only one reaches, on every path, in a web that has several.
  std::unordered_map<Place, uint32_t, PlaceHash> only_definition_at;
  // The variables, by name, that one annotation of the function declares.
  std::unordered_map<std::string, const syntax::Node*> declared;
  bool loops_keep_types = false;  // as they were asked for
  bool has_unsupported = false;   // statements that were not looked into
  std::set<std::string> hidden;   // the names that they bind

  bool is_local(const std::string& name) const;
  bool is_hidden(const std::string& name) const { return hidden.contains(name); }
};

// `loops_keep_types`: what a loop assigns to a variable that is assigned before it on every path,
// or that counts the loop, is one web with that and keeps its type.
Webs find_webs(const syntax::Function& function, Unrolled& unrolled, bool loops_keep_types);

}  // namespace cuda_device::frontend
