// One kernel run over its blocks, shared by the threads that take part.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "abi/kernel_image.h"
#include "runtime/host/blocks.h"
#include "runtime/host/fibres/launch.h"
#include "runtime/host/interrupt.h"
#include "runtime/host/report.h"
#include "runtime/host/worker_tables.h"

namespace cuda_device::runtime {

// Blocks are claimed in chunks, in increasing order: a block may wait for lower-numbered ones,
// never for higher. So what is claimed is run, and stopping a job means to claim no more. A job
// that is given up leaves blocks that take long in their midst, too.
class Job {
 public:
  Job(abi::HostEntry entry, const void* params, const abi::LaunchDims& dims, uint32_t arena_bytes);
  // A job of a kernel whose threads run one by one (runtime/host/fibres/run.h).
  Job(const fibres::Kernel& kernel, const void* params, const abi::LaunchDims& dims,
      Report& report);
  // The most blocks a thread may claim at once, and whether finish() will ask. Before the first
  // call of the functions below.
  void prepare(uint64_t chunk, bool will_ask) {
    max_chunk_ = chunk;
    will_ask_ = will_ask;
  }
  // Where the messages of the kernel's threads go; after a failure, blocks that no worker has
  // claimed are left out. Outlives the run.
  void report_to(Report& report) {
    report_ = &report;
    context_.report = &report;
  }
  // Before the run: its threads take subnormal numbers for zero.
  void flush_subnormals() { flush_subnormals_ = true; }
  // Before the run: what each worker gets a table for.
  void use_tables(TablePlan plan) { tables_ = std::move(plan); }
  // Claims and runs chunks until none is left. Any number of threads.
  void help() noexcept;
  // The launching thread's part: claims and runs, then waits until no thread runs a block of this
  // job. Asks between chunks, within long ones (runtime/host/interruptible.h) and while it waits;
  // once the answer is yes, the job is given up. Returns an error text, empty if all blocks have
  // run or it was interrupted.
  std::string finish(Interrupt* interrupt = nullptr);
  uint64_t blocks() const { return blocks_.count(); }

 private:
  enum class Left : uint8_t { Nothing, More };
  class Share;
  Left run_chunks(int64_t now, int64_t until, Interrupt* interrupt);
  Left run_until_question(Interrupt* interrupt);
  void run_chunk(abi::HostContext& context, uint64_t first, uint64_t last, Interrupt* interrupt);
  void run_blocks(const abi::HostContext& context, uint64_t first, uint64_t last);
  size_t bytes_of_a_block() const;
  std::string finish_threads(Interrupt* interrupt);
  void fail(std::string text);
  void wait_for_others(Interrupt* interrupt, unsigned forks);

  abi::HostEntry entry_;
  const void* params_;
  abi::HostContext context_;
  Report* report_ = nullptr;
  uint32_t arena_bytes_;
  uint64_t max_chunk_ = 1;
  bool will_ask_ = false;
  bool flush_subnormals_ = false;
  TablePlan tables_;
  Blocks blocks_;
  std::mutex mutex_;
  std::string error_;                        // the first
  std::unique_ptr<fibres::Launch> threads_;  // of a kernel whose threads run one by one
};

}  // namespace cuda_device::runtime
