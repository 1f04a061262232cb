// A program as bytes by which it is known: programs with the same bytes compile to the same code.
//
// Everything that the compiler reads is in them but places: file names, lines and columns stand in
// messages only, and a message is made anew each time. So a moved file, or a comment, is the same
// program. What a kernel says when it runs holds places: of each assert and raise its line after
// that of its function's definition is here, and the source of an assert's condition.
#pragma once

#include <string>

#include "syntax/tree.h"

namespace cuda_device::syntax {

// Takes no stack, however deep the program is.
std::string identity_of(const Program& program);

}  // namespace cuda_device::syntax
