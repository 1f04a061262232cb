// The parameters of a Python function.
#pragma once

#include <string>
#include <vector>

#include "frontend/context.h"
#include "syntax/tree.h"

namespace cuda_device::frontend {

// Gives the launch's arguments to the kernel: they become parameters of the IR.
void bind_kernel_arguments(Context& ctx);
// A kernel may say `-> None` and nothing else.
void check_kernel_annotation(Context& ctx, const syntax::Function& f);

// Positional only, positional, keyword only.
std::vector<const syntax::arg*> parameters_of(const syntax::Function& f);
// The same, and those for any number of arguments last.
std::vector<const syntax::arg*> all_parameters_of(const syntax::Function& f);
// The default of parameters_of(f)[parameter]; nullptr: it has none.
const syntax::Binding* default_of(const syntax::Function& f, size_t parameter);

// "its parameters are x, y", as a hint.
std::string parameters_hint(const syntax::Function& f);

// "1 argument", "2 arguments".
std::string count_text(size_t n, const char* what);
// "1 is", "2 are", as in "2 are given".
std::string were_given(size_t n);

// "np.sin" as the source has it; `otherwise` of what is no name.
std::string written(const syntax::Node* node, const std::string& otherwise);

}  // namespace cuda_device::frontend
