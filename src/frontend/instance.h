// What inference remembers between passes: for every function, once per place it is inlined at, the
// state of its webs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "frontend/control/webs.h"
#include "frontend/value.h"
#include "support/diagnostic.h"

namespace cuda_device::frontend {

struct WebState {
  Value abstract;               // joined over the definitions met so far; Unknown: none yet
  Value of_this_pass;           // the same over those of this pass alone (NumbaPro's dialect)
  bool never_constant = false;  // more than one definition is live, or one with several values
  const syntax::Node* constant_definition = nullptr;
  const syntax::Node* source = nullptr;  // of the definition met last (NumbaPro's dialect)
  // Something assigned to it is wrong: it is read in silence, but where that is itself the mistake.
  bool changes = false;  // components are assigned: it is a variable even where it is a parameter
  bool failed = false;
  const syntax::Node* mistaken_read = nullptr;
  DiagCode mistake{};
  // State of this pass:
  bool defined = false;         // some definition was met
  std::vector<uint32_t> slots;  // one for each run-time leaf
  bool has_slots = false;
  std::optional<Value> direct;  // a parameter that is never assigned: its argument itself

  void begin_pass() {
    defined = false;
    of_this_pass = {};
    direct.reset();
    forget_slots();
  }
  void forget_slots() {
    slots.clear();
    has_slots = false;
  }
  // Takes the type of this pass, where that is another one; whether it is.
  bool narrow_type() {
    if (!abstract.is_number() || !of_this_pass.is_number()) return false;
    if (of_this_pass.code() == abstract.code()) return false;
    abstract = Value::number(of_this_pass.code(), nullptr);
    return true;
  }
};

struct Instance {
  const syntax::Function* function = nullptr;
  uint32_t index = 0;          // of the function in the program, or of the one it stands in
  const Webs* webs = nullptr;  // the session's, or its own where it has unrolled loops
  std::unique_ptr<Webs> own_webs;
  Unrolled unrolled;
  bool outdated = false;  // a loop was unrolled that the webs do not know as such
  Instance* parent = nullptr;
  NodeCopy call;  // in `parent`
  // The function that this one stands within, if any, and the copy of the unrolled loops there.
  Instance* enclosing = nullptr;
  uint32_t enclosing_copy = 0;
  std::vector<Value> arguments;  // abstract, of this pass
  // Instructions that inlining it has made in this pass, callees included; nothing: not done.
  std::optional<uint32_t> size;
  bool is_callable = false;  // it gives what a call can give
  // In this pass it is a copy of that call; null: it is lowered where it stands.
  const Instance* copy_of = nullptr;
  // Each call has something of its own: an array, or where it fails.
  bool is_one_of_a_kind = false;
  std::vector<WebState> states;         // by web
  std::map<uint32_t, Value> constants;  // what definitions gave in this pass, where that is known
  // What builtins keep in a variable, by their calls: the sum of a loop's values.
  std::map<NodeCopy, WebState> hidden;
  WebState result;  // what its return statements give
  // A function of the IR begins here: the kernel, or one that is called. `parent` and `call` then
  // say where it was called first.
  bool begins_function = false;

  bool dead_on_host = false;  // host code never comes to what is being lowered: target() says so

  // That of the function of the IR that this one is a part of.
  const Instance* function_root() const {
    const Instance* root = this;
    while (!root->begins_function && root->parent) root = root->parent;
    return root;
  }

  // A call inside an unrolled loop has one instance per copy.
  using Key = std::tuple<NodeCopy, const syntax::Function*>;
  std::map<Key, std::unique_ptr<Instance>> calls;

  void begin_pass() {
    constants.clear();
    for (WebState& s : states) s.begin_pass();
    for (auto& [place, s] : hidden) s.begin_pass();
    result.begin_pass();
    size.reset();
    copy_of = nullptr;
    for (auto& [key, child] : calls) child->begin_pass();
  }
  // Finds the webs again where there are loops that they do not know as unrolled.
  void renew_webs() {
    for (auto& [key, child] : calls) child->renew_webs();
    if (!outdated) return;
    outdated = false;
    own_webs = std::make_unique<Webs>(find_webs(*function, unrolled, webs->merges));
    webs = own_webs.get();
    states.assign(webs->webs.size(), {});
  }
  // Types that followed from what an earlier pass knew become those that follow now; whether there
  // were any.
  bool narrow_types() {
    bool found = result.narrow_type();
    for (WebState& s : states) found |= s.narrow_type();
    for (auto& [place, s] : hidden) found |= s.narrow_type();
    for (auto& [key, child] : calls) found |= child->narrow_types();
    return found;
  }
  // Back to knowing no type; what is not constant stays not constant.
  void forget_types() {
    for (WebState& s : states) s.abstract = {};
    for (auto& [place, s] : hidden) s.abstract = {};
    result.abstract = {};
    for (auto& [key, child] : calls) child->forget_types();
  }
};

// A variable of a function around one that is called, which reads it: callers give it.
struct Capture {
  Instance* owner;
  uint32_t web;
  std::string name;
  Value abstract = {};  // Unknown: not known yet
  Value value = {};     // of this pass, in the function that is called
};

// A function that is called, not inlined: one for each tuple of abstract arguments.
struct CalledFunction {
  std::unique_ptr<Instance> instance;
  bool widened = false;              // takes constants where an argument is a number
  bool for_size = false;             // inlined at every call it would make the kernel too large
  Value result;                      // abstract; Unknown: none of its returns is known yet
  bool has_several_results = false;  // or one that is not known before it runs
  std::vector<Capture> captures;
  // State of this pass:
  std::optional<uint32_t> number;          // in the module
  bool begun = false;                      // it is lowered, or being so
  std::unique_ptr<ir::Function> function;  // once it is lowered

  void begin_pass() {
    number.reset();
    begun = false;
    function.reset();
  }

  const std::vector<Value>& arguments() const { return instance->arguments; }
};

}  // namespace cuda_device::frontend
