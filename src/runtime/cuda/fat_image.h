// The code of one kernel for several architectures: PTX, which the driver compiles, and cubins,
// which it only loads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_device::cuda {

struct Code {
  enum class Kind : uint8_t { Ptx, Cubin };
  Kind kind = Kind::Ptx;
  int sm = 0;          // 90: written for compute capability 9.0
  std::string bytes;   // of PTX the text, NUL-terminated
  uint32_t frame = 0;  // Cubin: bytes of stack that a call takes at most; 0: not known
};

class FatImage {
 public:
  // Adds code, or replaces code of the same kind for the same architecture.
  void add(Code code);
  const std::vector<Code>& codes() const { return codes_; }
  const Code* find(Code::Kind kind, int sm) const;

  // What a GPU can run, the best first: cubins of its own generation that are not newer than it,
  // then PTX that is not newer. Points into this.
  std::vector<const Code*> for_gpu(int sm) const;

  // An index with kind, architecture and place of each, and the bytes.
  std::string bytes() const;
  // Nothing where the bytes are not those of such an image: every number is checked, and that a
  // cubin looks like one.
  static std::optional<FatImage> read(std::string_view bytes);

 private:
  std::vector<Code> codes_;
};

}  // namespace cuda_device::cuda
