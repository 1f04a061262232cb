// Reaching definitions on the syntax tree. A web is a set of definitions of one name that reach
// common uses: it becomes one slot with one type, so a name may be redefined with another type.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "syntax/tree.h"

namespace cuda_device::frontend {

struct Definition {
  std::string name;
  const syntax::Node* node;  // Name, arg or FunctionDef
  uint32_t web;
  uint32_t loop_depth;
};

struct Web {
  std::string name;
  uint32_t min_loop_depth;    // of its definitions
  uint32_t first_definition;  // in the order of the program
  uint32_t definition_count;
  bool may_be_undefined;  // some path to some use passes no definition
  bool reassigned;        // the name has other definitions, of this web or of another
};

struct Webs {
  static constexpr uint32_t kNone = ~0u;

  std::vector<Definition> definitions;
  std::vector<Web> webs;
  std::unordered_map<const syntax::Node*, uint32_t> definition_at;
  // Web read at a Name; kNone: a local name that no definition reaches there.
  std::unordered_map<const syntax::Node*, uint32_t> use_at;
  // The variables, by name, that one annotation of the function declares.
  std::unordered_map<std::string, const syntax::Node*> declared;
  bool has_unsupported = false;  // statements that were not looked into
  std::set<std::string> hidden;  // the names that they bind

  uint32_t web_used_at(const syntax::Node* name) const;
  bool is_local(const std::string& name) const;
  bool is_hidden(const std::string& name) const { return hidden.contains(name); }
};

Webs find_webs(const syntax::Function& function);

}  // namespace cuda_device::frontend
