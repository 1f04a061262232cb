#include "dispatch/gpu_code.h"

#include <cstdlib>
#include <stdexcept>

#include "dispatch/disk/kernel_cache.h"
#include "runtime/cuda/assembler.h"
#include "runtime/cuda/occupancy.h"
#include "support/bytes.h"
#include "support/log.h"

namespace cuda_device::dispatch {
namespace {

using cuda::Code;

enum class GpuCodeRequest : uint8_t { Best, Ptx, Cubin };

GpuCodeRequest requested_code() {
  const char* value = std::getenv("CUDA_DEVICE_IMAGE");
  const std::string text = value ? value : "";
  return text == "ptx"     ? GpuCodeRequest::Ptx
         : text == "cubin" ? GpuCodeRequest::Cubin
                           : GpuCodeRequest::Best;
}

std::string cubin_key(const std::string& key, const cuda::Assembler& assembler, int sm) {
  ByteWriter what;
  what.text("cubin");
  what.number(sm);
  what.text(assembler.identity);
  return key_beside(key, what.take());
}

std::optional<Code> kept_cubin(const std::string& key, const std::string& name, int sm) {
  const std::optional<std::string> bytes = cached_code(key, name);
  if (!bytes) return std::nullopt;
  const std::optional<cuda::FatImage> image = cuda::FatImage::read(*bytes);
  const Code* const found = image ? image->find(Code::Kind::Cubin, sm) : nullptr;
  return found ? std::optional(*found) : std::nullopt;
}

// Nothing where the assembler does not know this GPU, or refuses the text; `why` says so.
std::optional<Code> assembled_cubin(const cuda::Assembler& assembler, const Code& ptx, int sm,
                                    const std::string& name, std::string& why) {
  log::Event event(log::Topic::Compile);
  cuda::Assembled made = assembler.assemble(ptx.bytes.substr(0, ptx.bytes.find('\0')), sm);
  event.fact("target", "cubin sm_" + std::to_string(sm)).fact("assembler", assembler.shown);
  if (!made.ok) event.fact("error", made.log);
  event.fact("code", made.cubin.size()).write(name);
  why = made.log;
  if (!made.ok) return std::nullopt;
  const auto resources = cuda::resources_of(made.log);
  return Code{Code::Kind::Cubin, sm, std::string(made.cubin.begin(), made.cubin.end()),
              resources ? resources->largest_frame : 0};
}

std::optional<Code> cubin_for(const abi::KernelImage& image, const Code& ptx,
                              const std::string& key, int sm, std::string& why) {
  const cuda::Assembler& assembler = cuda::assembler();
  if (assembler.identity.empty()) {
    why =
        "neither ptxas nor nvJitLink was found (CUDA_HOME, PATH, the usual install folder, wheels)";
    return std::nullopt;
  }
  const std::string beside = cubin_key(key, assembler, sm);
  if (auto kept = kept_cubin(beside, image.name, sm)) return kept;
  std::optional<Code> made = assembled_cubin(assembler, ptx, sm, image.name, why);
  if (!made) return made;
  cuda::FatImage alone;
  alone.add(*made);
  keep_code(beside, alone.bytes(), image.name, "cubin sm_" + std::to_string(sm));
  return made;
}

}  // namespace

cuda::FatImage code_for_gpu(const abi::KernelImage& image, const std::string& key, int sm) {
  const Code ptx{Code::Kind::Ptx, std::stoi(image.target.substr(3)),
                 std::string(image.code.begin(), image.code.end())};
  cuda::FatImage code;
  code.add(ptx);
  if (requested_code() == GpuCodeRequest::Ptx) return code;
  std::string why;
  std::optional<Code> cubin;
  try {
    cubin = cubin_for(image, ptx, key, sm, why);
  } catch (const std::exception& e) {  // no room for its files, no process
    why = e.what();
  }
  if (cubin)
    code.add(std::move(*cubin));
  else if (requested_code() == GpuCodeRequest::Cubin)
    throw std::runtime_error("CUDA_DEVICE_IMAGE=cubin, but no cubin can be made for sm_" +
                             std::to_string(sm) + ": " + why);
  return code;
}

}  // namespace cuda_device::dispatch
