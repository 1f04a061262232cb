// What a specialisation costs, in figures and in words: cd_rt_stats.
#include <algorithm>
#include <stdexcept>

#include "dispatch/compiled.h"
#include "dispatch/jit_library.h"
#include "runtime/cuda/occupancy.h"
#include "runtime/cuda/toolkit.h"
#include "runtime/host/cache.h"
#include "runtime/host/threads.h"
#include "support/fork.h"
#include "support/stage_times.h"

namespace cuda_device::dispatch {
namespace {

std::string bytes_text(uint64_t bytes) {
  if (bytes < 10240) return std::to_string(bytes) + " bytes";
  if (bytes < (10U << 20U)) return std::to_string(bytes >> 10U) + " KiB";
  return std::to_string(bytes >> 20U) + " MiB";
}

uint64_t product(const std::array<uint32_t, 3>& extents) {
  return uint64_t{extents[0]} * extents[1] * extents[2];
}

std::string percent(uint64_t part, uint64_t whole) {
  return std::to_string((part * 100 + whole / 2) / whole) + " %";
}

// One compilation with what is known of its launch. Lines of key=value.
class Report {
 public:
  Report(const StatsRequest& request, const compile::CompileResult& result)
      : request_(request),
        result_(result),
        image_(result.image),
        threads_(request.specialisation->request.launch.has_block()
                     ? product(request.specialisation->request.launch.block)
                     : 0) {}

  std::string run(const StageTimes& times) {
    line("target", image_.target);
    if (threads_) line("threads", threads_);
    line("shared_bytes", shared());
    if (image_.kind == abi::ImageKind::HostCode)
      host();
    else
      gpu();
    for (const StageTime& t : times)
      line("stage", std::to_string(t.seconds) + " " + std::string(t.name));
    return std::move(text_);
  }

 private:
  void line(const char* name, const std::string& value) {
    text_.append(name).append("=").append(value).append("\n");
  }
  void line(const char* name, uint64_t value) { line(name, std::to_string(value)); }
  void hint(const std::string& words) { line("hint", words); }
  uint64_t shared() const { return uint64_t{image_.static_shared} + request_.shared; }

  void host() {
    line("gang", image_.threads ? 1 : image_.width);
    if (result_.lanes) line("lanes", result_.lanes);
    line("arena_bytes", image_.arena);
    line("code_bytes", image_.code.size());
    line("stack_bytes", result_.stack);
    idle_lanes();
    spilled();
    memory_of_a_worker();
    idle_workers();
  }

  void idle_lanes() {
    if (!result_.lanes || result_.lanes <= threads_) return;
    hint(std::to_string(result_.lanes - threads_) + " of " + std::to_string(result_.lanes) +
         " lanes of a block are idle (" + percent(result_.lanes - threads_, result_.lanes) +
         "): its " + std::to_string(threads_) + " threads do not fill gangs of " +
         std::to_string(image_.width));
  }

  // A few values that wait in the level 1 cache cost little.
  void spilled() {
    if (image_.threads) return;
    constexpr uint32_t kFewBytes = 1024;
    if (result_.stack > kFewBytes)
      hint("a gang keeps " + bytes_text(result_.stack) +
           " on the stack: more values are in use at once than registers hold");
  }

  void memory_of_a_worker() {
    const uint64_t bytes = image_.arena + shared();
    for (const int level : {2, 1}) {
      const uint64_t cache = runtime::cache_of_core(level);
      if (!cache || bytes <= cache) continue;
      return hint("a block works on " + bytes_text(bytes) + ", more than the level " +
                  std::to_string(level) + " cache of a core (" + bytes_text(cache) + ")");
    }
  }

  void idle_workers() {
    const uint64_t blocks = product(request_.grid);
    const auto workers = static_cast<uint64_t>(runtime::thread_count());
    if (!request_.has_grid || blocks >= workers) return;
    hint("a grid of " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " keeps " +
         std::to_string(blocks) + " of " + std::to_string(workers) + " threads busy");
  }

