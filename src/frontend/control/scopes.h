// Functions that stand within others, and patterns of match: which names they bind and which they
// read of the function around them.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "syntax/tree.h"

namespace cuda_device::frontend {

// A lambda or a def.
bool is_function(const syntax::Node* node);
const syntax::arguments* arguments_of(const syntax::Node* function);

// The default values, which are evaluated where the function stands.
void for_each_default(const syntax::Node* function,
                      const std::function<void(const syntax::Node* value)>& f);

// The names that a function reads, or a function within it, and does not bind itself.
void for_each_free_name(const syntax::Node* function,
                        const std::function<void(const syntax::Name* name)>& f);

bool is_pattern(const syntax::Node* node);
// It matches everything.
bool is_irrefutable(const syntax::Node* pattern);
// The name that a part of a pattern takes a value for; null: none, as of `_`.
const std::string* captured_name(const syntax::Node* pattern);
// The parts of a pattern that take values for names, in order.
void for_each_captured(const syntax::Node* pattern,
                       const std::function<void(const syntax::Node* part)>& f);

}  // namespace cuda_device::frontend
