#include "runtime/cuda/assembler.h"

#include <sys/stat.h>

#include "support/bytes.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

Assembler find_assembler() {
  Assembler found = find_ptxas_assembler();
  return found.identity.empty() ? find_nvjitlink_assembler() : found;
}

}  // namespace

// Its version by the file itself, which another one has not in common: to ask a program takes as
// long as a compilation.
std::string identity_of_file(const std::string& what, const std::string& path) {
  struct stat s;
  if (stat(path.c_str(), &s) != 0) return "";
  ByteWriter identity;
  identity.text(what);
  identity.text(path);
  identity.number(static_cast<uint64_t>(s.st_size));
  identity.number(static_cast<uint64_t>(s.st_mtim.tv_sec));
  identity.number(static_cast<uint64_t>(s.st_mtim.tv_nsec));
  return identity.take();
}

Assembler find_ptxas_assembler() {
  const std::string path = find_ptxas();
  if (path.empty()) return {};
  return {identity_of_file("ptxas", path), "ptxas (" + path + ")",
          [](const std::string& ptx, int sm) { return assemble(ptx, sm); }};
}

const Assembler& assembler() {
  static constinit MadeOnce<Assembler> once;
  return once.get(find_assembler);
}

}  // namespace cuda_device::cuda
