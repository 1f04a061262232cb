// The passes between frontend and analyses, in order. pipeline.cpp is the map.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "ir/ir.h"
#include "passes/lanes.h"
#include "support/stage_times.h"

namespace cuda_device::passes {

enum class When : uint8_t {
  Always,
  ForLanes,   // PipelineOptions::lanes is set, and choose_lanes agrees
  OwnMath,    // PipelineOptions::own_math is set
  Unchecked,  // PipelineOptions::drop_assertions is set
};

// Has one of `run` and `run_for`.
struct Pass {
  std::string_view name;
  void (*run)(ir::Function&) = nullptr;
  void (*run_for)(ir::Function&, const Lanes&) = nullptr;
  When when = When::Always;
  std::optional<Heuristic> tuning = {};  // the heuristic that it is; runs only where that is on
};
void run_pass(const Pass& pass, ir::Function& f, const Lanes& lanes);
std::span<const Pass> pipeline();

struct PipelineOptions {
  bool verify = false;           // before the first pass and after each
  std::optional<Lanes> lanes;    // threads are lanes
  bool own_math = false;         // functions of mathematics are expanded
  bool drop_assertions = false;  // the target makes no checks of `assert`
  Tuning tuning;
  std::function<void(std::string_view pass, const ir::Function&)> dump;  // after each pass
  StageTimes* times = nullptr;  // one entry a pass, and one of the check
  std::stop_token stop{};       // looked at before each pass
  // Called once, on the simplified kernel, before any pass that some targets leave out.
  std::function<void(const ir::Function&)> check;
  // Called likewise, where `lanes` is set: whether threads are lanes indeed. Empty: they are.
  std::function<bool(const ir::Function&)> choose_lanes;
};

// Throws InternalError where a pass leaves invalid IR, Interrupted where it was told to stop.
void run_pipeline(ir::Function& f, const PipelineOptions& options = {});

}  // namespace cuda_device::passes
