// Generic walks over the syntax tree, derived from node.def.
#pragma once

#include "syntax/tree.h"

namespace cuda_device::syntax {
namespace detail {

template <class F>
void visit_children(const std::vector<Node*>& nodes, F& f) {
  for (const Node* node : nodes)
    if (node) f(node);
}

#define NODE(name, fields)                                                  \
  template <class F>                                                        \
  void children_of([[maybe_unused]] const name& n, [[maybe_unused]] F& f) { \
    fields                                                                  \
  }
#define CHILD(c) \
  if (n.c) f(static_cast<const Node*>(n.c));
#define OPT(c) CHILD(c)
#define CHILDREN(c) visit_children(n.c, f);
#define TEXT(c)
#define TEXT_AS(c, p)
#define OPER(c)
#define OPERS(c)
#define TEXTS(c)
#define VALUE(c)
#include "syntax/node.def"

}  // namespace detail

// Calls f(const Node*) on every child there is, in the order of node.def.
template <class F>
void for_each_child(const Node& node, F&& f) {
  switch (node.kind) {
    case NodeKind::Unsupported:
      return;
#define NODE(name, fields) \
  case NodeKind::name:     \
    return detail::children_of(static_cast<const name&>(node), f);
#define CHILD(c)
#define OPT(c)
#define CHILDREN(c)
#define TEXT(c)
#define TEXT_AS(c, p)
#define OPER(c)
#define OPERS(c)
#define TEXTS(c)
#define VALUE(c)
#include "syntax/node.def"
  }
}

}  // namespace cuda_device::syntax
