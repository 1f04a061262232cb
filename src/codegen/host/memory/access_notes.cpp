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
  if (id >= said_.size()) said_.resize(id + 1);
  if (id >= by_inst_->size()) by_inst_->resize(id + 1);
  append(mask.all() ? said_[id].whole : said_[id].masked, how);
  (*by_inst_)[id] = text(said_[id]);
}

std::string AccessNotes::text(const Said& said) {
  if (said.masked.empty() || said.masked == said.whole) return said.whole;
  const std::string masked = "under a mask: " + said.masked;
  return said.whole.empty() ? masked : said.whole + "; " + masked;
}

}  // namespace cuda_device::codegen::host
