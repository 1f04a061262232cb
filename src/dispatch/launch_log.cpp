#include "dispatch/launch_log.h"

namespace cuda_device::dispatch {

void describe(log::Event& event, const Compiled& compiled, const abi::LaunchDims& dims) {
  event.fact("target", compiled.target()).fact("grid", dims.grid).fact("block", dims.block);
  event.fact("shared", uint64_t{compiled.static_shared()} + dims.shared);
}

runtime::Error run_logged(const Compiled& compiled, const void* params, const abi::LaunchDims& dims,
                          const runtime::HostStream* stream, runtime::Interrupt* interrupt) {
  log::Event event(log::Topic::Launch);
  runtime::Error error = compiled.run(params, dims, interrupt);
  if (!event) return error;
  describe(event, compiled, dims);
  if (stream) event.fact("stream", reinterpret_cast<uint64_t>(stream));
  if (interrupt && interrupt->happened()) event.fact("interrupted", "yes");
  if (!error.empty()) event.fact("error", error.text);
  event.write(compiled.name());
  return error;
}

}  // namespace cuda_device::dispatch
