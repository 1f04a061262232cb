#include "support/report.h"

namespace cuda_device {
namespace {

std::string tuple_text(const std::array<uint32_t, 3>& index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

}  // namespace

void PrintedText::append(std::string_view text, uint64_t pieces) {
  if (dropped_ == 0 && text.size() <= kMostBytes - text_.size())
    text_ += text;
  else
    dropped_ += pieces;
}

std::string PrintedText::take() {
  std::string all = std::move(text_);
  if (dropped_ != 0) {
    if (!all.empty() && all.back() != '\n') all += '\n';
    all += "... output dropped: that of " + std::to_string(dropped_) +
           (dropped_ == 1 ? " print" : " prints") + "; a launch keeps the first MiB\n";
  }
  *this = {};
  return all;
}

std::string text_of(const std::string& kernel, const Failure& failure, const std::string& place,
                    const FailedThread& thread) {
  const std::string where = place.empty() ? "" : place + ", ";
  return "kernel '" + kernel + "': " + failure.text + " (" + where + "block " +
         tuple_text(thread.block) + ", thread " + tuple_text(thread.thread) + ")";
}

}  // namespace cuda_device
