#include "codegen/host/memory/access_notes.h"

namespace cuda_device::codegen::host {

// Copies of an access are mostly made alike.
static void append(std::string& all, const std::string& how) {
  constexpr const char* kOr = "; or ";
  if ((kOr + all + kOr).find(kOr + how + kOr) != std::string::npos) return;
  all += (all.empty() ? "" : kOr) + how;
}

void AccessNotes::add(const ir::Inst& inst, const Mask& mask, const std::string& how) {
  if (!wanted() || mask.none) return;  // no lane makes it
  const size_t id = inst.id;
  if (id >= notes_.size()) notes_.resize(id + 1);
  if (id >= by_inst_->size()) by_inst_->resize(id + 1);
  append(mask.all() ? notes_[id].whole : notes_[id].masked, how);
  (*by_inst_)[id] = text(notes_[id]);
}

std::string AccessNotes::text(const Note& note) {
  if (note.masked.empty() || note.masked == note.whole) return note.whole;
  const std::string masked = "under a mask: " + note.masked;
  return note.whole.empty() ? masked : note.whole + "; " + masked;
}

}  // namespace cuda_device::codegen::host
