#include "dispatch/kernel_messages.h"

#include <utility>

namespace cuda_device::dispatch {
namespace {

std::string place_of(const Failure& failure, const std::vector<Definition>& functions) {
  if (failure.function >= functions.size()) return "";
  const Definition& definition = functions[failure.function];
  if (definition.line == 0) return "";
  return definition.file + ":" + std::to_string(int64_t{definition.line} + failure.line);
}

}  // namespace

KernelMessages::KernelMessages(const abi::KernelImage& image,
                               const std::vector<Definition>& functions)
    : kernel_(image.name) {
  for (const Failure& failure : image.failures)
    failures_.push_back({failure, place_of(failure, functions)});
  for (const PrintFormat& format : image.formats) formats_.emplace_back(format);
}

runtime::Error KernelMessages::heard(LaunchReport report, const std::string& error) const {
  runtime::add_printed(report.printed.take());
  if (!error.empty() || !report.failed) return error;
  const auto& [failure, place] = failures_.at(report.failed->failure);
  runtime::Error failed = text_of(kernel_, failure, place, *report.failed);
  failed.raises = failure.raises;
  return failed;
}

}  // namespace cuda_device::dispatch
