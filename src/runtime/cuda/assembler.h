// What makes machine code of PTX: ptxas where it is found, since a child process cannot take this
// one with it, else nvJitLink.
#pragma once

#include <functional>
#include <string>

#include "runtime/cuda/toolkit.h"

namespace cuda_device::cuda {

struct Assembler {
  // Names it with its version, as bytes: the same identity, the same code. Empty: there is none.
  std::string identity;
  std::string shown;  // for people: "ptxas (/usr/local/cuda/bin/ptxas)"
  // Throws std::runtime_error where it cannot be run at all.
  std::function<Assembled(const std::string& ptx, int sm)> assemble;
};

// The process's, as it was found at the first use.
const Assembler& assembler();
// Those there are, looked for anew.
Assembler find_ptxas_assembler();
Assembler find_nvjitlink_assembler();
// The identity of a program or library by its file; empty where there is none.
std::string identity_of_file(const std::string& what, const std::string& path);

}  // namespace cuda_device::cuda
