// What survives the passes over one kernel.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/instance.h"
#include "frontend/policy.h"
#include "support/diagnostic.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {

// Where an array of the kernel's own is requested: the calls that lead to it, its own last, each in
// its copy of the unrolled loops around.
struct AllocationSite {
  std::vector<NodeCopy> calls;
  std::string element;  // the text of its type, which is one of a session's
  std::vector<int64_t> shape, strides;
  uint32_t align;
  friend auto operator<=>(const AllocationSite&, const AllocationSite&) = default;
};

// Where a function gets a local array from its callers: the array's number within the parameter, or
// within the captured variable, which have the numbers after those.
struct LentSite {
  const syntax::Function* function;
  size_t parameter, number;
  std::string element;
  std::vector<int64_t> shape, strides;
  uint32_t align;
  friend auto operator<=>(const LentSite&, const LentSite&) = default;
};

// A call that was inlined in this pass. Others like it are copies of it: calls/copied_calls.h.
struct InlinedCall {
  const Instance* instance = nullptr;
  const ir::Function* in = nullptr;
  std::vector<Value> given;
  bool in_func = false, in_message = false;  // it was called there
  Value result;
  ir::Block body;  // its instructions, which are in the function as well
  size_t first_slot = 0, slots = 0;
  uint32_t inlined_calls = 0;  // with it
  uint32_t height = 0;         // calls that stand in one another, with it
};

// The calls of one function that others may be copies of.
struct KeptCalls {
  bool several = false;  // it is called more than once in a pass: what is called once is not kept
  // State of this pass:
  bool met = false;
  std::vector<InlinedCall> calls = {};

  void begin_pass() {
    met = false;
    calls.clear();
  }
};

struct Session {
  explicit Session(const Request& r) : Session(r, policy_of(r.dialect)) {}
  Session(const Request& r, const Policy& p) : request(r), policy(p) {}

  const Webs& webs_of(const syntax::Function& f);
  // `index`: of the function in the program, or of the one it stands in.
  std::unique_ptr<Instance> make_instance(const syntax::Function& function, uint32_t index);
  // A lambda or def that stands in the function, as a function.
  const syntax::Function& nested(const syntax::Node* node, const syntax::Function& in);

  const Request& request;
  const Policy& policy;
  std::unordered_map<const syntax::Function*, Webs> webs;
  std::unique_ptr<Instance> root;
  std::vector<std::unique_ptr<CalledFunction>> called;
  // Root and the functions that are called.
  template <class F>
  void for_each_function(F&& f) {
    f(*root);
    for (const auto& one : called) f(*one->instance);
  }
  std::unordered_map<const syntax::Function*, KeptCalls> kept_calls;
  size_t kept_insts = 0;  // in all of their bodies
  uint32_t instances = 0;
  Effort effort;
  uint32_t rounds_of_size = 0;  // in which functions were chosen that are called for their size
  std::map<const syntax::Node*, std::unique_ptr<syntax::Function>> nested_functions;
  std::vector<std::unique_ptr<syntax::Return>> lambda_bodies;
  bool explaining = false;  // something is wrong: passes find out what follows from what
  // Mistakes that made a variable fail. Where they read that variable, as `x = x + "a"` does, no
  // later pass meets them again.
  std::vector<Diagnostic> causes;
  // What the calls of local_array and shared_array ask for: a Value knows the array by its number
  // here, in every pass.
  std::map<AllocationSite, uint32_t> allocation_at;
  std::vector<ir::Allocation> allocations;
  // The function that asks for each; null: it is lent.
  std::vector<const Instance*> allocated_in;
  std::map<LentSite, uint32_t> lent_at;
  // The types of Program::types, made when they are met: record_type().
  std::map<uint32_t, RecordRef> records;
  std::vector<RecordRef> atomics;  // those of device.Atomic(T)
  std::vector<RecordRef> sub_arrays;
  std::vector<RecordRef> aliases;  // those of device.align(T, n), and hints of arrays
  // A call for each attribute that is a property: it is called where it is read.
  const syntax::Call* call_of(const syntax::Node* node);
  std::map<const syntax::Node*, std::unique_ptr<syntax::Call>> property_calls;
  // The attribute that a call of getattr names, as if it were written with a dot.
  std::map<std::pair<const syntax::Node*, std::string>, std::unique_ptr<syntax::Attribute>>
      named_attributes;
  // The element that a call of atomic_ref names, as if it were subscripted.
  std::map<const syntax::Node*, std::unique_ptr<syntax::Subscript>> referred_elements;
};

}  // namespace cuda_device::frontend
