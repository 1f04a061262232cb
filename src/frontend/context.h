// What all handlers share while a kernel is lowered: one pass infers and emits in one walk. It is
// repeated (lower.cpp) until the types of all webs stand still; the IR of the last pass is the
// result, and only its diagnostics count.
//
// Every expression gives a Value. After an error it is Unknown, which everything lets through in
// silence, so that one mistake is reported once and independent mistakes are all reported.
//
// Handlers are free functions, by subject: control.h, assign.h, variables.h, expressions.h,
// operators.h, convert.h, arrays.h, calls.h, diagnosis.h; those of intrinsics.def are in
// handlers.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/session.h"

namespace cuda_device::frontend {

using ir::Inst;
using ir::Op;
using syntax::Node;
using Nodes = std::vector<syntax::Node*>;

// A read of a variable that has no type, though nothing wrong was seen in what it is assigned.
struct Unresolved {
  const syntax::Name* node;
  WebState* state;
};

// What one pass found out about the types of the next.
struct Inference {
  bool changed = false;   // some web's type grew
  bool demoted = false;   // some web was found not to be constant
  bool unrolled = false;  // some loop was found to be unrolled, or more often
  bool met_unknown = false;
  std::optional<Unresolved> unresolved;
};

// What was reported so far.
struct Diagnosis {
  std::vector<Diagnostic> diagnostics;
  std::vector<Warning> warnings;  // one for each place, whatever calls lead to it
  // Mistakes met so far, and things met that a mistake explains: what is Unknown in a statement is
  // a mistake's if there are more than when it began.
  uint64_t blamed = 0;
  struct Mark {
    uint64_t blamed = 0;
    size_t diagnostics = 0;
  } began;                   // the statement at hand
  bool failed_more = false;  // some web was found to have failed
  // Limits of the whole kernel: once is enough.
  bool met_too_deep = false;
  bool met_too_much_shared = false;
  bool met_too_much_local = false;
};

struct Loop {
  bool unrolled = false;
  size_t break_scope = 0, continue_scope = 0;  // of unrolled loops: scopes open around them
  bool broke = false, continued = false;       // met so far
};

// The function being inlined.
struct Frame {
  Instance* instance = nullptr;
  bool is_kernel = false;
  ir::Block* body = nullptr;
  size_t scope = 0;             // scopes open around it
  uint32_t returns = 0;         // return statements met in this pass
  bool leaves = false;          // some of them needed a leave
  std::optional<Value> direct;  // the value of its only return
  std::vector<Loop> loops;
};

// The name that the value of an assignment gets.
struct Assigned {
  const Node* value = nullptr;
  std::string name;               // empty: not to one name
  const Node* several = nullptr;  // a tuple of targets
};

// Where the walk is: in a function of the module. A function is lowered while its caller waits.
struct Walk {
  explicit Walk(std::unique_ptr<ir::Function> f)
      : function(std::move(f)), builder(*function, function->body) {}

  std::unique_ptr<ir::Function> function;
  ir::Builder builder;
  std::vector<Inst*> parameters;       // the Param instruction of each IR parameter
  CalledFunction* lowering = nullptr;  // null: the kernel
  uint32_t inlined_calls = 0;
  uint32_t depth = 0, deepest = 0;  // inlined calls that stand around, now and at most so far
  bool met_too_large = false;
  bool stays_large = false;  // no more functions can be called for its size

  Instance* instance = nullptr;
  Frame* frame = nullptr;
  bool reachable = true;
  bool in_message = false;  // of an assertion
  size_t open_scopes = 0;
  uint32_t copy = 0;    // of the unrolled loops around: Unrolled::copy_of
  uint32_t levels = 0;  // in the source, callers included
  Assigned assigned;
};

struct Context : Walk {
  explicit Context(Session& session);

  // What is emitted from here on belongs to the node.
  void at(const Node* node) { builder.set_span(node->span); }
  // The node in the copy of the unrolled loops around that is being lowered.
  NodeCopy place(const Node* node) const { return {node, copy}; }

  Session& session;
  const Policy& policy;
  const syntax::Program& program;
  std::unordered_map<uint32_t, uint32_t> arrays;  // number in the module of an allocation
  std::vector<CalledFunction*> called;            // by number in the module
  Diagnosis diagnosis;
  Inference inference;
};

// One level deeper in the source, called functions included, while it lives.
class Level {
 public:
  explicit Level(uint32_t& levels) : levels_(++levels) {}
  ~Level() { --levels_; }
  Level(const Level&) = delete;

 private:
  uint32_t& levels_;
};

// An expression evaluated into a block of its own, to be placed later.
struct Captured {
  ir::Block block;
  Value value;
};

template <class F>
Captured capture(Context& ctx, F&& f) {
  Captured captured;
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(captured.block);
  captured.value = f();
  ctx.builder.set_block(*outer);
  return captured;
}

// Moves a captured block to where the context emits.
inline void splice(Context& ctx, ir::Block& from) {
  auto& to = ctx.builder.block().insts;
  to.insert(to.end(), from.insts.begin(), from.insts.end());
  from.insts.clear();
}

}  // namespace cuda_device::frontend
