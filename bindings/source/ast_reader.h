// Python's `ast` → our syntax tree, derived from syntax/node.def.
#pragma once

#include "bindings/python.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// Told of every name as the tree is read, children before parents.
struct NameListener {
  virtual void on_name(const syntax::Name* node) = 0;
  virtual void on_attribute(const syntax::Attribute* node) = 0;
  // A lambda, generator expression or nested function begins and ends; the listener learns which
  // names it binds.
  virtual void enter_scope(nb::handle ast) = 0;
  virtual void leave_scope() = 0;
  // Between these two stands what is evaluated outside of the innermost scope: defaults.
  virtual void suspend_scope() = 0;
  virtual void resume_scope() = 0;

 protected:
  ~NameListener() = default;
};

class AstReader {
 public:
  AstReader(syntax::Program& program, uint32_t file, int line_shift, NameListener& names)
      : program_(program), file_(file), line_shift_(line_shift), names_(names) {}

  // Null for None. Kinds that node.def does not list become Unsupported, without children. Throws a
  // nested_too_deep diagnostic beyond syntax::kMaxNesting.
  syntax::Node* read(nb::handle ast);
  std::vector<syntax::Node*> read_list(nb::handle list);
  // An annotation: what stands in quotes is read as if it did not.
  syntax::Node* read_hint(nb::handle ast);
  Span span_of(nb::handle ast) const;

 private:
  // What is left to do. Reading by a list of steps takes no stack, however deep the source is.
  struct Step {
    enum class Kind : uint8_t { Read, Notify, LeaveScope, Suspend, Resume };
    Kind kind;
    nb::object ast;        // Read
    syntax::Node** place;  // Read: where the node goes
    syntax::Node* node;    // Notify
    uint32_t depth;        // Read
  };
  void take(const Step& step);
  void read_outside_of_scope(const syntax::arguments& node, size_t from);
  void read_child(syntax::Node** place, nb::object ast);
  void read_child_list(std::vector<syntax::Node*>& places, nb::handle list);

#define NODE(name, fields) syntax::Node* read_##name(nb::handle ast);
#define TEXT_AS(f, name)
#include "syntax/node.def"
  using Method = syntax::Node* (AstReader::*)(nb::handle);
  static Method method_of(PyTypeObject* kind);
  syntax::Node* unsupported(nb::handle ast);
  void notify(const syntax::Node* node);

  syntax::Program& program_;
  uint32_t file_;
  int line_shift_;
  NameListener& names_;
  std::vector<Step> steps_;  // the last one comes next
  uint32_t depth_ = 0;       // of the node being made
  uint32_t scopes_ = 0;      // open ones
};

}  // namespace cuda_device::bindings
