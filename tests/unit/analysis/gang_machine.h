// Runs a function as a vector target would, gang by gang under masks, with one value per lane, and
// checks every claim of an Analysis at every step. A store that does not blend spoils the slot of
// inactive lanes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "ir/interpreter.h"

namespace cuda_device::analysis::testing {

class GangMachine {
 public:
  GangMachine(const ir::Function& f, const Analysis& a, const std::vector<ir::Argument>& arguments,
              const ir::Grid& grid);
  // Broken claims, the first few; empty if all hold.
  std::vector<std::string> run();
  // How often a claim better than Varying was put to a test with two active lanes.
  uint64_t checked() const { return checked_; }

 private:
  static constexpr int kMostLanes = 64;
  uint32_t width() const { return a_.layout.width; }
  using Mask = uint64_t;
  using Lanes = std::array<int64_t, kMostLanes>;
  using Index = std::array<uint32_t, 3>;
  struct Frame {
    const ir::Inst* construct;
    Mask exit = 0;
    Mask next = 0;
  };
  using Instances = std::map<std::vector<uint32_t>, int64_t>;

  bool place_thread(uint32_t gang, uint32_t lane);
  void gang(uint32_t number);
  Mask block(const ir::Block& b, Mask mask);
  Mask step(const ir::Inst& i, Mask mask);
  Mask jump(const ir::Inst& i, Mask mask);
  Mask control(const ir::Inst& i, Mask mask);
  Mask branch(const ir::Inst& i, Mask mask);
  Mask while_loop(const ir::Inst& i, Mask mask);
  Mask for_loop(const ir::Inst& i, Mask mask);
  void value(const ir::Inst& i, Mask mask);
  int64_t evaluate(const ir::Inst& i, int lane);
  int64_t position(const ir::Inst& i, int lane) const;
  char* address(const ir::Inst& i, int lane) const;
  void load(const ir::Inst& i, Mask mask);
  void store_slot(const ir::Inst& i, const Lanes& v, Mask mask);
  Mask truth(const ir::Inst& i, Mask mask) const;

  void check(const ir::Inst& i, Mask mask);
  void check_uniform(const ir::Inst& i, Mask mask);
  void check_congruence(const ir::Inst& i, Mask mask);
  void check_affine(const ir::Inst& i, Mask mask);
  void check_steps(const ir::Inst& i, Mask mask);
  void check_range(const ir::Inst& i, const Range& range, int64_t v);
  void together(const ir::Inst& i, Mask before, Mask after);
  void fail(const ir::Inst& i, const std::string& what);
  int64_t offset(const Shape& s, int lane) const;

  const ir::Function& f_;
  const Analysis& a_;
  const std::vector<ir::Argument>& arguments_;
  ir::Grid grid_;
  Index block_{};
  std::vector<Index> thread_;
  std::vector<Lanes> values_, slots_;
  std::vector<Mask> spoilt_;  // by slot
  std::vector<Frame> frames_;
  std::vector<uint32_t> path_;
  std::map<uint32_t, Instances> in_launch_, in_block_;
  std::vector<std::string> failures_;
  uint64_t checked_ = 0;
};

}  // namespace cuda_device::analysis::testing
