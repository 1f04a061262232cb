// Statements: blocks, branches, loops, return, assert and raise.
#pragma once

#include <functional>

#include "frontend/context.h"

namespace cuda_device::frontend {

// `tail`: after the last of them the function ends, so that a return there needs no jump.
void block(Context& ctx, const Nodes& body, bool tail);

void lower_while(Context& ctx, const syntax::While* node);
void lower_for(Context& ctx, const syntax::For* node);
void lower_break(Context& ctx);
void lower_continue(Context& ctx);
void lower_match(Context& ctx, const syntax::Match* node, bool tail);
void lower_assert(Context& ctx, const syntax::Assert* node);
void lower_raise(Context& ctx, const syntax::Raise* node);

// `if test: then() else: otherwise()`, of which a constant test leaves one.
void branch(Context& ctx, const Node* node, const Value& test, const std::function<void()>& then,
            const std::function<void()>& otherwise);
// The entry of a failure at a place: one for what is unrolled or inlined several times.
int64_t failure_number(Context& ctx, const Span& place, Failure failure);
// The kernel fails with the exception where `holds`, a bool, is false. `values`: of its message.
void fail_unless(Context& ctx, const Value& holds, const Node* node, Failure failure,
                 const std::vector<Inst*>& values = {});
// Jumps to the end of an open scope, counted from the outermost.
void leave(Context& ctx, size_t scope);
// `if c: raise ...`, just lowered, as a check of what leads elsewhere, or in front of it where its
// message is computed: the other side is then under no condition that threads may differ in. A
// barrier may stand there.
void fail_without_branch(Context& ctx, Inst& branch);

}  // namespace cuda_device::frontend
