#include "ir/deadlock.h"

#include <algorithm>
#include <map>

#include "ir/effects.h"

namespace cuda_device::ir {
namespace {

constexpr size_t kPlaces = 8;

bool waits(const Launch& launch, const RunningBlock& block) {
  if (block.repeats()) return true;
  return std::ranges::all_of(block.warps(), [&](const RunningWarp& warp) {
    return warp.repeats() || std::ranges::all_of(warp.lanes(), [&](const Lane& lane) {
             return !can_go_on(lane) || spins(launch, lane);
           });
  });
}

// The step of a loop that says most about what is waited for: a read of memory, else one whose line
// is known; the first of several, so that threads in one loop are at one place.
class SpinPlace {
 public:
  explicit SpinPlace(const StepCode& code) : code_(code) {}
  void passes(uint32_t step) {
    const int value = value_of(code_.steps[step]);
    if (value < best_value_ || (value == best_value_ && step > best_)) return;
    best_ = step;
    best_value_ = value;
  }
  uint32_t best() const { return best_; }

 private:
  static int value_of(const Step& s) {
    if (!s.source) return 0;
    if (s.kind == StepKind::Effect && reads(*s.source)) return 3;
    return s.source->span.known() ? 2 : 1;
  }
  const StepCode& code_;
  uint32_t best_ = UINT32_MAX;
  int best_value_ = -1;
};

uint32_t place_of(const Launch& launch, Lane& lane) {
  const uint32_t next = lane.thread.next;
  if (!can_go_on(lane)) return next;
  if (!spins(launch, lane)) return next - 1;  // where it met others, again and again
  SpinPlace place(launch.code);
  for (uint64_t k = 0; k < lane.cycle; ++k) {
    place.passes(lane.thread.next);
    advance(launch, lane.thread, 1);
  }
  return place.best();
}

struct StandingThreads {
  size_t threads = 0;
  std::string first;  // of them
};

// By step.
std::map<uint32_t, StandingThreads> places_of(const Launch& launch, RunningBlocks& blocks) {
  std::map<uint32_t, StandingThreads> places;
  const auto add = [&](Lane& lane) {
    if (lane.outcome == Outcome::Finished) return;
    StandingThreads& place = places[place_of(launch, lane)];
    if (place.threads++ == 0)
      place.first =
          "block " + text_of(lane.thread.block) + ", thread " + text_of(lane.thread.index);
  };
  for (auto& block : blocks)
    for (RunningWarp& warp : block->warps()) std::ranges::for_each(warp.lanes(), add);
  return places;
}

std::string text_of(const Launch& launch, uint32_t step, const StandingThreads& place) {
  const std::string threads =
      place.threads == 1 ? place.first
                         : std::to_string(place.threads) + " threads (" + place.first + ")";
  return threads + " at " + step_text(launch, step);
}

}  // namespace

bool all_wait(const Launch& launch, const RunningBlocks& blocks) {
  return std::ranges::all_of(blocks, [&](const auto& block) { return waits(launch, *block); });
}

void throw_deadlock(const Launch& launch, RunningBlocks& blocks) {
  const std::map<uint32_t, StandingThreads> places = places_of(launch, blocks);
  std::string text = "its threads wait for each other and none can go on (deadlock): ";
  size_t named = 0;
  for (const auto& [step, place] : places) {
    if (named == kPlaces) break;
    text += (named++ ? "; " : "") + text_of(launch, step, place);
  }
  if (places.size() > kPlaces)
    text += "; and " + std::to_string(places.size() - kPlaces) + " more places";
  throw InterpretError(text);
}

}  // namespace cuda_device::ir
