// How loads and stores are made, in words for inspect(what="facts"): descriptions of the plans that
// code was made by, so that they cannot say anything else.
#pragma once

#include <string>
#include <vector>

#include "codegen/host/lowering/lanes.h"
#include "ir/ir.h"

namespace cuda_device::codegen::host {

class AccessNotes {
 public:
  // `by_inst`: indexed by Inst::id; null: notes are dropped.
  explicit AccessNotes(std::vector<std::string>* by_inst) : by_inst_(by_inst) {}

  bool wanted() const { return by_inst_ != nullptr; }
  // An access is made more than once where code is: for whole gangs and for those with a mask,
  // before a barrier and after it.
  void add(const ir::Inst& inst, const Mask& mask, const std::string& how);

 private:
  struct Note {
    std::string whole, masked;  // all lanes are on, statically; or not
  };
  static std::string text(const Note& note);

  std::vector<std::string>* by_inst_;
  std::vector<Note> notes_;
};

}  // namespace cuda_device::codegen::host
