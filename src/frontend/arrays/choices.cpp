#include "frontend/arrays/choices.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/choices.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"

namespace cuda_device::frontend {
// Views of one array, in the form of what they all are: each of its numbers is chosen.
Value chosen_view(Context& ctx, const std::vector<Value>& views, const Value& common,
                  const Value& index, const Node* node) {
  if (!common.is_view()) return common;
  std::vector<Value> alike;
  alike.reserve(views.size());
  for (const Value& view : views)
    alike.push_back(
        view.array().form == common.array().form ? view : with_own_extents(&ctx, view.array()));
  std::vector<Value> parts(common.parts().begin(), common.parts().end());
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].exact()) continue;
    std::vector<Value> numbers;
    numbers.reserve(alike.size());
    for (const Value& view : alike) numbers.push_back(view.parts()[k]);
    parts[k] = element_at(ctx, std::move(numbers), index, node, "");
  }
  return common.with_parts(std::move(parts));
}

Value of_each(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f) {
  std::vector<Value> results;
  for (const Value& array : alternatives_of(choice)) {
    results.push_back(f(array.array()));
    if (results.back().contains_unknown()) return Value::unknown();
  }
  if (!results[0].is_array()) return element_at(ctx, std::move(results), choice.parts[0], node, "");
  results.insert(results.begin(), choice.parts[0]);
  return Value::Choice{std::move(results)};
}

Value of_chosen(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f) {
  const std::vector<Value> arrays = alternatives_of(choice);
  Inst* number = inst_of(ctx, choice.parts[0], node);
  WebState result;
  bool fine = true;
  ir::Block* outer = &ctx.builder.block();
  for (size_t k = 0; k < arrays.size(); ++k) {
    Inst* branch = nullptr;
    if (k + 1 < arrays.size()) {
      ctx.at(node);
      Inst* here = constant_inst(ctx, number->type, static_cast<double>(k));
      branch = ctx.builder.control(Op::If, {ctx.builder.op(Op::Eq, {number, here})}, 2);
      ctx.builder.set_block(branch->regions[0]);
    }
    const Value value = f(arrays[k].array());
    fine &= !value.contains_unknown();
    if (fine && result.abstract.is_unknown())
      result.abstract = without_constants(abstract_of(value));
    if (fine) store_web(ctx, result, "", value, node);
    if (branch) ctx.builder.set_block(branch->regions[1]);
  }
  ctx.builder.set_block(*outer);
  ctx.at(node);
  return fine ? load_web(ctx, result, "") : Value::unknown();
}

Value choice_attribute(Context& ctx, const syntax::Attribute* node, const Value::Choice& choice) {
  for (const Method method : {Method::View, Method::Reshape, Method::AsType})
    if (ctx.policy.has_views && node->attr == name_of(method))
      return not_implemented(ctx, node, node->attr + "() of an array chosen at run time",
                             "call it for each of the arrays");
  return of_each(ctx, choice, node,
                 [&](const Value::Array& array) { return array_attribute(ctx, node, array); });
}

}  // namespace cuda_device::frontend
