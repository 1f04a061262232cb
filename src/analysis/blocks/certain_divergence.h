// Errors about barriers that some threads of a block surely miss. Where those that miss it come to
// another one, threads meet there, as on GPUs.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "support/diagnostic.h"

namespace cuda_device::analysis {

// One for each place in the program; see missed_operations.h for what is found.
// Errors about barriers that no other thread surely comes to, whatever runs the kernel.
std::vector<Diagnostic> errors_of_unmatched_barriers(const ir::Function& f);
// Errors about all barriers that are missed, in a kernel that asks for gangs and has barriers of
// several kinds: where those meet, threads name them all.
std::vector<Diagnostic> errors_of_missed_barriers(const ir::Function& f);

}  // namespace cuda_device::analysis
