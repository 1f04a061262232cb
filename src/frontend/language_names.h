// What a language calls things, what it lacks of the guide's, and how its messages say so.
#pragma once

#include <span>
#include <string_view>

#include "frontend/policy.h"
#include "support/diagnostic.h"

namespace cuda_device::frontend {

// Syntax that it does not have, by the name of the class in Python's ast.
struct RefusedSyntax {
  std::string_view ast_class;
  const char* name;  // "a lambda"
  const char* hint;
};

// A name of Python that it does not have.
struct RefusedName {
  std::string_view entity;
  const char* hint;
};

// In place of the hint of diagnostics.def.
struct OwnHint {
  DiagCode code;
  const char* hint;
};

struct OwnWords {
  std::string_view those_of_a_hint, its_own;
};

struct LanguageNames {
  std::string_view module;        // that programs import
  std::string_view decorator;     // of its kernels
  std::string_view own_prefix;    // of the names of its module
  std::string_view other_prefix;  // of the names of another language's module
  std::span<const RefusedSyntax> refused_syntax = {};
  std::span<const RefusedName> refused_names = {};
  std::span<const OwnHint> hints = {};
  std::span<const OwnWords> words = {};
  std::span<const DiagCode> absent = {};  // what cannot be met in it
};

// What stands before the name of an entity that programs write without it.
inline constexpr std::string_view kUnwrittenPrefixes[] = {"builtins.", "numbapro."};

// The classes of kernels that launch themselves, kernel[grid, block](...).
inline constexpr std::string_view kLaunchedKernels[] = {"cuda.device.numbapro._jit.CUDAKernel"};

inline const LanguageNames& language_names(const Policy& policy) { return *policy.names; }

}  // namespace cuda_device::frontend
