// The streams of the host that were made and live, but for the default one.
#pragma once

#include <memory>
#include <vector>

namespace cuda_device::runtime {

class HostStream;

// The list does not keep the stream alive.
void list_stream(const std::shared_ptr<HostStream>& stream);
std::vector<std::shared_ptr<HostStream>> listed_streams();

}  // namespace cuda_device::runtime
