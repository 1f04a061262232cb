#include "support/report.h"

#include <algorithm>

#include "support/print_format.h"

namespace cuda_device {
namespace {

std::string tuple_text(const std::array<uint32_t, 3>& index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

constexpr size_t kMostPlaces = 8;  // that a message names

std::string threads_text(uint64_t threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string text_of(const Deadlock::StandingThreads& place, const std::string& where) {
  return threads_text(place.threads) + " at " + (where.empty() ? "an unknown place" : where) +
         " (block " + tuple_text(place.block) + ", thread " + tuple_text(place.thread) +
         (place.threads == 1 ? ")" : " is one)");
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
  const std::string message =
      PrintFormatter(failure.message).text([&](size_t k) { return thread.values[k]; });
  return "kernel '" + kernel + "': " + message + " (" + where + "block " +
         tuple_text(thread.block) + ", thread " + tuple_text(thread.thread) + ")";
}

std::string text_of(const Deadlock& deadlock, const std::vector<std::string>& places) {
  std::string text = "its threads wait for each other and none can go on (deadlock): ";
  const size_t named = std::min(deadlock.places.size(), kMostPlaces);
  for (size_t i = 0; i < named; ++i) {
    const Deadlock::StandingThreads& place = deadlock.places[i];
    text += (i ? ", " : "") + text_of(place, place.site < places.size() ? places[place.site] : "");
  }
  uint64_t others = 0;
  for (size_t i = named; i < deadlock.places.size(); ++i) others += deadlock.places[i].threads;
  const size_t left = deadlock.places.size() - named;
  if (left)
    text += ", and " + threads_text(others) + " at " + std::to_string(left) + " more places";
  if (deadlock.not_started)
    text += "; " + std::to_string(deadlock.not_started) +
            (deadlock.not_started == 1 ? " block has" : " blocks have") +
            " not begun, for want of memory: launch fewer blocks, or fewer threads";
  return text;
}

}  // namespace cuda_device
