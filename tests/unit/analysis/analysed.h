// An analysed function out of IR text, and its instructions by their printed numbers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analysis/analysis.h"
#include "ir/visitor.h"

namespace cuda_device::analysis::testing {

struct Analysed {
  explicit Analysed(const std::string& text) : f(ir::parse(text)) {
    EXPECT_EQ(ir::verify(*f), std::vector<std::string>{});
    a = analyse(*f);
    ir::for_each_inst(f->body, [&](const ir::Inst& i) {
      if (!i.type.is_none()) numbered.push_back(&i);
    });
  }
  const Shape& shape(size_t number) const { return a.shape(*numbered.at(number)); }
  Range range(size_t number) const { return a.range(*numbered.at(number)); }
  // The n-th instruction with that operation.
  const ir::Inst& nth(ir::Op op, int n = 0) const {
    const ir::Inst* found = nullptr;
    ir::for_each_inst(f->body, [&](const ir::Inst& i) {
      if (i.op == op && n-- == 0) found = &i;
    });
    EXPECT_NE(found, nullptr);
    return *found;
  }
  bool divergent(ir::Op op, int n = 0) const { return a.divergent[nth(op, n).id]; }
  bool blends(ir::Op op, int n = 0) const { return a.store_blends[nth(op, n).id]; }

  std::unique_ptr<ir::Function> f;
  Analysis a;
  std::vector<const ir::Inst*> numbered;
};

inline Shape level(Level l) { return {l, {}, {}}; }
inline Shape affine(int64_t s0, int64_t s1) { return {Level::Affine, {true, s0}, {true, s1}}; }
inline Shape in_rows_of(uint32_t period, int64_t s0, int64_t s1) {
  return {Level::Affine, {true, s0}, {true, s1}, period};
}
inline Range range(int64_t lo, int64_t hi) { return {.lo = lo, .hi = hi}; }

}  // namespace cuda_device::analysis::testing
