#include "runtime/cuda/fat_image.h"

#include <algorithm>
#include <cstring>

#include "support/bytes.h"

namespace cuda_device::cuda {
namespace {

// The last digit is the version of this format.
constexpr std::string_view kMagic = "cdfat002";
constexpr uint32_t kMost = 256;

// An ELF file of 64 bits for NVIDIA's GPUs.
bool looks_like_cubin(std::string_view bytes) {
  constexpr size_t kHeader = 64, kMachineAt = 18;
  constexpr uint16_t kCudaMachine = 190;
  if (bytes.size() < kHeader || !bytes.starts_with("\x7f"
                                                   "ELF\x02"))
    return false;
  uint16_t machine = 0;
  std::memcpy(&machine, bytes.data() + kMachineAt, sizeof machine);
  return machine == kCudaMachine;
}

bool looks_like_ptx(std::string_view bytes) {
  return !bytes.empty() && bytes.find('\0') == bytes.size() - 1 &&
         bytes.find(".version") != std::string_view::npos;
}

bool is_sane(const Code& code) {
  if (code.sm < 10 || code.sm > 9999) return false;
  return code.kind == Code::Kind::Cubin ? looks_like_cubin(code.bytes) : looks_like_ptx(code.bytes);
}

// Machine code runs on later GPUs of its generation; PTX on all later ones.
bool runs_on(const Code& code, int sm) {
  return code.sm <= sm && (code.kind == Code::Kind::Ptx || code.sm / 10 == sm / 10);
}

bool is_better(const Code* a, const Code* b) {
  if (a->kind != b->kind) return a->kind == Code::Kind::Cubin;
  return a->sm > b->sm;
}

}  // namespace

void FatImage::add(Code code) {
  std::erase_if(codes_, [&](const Code& c) { return c.kind == code.kind && c.sm == code.sm; });
  codes_.push_back(std::move(code));
}

const Code* FatImage::find(Code::Kind kind, int sm) const {
  for (const Code& code : codes_)
    if (code.kind == kind && code.sm == sm) return &code;
  return nullptr;
}

std::vector<const Code*> FatImage::for_gpu(int sm) const {
  std::vector<const Code*> found;
  for (const Code& code : codes_)
    if (runs_on(code, sm)) found.push_back(&code);
  std::sort(found.begin(), found.end(), is_better);
  return found;
}

std::string FatImage::bytes() const {
  ByteWriter out;
  out.number(static_cast<uint32_t>(codes_.size()));
  uint64_t offset = 0;  // after the index
  for (const Code& code : codes_) {
    out.number(code.kind);
    out.number(static_cast<uint32_t>(code.sm));
    out.number(offset);
    out.number(static_cast<uint64_t>(code.bytes.size()));
    out.number(code.frame);
    offset += code.bytes.size();
  }
  std::string bytes = std::string(kMagic) + out.take();
  for (const Code& code : codes_) bytes += code.bytes;
  return bytes;
}

std::optional<FatImage> FatImage::read(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.bytes(kMagic.size()) != kMagic) return std::nullopt;
  const uint32_t count = in.number<uint32_t>();
  if (count > kMost) return std::nullopt;
  FatImage image;
  std::vector<uint64_t> sizes;
  uint64_t end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t kind = in.number<uint8_t>();
    const uint32_t sm = in.number<uint32_t>();
    const uint64_t offset = in.number<uint64_t>(), size = in.number<uint64_t>();
    const uint32_t frame = in.number<uint32_t>();
    if (kind > static_cast<uint8_t>(Code::Kind::Cubin) || offset != end) return std::nullopt;
    if (__builtin_add_overflow(end, size, &end)) return std::nullopt;
    image.codes_.push_back({static_cast<Code::Kind>(kind), static_cast<int>(sm), "", frame});
    sizes.push_back(size);
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    Code& code = image.codes_[i];
    code.bytes = in.bytes(sizes[i]);
    if (!in.ok() || !is_sane(code) || image.find(code.kind, code.sm) != &code) return std::nullopt;
  }
  return in.ended_well() ? std::optional(std::move(image)) : std::nullopt;
}

}  // namespace cuda_device::cuda
