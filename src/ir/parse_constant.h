// The value of `const`: `-5`, `true`, `0.1`, `-inf`, `nan(0x7fc00000)`, `bits(0x1ffffffff)`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/type.h"

namespace cuda_device::ir {

// The constant as Inst::imm; nothing where the text is no constant of the type. Not made canonical:
// the verifier judges that.
std::optional<int64_t> parse_constant(std::string_view text, Type type);

}  // namespace cuda_device::ir
