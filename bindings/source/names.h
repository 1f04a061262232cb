// What the free names of one function mean, by Python's rules: closure, globals, builtins, then
// attributes.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bindings/source/ast_reader.h"
#include "bindings/source/guard.h"
#include "bindings/source/value.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

class Names final : public NameListener {
 public:
  // Gives a Python function its index in the program, in which it is captured.
  using FunctionIndex = std::function<uint32_t(nb::handle function)>;

  // Modules that are values, and attributes that are read of values: what the ones mean by the
  // others is known when the program is read.
  struct Loose {
    std::set<std::string> attributes;
    std::vector<nb::object> modules;
  };

  // Gives a class its index among the program's types.
  using TypeIndex = std::function<uint32_t(nb::handle cls)>;

  // `cls`: what the function has as its first argument, of a class method; null: it has none.
  Names(nb::handle function, nb::handle cls, syntax::Function& into, std::vector<Guard>& guards,
        FunctionIndex index, TypeIndex type_index);

  void on_name(const syntax::Name* node) override;
  void on_attribute(const syntax::Attribute* node) override;
  void enter_scope(nb::handle ast) override;
  void leave_scope() override { inner_.pop_back(); }
  void suspend_scope() override;
  void resume_scope() override;

  // What an object means to the frontend.
  syntax::Binding meaning_of(nb::handle object);
  // The same of what a name or parameter stands for: arrays are constants too. The guard learns
  // which constant it is.
  syntax::Binding bound(nb::handle object, Guard& guard);
  // What the attribute of a module means; Undefined: it has no such attribute.
  syntax::Binding meaning_of_attribute(const nb::object& module, const std::string& name);
  // Once the function is read.
  void add_loose(Loose& loose) const;

 private:
  bool is_local(const std::string& name) const;
  void bind(const syntax::Node* node, Guard guard, nb::handle object, bool guarded);
  syntax::Binding tuple_meaning(nb::handle tuple);
  syntax::Binding partial_meaning(nb::handle partial);
  static Guard guard_of_attribute(const nb::object& owner, const nb::object& name,
                                  const nb::object& found);
  void bind_global(const syntax::Name* node, const nb::object& name);

  nb::object function_, globals_, builtins_;
  std::unordered_set<std::string> locals_;
  std::string name_of_class_;  // the first parameter of a class method
  nb::object class_;
  std::unordered_map<std::string, nb::object> cells_;
  std::vector<std::unordered_set<std::string>> inner_, suspended_;
  std::unordered_map<const syntax::Node*, nb::object> namespaces_;
  std::unordered_set<const syntax::Node*> owners_;  // those whose attribute is read
  std::vector<nb::object> modules_;                 // of tuples and defaults
  std::set<std::string> attributes_;                // of what is no namespace
  int tuples_ = 0;                                  // in one another
  syntax::Function& into_;
  std::vector<Guard>& guards_;
  FunctionIndex index_;
  TypeIndex type_index_;
};

// T of a hint ConstExpr[T]; null of anything else.
nb::object type_of_const_expr(nb::handle object);

// What an object means that is no function and no class.
syntax::Binding constant_or_object(nb::handle object, const StructIndex& structs);

}  // namespace cuda_device::bindings