  void gpu() {
    line("code_bytes", image_.code.size() - 1);
    if (threads_) {
      line("gang", 32);
      line("lanes", (threads_ + 31) / 32 * 32);
      if (threads_ % 32)
        hint(std::to_string(32 - threads_ % 32) +
             " of the 32 lanes of a block's last warp are idle");
    }
    if (cuda::find_ptxas().empty())
      return hint("ptxas was not found: registers and spills are not known");
    const int sm = std::stoi(image_.target.substr(3));
    const cuda::Assembled assembled =
        cuda::assemble({image_.code.begin(), image_.code.end() - 1}, sm);
    const auto resources = cuda::resources_of(assembled.log);
    if (!assembled.ok || !resources) throw std::runtime_error("ptxas: " + assembled.log);
    assembled_as(sm, *resources);
  }

  // How much stack functions take that call themselves only a launch shows.
  void calls(const cuda::Resources& r) {
    if (!image_.nested_calls) return;
    const uint64_t most = (uint64_t{image_.nested_calls} + 1) * r.largest_frame;
    line("call_stack_bytes", most);
    hint("functions that call themselves take up to " + bytes_text(most) +
         " of stack a thread: " + bytes_text(r.largest_frame) + " in each of " +
         std::to_string(image_.nested_calls) + " calls, the most that may be nested");
  }

  void assembled_as(int sm, const cuda::Resources& r) {
    line("registers", r.registers);
    line("spill_store_bytes", r.spill_stores);
    line("spill_load_bytes", r.spill_loads);
    line("stack_bytes", r.stack);
    calls(r);
    if (r.spill_stores)
      hint("a thread's " + bytes_text(r.spill_stores) + " do not fit registers and go to memory");
    if (!threads_) return;
    const auto fits = cuda::occupancy(sm, r.registers, static_cast<uint32_t>(threads_),
                                      static_cast<uint32_t>(shared()));
    if (!fits) return;
    line("blocks_per_multiprocessor", fits->blocks);
    if (!fits->blocks)
      return hint(std::string("a block does not fit on a multiprocessor: too few ") + fits->limit);
    const uint64_t held = std::min<uint64_t>(fits->blocks * threads_, fits->most_threads);
    hint(std::to_string(fits->blocks) + (fits->blocks == 1 ? " block" : " blocks") +
         " fit on a multiprocessor: " + std::to_string(held) + " of " +
         std::to_string(fits->most_threads) + " threads (" + percent(held, fits->most_threads) +
         "), limited by " + fits->limit);
  }

  const StatsRequest& request_;
  const compile::CompileResult& result_;
  const abi::KernelImage& image_;
  const uint64_t threads_;
  std::string text_;
};

Status status_of(compile::Status s) {
  if (s == compile::Status::UserError) return Status::UserError;
  if (s == compile::Status::Interrupted) return Status::Interrupted;
  return s == compile::Status::Ok ? Status::Ok : Status::CompilerFault;
}

void stats(const StatsRequest& wanted, Outcome* outcome) {
  FinishBeforeFork scope;
  compile::CompileRequest request = request_for(*wanted.specialisation, wanted.target);
  StageTimes times;
  request.times = &times;
  const std::function<bool()> ask = asking(wanted.specialisation->interrupted);
  if (ask) request.interrupted = &ask;
  compile::CompileResult result;
  jit_library().compile(&request, &result);
  outcome->status = status_of(result.status);
  outcome->diagnostics = std::move(result.diagnostics);
  outcome->text =
      result.status == compile::Status::Ok ? Report(wanted, result).run(times) : result.fault;
}

}  // namespace
}  // namespace cuda_device::dispatch

void cd_rt_stats(const cuda_device::dispatch::StatsRequest* request,
                 cuda_device::dispatch::Outcome* outcome) {
  try {
    cuda_device::dispatch::stats(*request, outcome);
  } catch (const std::exception& e) {
    outcome->status = cuda_device::dispatch::Status::RuntimeFault;
    outcome->text = e.what();
  }
}
