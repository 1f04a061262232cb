// Reaching definitions on the syntax tree. A web is a set of definitions of one name that reach
// common uses: it becomes one slot with one type, so a name may be redefined with another type.
//
// A loop over a tuple is unrolled: each copy of its body has definitions and uses of its own.
// How many copies there are only inference knows (Unrolled), so the analysis of a function that has
// such loops is repeated when it has found them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "syntax/tree.h"

namespace cuda_device::frontend {

// A node in one copy of the unrolled loops around it.
struct NodeCopy {
  const syntax::Node* node = nullptr;
  uint32_t copy = 0;  // Unrolled::copy_of the innermost loop; 0: there is none
  friend auto operator<=>(const NodeCopy&, const NodeCopy&) = default;
};
struct NodeCopyHash {
  size_t operator()(const NodeCopy& p) const {
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
  std::map<NodeCopy, UnrolledLoop> loops;
  // Numbers stay the same when further loops are found.
  std::map<std::tuple<const syntax::Node*, uint32_t, uint32_t>, uint32_t> numbers;

  uint32_t copy_of(const NodeCopy& loop, uint32_t element) {
    const auto next = static_cast<uint32_t>(numbers.size() + 1);
    return numbers.try_emplace({loop.node, loop.copy, element}, next).first->second;
  }
};

struct Definition {
  std::string name;
  const syntax::Node* node;  // Name, arg or FunctionDef
  uint32_t web;
  // A loop around it keeps the type of its web, which another definition says: NumbaPro's dialect.
  bool keeps_type = false;
};

// Where a path leaves a statement or an operand for a point at which paths meet.
enum class PathEnd : uint8_t {
  Then,       // the end of what is done under a condition, and of the operand that may be left out
  Otherwise,  // the end of the other branch; there is no operand
  Entry,      // before a loop
  Back,       // the end of a loop's body
  Else,       // the end of a loop's else
  Jump,       // break, continue
};
struct Edge {
  const syntax::Node* node;
  PathEnd end;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// The value of one web becomes that of another, in the other's type.
struct Copy {
  uint32_t from, into;
  bool keeps_type;  // the type of `into` is said elsewhere
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
  std::unordered_map<NodeCopy, uint32_t, NodeCopyHash> definition_at;
  // Web read at a Name; kNone: a local name that no definition reaches there.
  std::unordered_map<NodeCopy, uint32_t, NodeCopyHash> use_at;
  std::map<Edge, std::vector<Copy>> copies_at;  // of NumbaPro's dialect
  // The definition of a read that only one reaches, on every path, in a web that has several. Not
  // in NumbaPro's dialect.
  std::unordered_map<NodeCopy, uint32_t, NodeCopyHash> only_definition_at;
  // The variables, by name, that one annotation of the function declares.
  std::unordered_map<std::string, const syntax::Node*> declared;
  bool merges = false;           // as they were asked for
  bool has_unsupported = false;  // statements that were not looked into
  std::set<std::string> hidden;  // the names that they bind

  bool is_local(const std::string& name) const;
  bool is_hidden(const std::string& name) const { return hidden.contains(name); }
};

// `merges`: NumbaPro's dialect. Each assignment is a web of its own, and so is a point where paths
// meet that bring several webs. What a loop assigns to a variable is one web with what the variable
// is before it.
Webs find_webs(const syntax::Function& function, Unrolled& unrolled, bool merges);

}  // namespace cuda_device::frontend
