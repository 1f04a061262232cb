// A program as bytes by which it is known: programs with the same bytes compile to the same code.
//
// Everything that the compiler reads is in them but places: file names, lines and columns stand in
// messages only, and a message is made anew each time. So a moved file, or a comment, is the same
// program. Code that held places (lines for checks at run time) would need them here.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace cuda_device::syntax {

// Takes no stack, however deep the program is.
std::string identity_of(const Program& program);

}  // namespace cuda_device::syntax
