// How loads and stores are made, in words for inspect(what="facts"). They are said where the
// instructions are made and not worked out again, so that they cannot say anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/host/lowering/lanes.h"
#include "ir/ir.h"

namespace cuda_device::codegen::host {

class AccessNotes {
 public:
  // By Inst::id; null: nobody asks.
  explicit AccessNotes(std::vector<std::string>* by_inst) : by_inst_(by_inst) {}

  // Until the next one, what is said is of this access. It is made more than once where code is:
  // for whole gangs and for those with a mask, before a barrier and after it.
  void begin(const ir::Inst& inst, const Mask& mask);
  void end();

  void say(std::string_view way) {
    if (by_inst_) open_ += way;
  }
  // What is said next is so where `condition` holds when the kernel runs; behind otherwise(), where
  // it does not.
  void when(std::string_view condition) {
    if (by_inst_) open_.append("if ").append(condition).append(": ");
  }
  void otherwise() { say(", else "); }

 private:
  struct Said {
    std::string whole, masked;  // all lanes are on, statically; or not
  };
  static std::string text(const Said& said);

  std::vector<std::string>* by_inst_;
  std::vector<Said> said_;
  const ir::Inst* inst_ = nullptr;  // null: no lane makes it
  bool masked_ = false;
  std::string open_;
};

}  // namespace cuda_device::codegen::host
