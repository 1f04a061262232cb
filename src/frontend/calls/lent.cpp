#include "frontend/calls/lent.h"

#include <map>

namespace cuda_device::frontend {

bool holds_local(const Value& value) {
  bool found = false;
  for_each_local(value, [&](const Value::Array&) { found = true; });
  return found;
}

namespace {

// The value with f of each of its local arrays.
template <class F>
Value with_locals(const Value& value, const F& f) {
  if (!holds_local(value)) return value;
  std::vector<Value> parts;
  for (const Value& part : value.parts()) parts.push_back(with_locals(part, f));
  const Value same = value.with_parts(std::move(parts));
  const bool is_local = same.is_array() && same.array().allocation() &&
                        same.array().type.space == ir::AddressSpace::Local;
  return is_local ? f(same.array()) : same;
}

uint32_t lent_allocation(Session& session, const Value::Array& array, const LentSite& site) {
  const auto next = static_cast<uint32_t>(session.allocations.size());
  const auto [at, is_new] = session.lent_at.emplace(site, next);
  if (is_new) {
    ir::Allocation lent = session.allocations.at(*array.allocation());
    lent.name = array.name;
    lent.lent = true;
    session.allocations.push_back(std::move(lent));
    session.allocated_in.push_back(nullptr);
  }
  return at->second;
}

}  // namespace

Value lent(Context& ctx, const Value& abstract, const Borrower& to) {
  size_t number = 0;
  return with_locals(abstract, [&](Value::Array array) -> Value {
    const ir::Allocation& memory = ctx.session.allocations.at(*array.allocation());
    const LentSite site{to.function,  to.parameter,   number++,    to_string(memory.type),
                        memory.shape, memory.strides, memory.align};
    array.name = to.name;
    array.base = Value::Allocation{lent_allocation(ctx.session, array, site)};
    return array;
  });
}

Value given_back(const Value& value, const std::vector<Value>& known,
                 const std::vector<Value>& given) {
  if (!holds_local(value)) return value;
  std::vector<const Value::Array*> from, to;
  for (const Value& v : known)
    for_each_local(v, [&](const Value::Array& a) { from.push_back(&a); });
  for (const Value& v : given) for_each_local(v, [&](const Value::Array& a) { to.push_back(&a); });
  std::map<uint32_t, const Value::Array*> own;
  for (size_t i = 0; i < from.size() && i < to.size(); ++i)
    own.emplace(*from[i]->allocation(), to[i]);
  return with_locals(value, [&](Value::Array array) -> Value {
    const auto found = own.find(*array.allocation());
    if (found == own.end()) return array;
    array.base = found->second->base;
    array.name = found->second->name;
    return array;
  });
}

}  // namespace cuda_device::frontend
