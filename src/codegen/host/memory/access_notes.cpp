#include "codegen/host/memory/access_notes.h"

namespace cuda_device::codegen::host {

void AccessNotes::begin(const ir::Inst& inst, const Mask& mask) {
  inst_ = mask.none ? nullptr : &inst;
  masked_ = !mask.all();
  open_.clear();
}

// Copies of an access are mostly made alike.
static void add(std::string& all, const std::string& way) {
  constexpr const char* kOr = "; or ";
  if ((kOr + all + kOr).find(kOr + way + kOr) != std::string::npos) return;
  all += (all.empty() ? "" : kOr) + way;
}

void AccessNotes::end() {
  if (!by_inst_ || !inst_) return;
  const size_t id = inst_->id;
  if (id >= said_.size()) said_.resize(id + 1);
  if (id >= by_inst_->size()) by_inst_->resize(id + 1);
  add(masked_ ? said_[id].masked : said_[id].whole, open_);
  (*by_inst_)[id] = text(said_[id]);
}

std::string AccessNotes::text(const Said& said) {
  if (said.masked.empty() || said.masked == said.whole) return said.whole;
  const std::string masked = "under a mask: " + said.masked;
  return said.whole.empty() ? masked : said.whole + "; " + masked;
}

}  // namespace cuda_device::codegen::host
