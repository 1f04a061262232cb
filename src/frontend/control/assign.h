// Assignments in all their forms, and annotations.
#pragma once

#include <string>

#include "frontend/context.h"

namespace cuda_device::frontend {

void lower_assign(Context& ctx, const syntax::Assign* node);
void lower_aug_assign(Context& ctx, const syntax::AugAssign* node);
void lower_ann_assign(Context& ctx, const syntax::AnnAssign* node);

// `source`: the expression that gives the value.
void assign(Context& ctx, const Node* target, const Value& value, const Node* source);

// The value as the annotation declares it: what loses nothing is converted, anything else is an
// error. `what` is declared, as a message names it.
Value annotated(Context& ctx, const Node* annotation, Value value, const Node* node,
                const std::string& what);

}  // namespace cuda_device::frontend
