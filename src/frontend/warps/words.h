// The scalars of a value in words, each of which a warp moves or compares at once.
#pragma once

#include <functional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

class Words {
 public:
  // GPUs put scalars into words of at most so many bits; on the host, where each is a vector of its
  // own anyway, every scalar is a word.
  Words(Context& ctx, const std::vector<Inst*>& scalars, unsigned most);

  // The scalars of what `f` makes of each word.
  std::vector<Inst*> moved(const std::function<Inst*(Inst*)>& f) const;
  // Each word, with its scalars in the low bits first; unused bits are 0.
  std::vector<Inst*> packed() const;

 private:
  struct Word {
    std::vector<size_t> scalars;
    unsigned bits = 0;
  };
  Inst* pack(const Word& word) const;
  Inst* unpack(const Word& word, Inst* bits, size_t scalar, unsigned first) const;

  Context& ctx_;
  const std::vector<Inst*>& scalars_;
  std::vector<Word> words_;
};

}  // namespace cuda_device::frontend
