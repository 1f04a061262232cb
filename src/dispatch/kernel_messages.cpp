#include "dispatch/kernel_messages.h"

#include <utility>

namespace cuda_device::dispatch {
namespace {

// of: a Failure or a WaitSite.
template <class Said>
std::string place_of(const Said& of, const std::vector<Definition>& functions) {
  if (of.function >= functions.size()) return "";
  const Definition& definition = functions[of.function];
  if (definition.line == 0) return "";
  return definition.file + ":" + std::to_string(int64_t{definition.line} + of.line);
}

}  // namespace

KernelMessages::KernelMessages(const abi::KernelImage& image,
                               const std::vector<Definition>& functions)
    : kernel_(image.name) {
  for (const Failure& failure : image.failures)
    failures_.push_back({failure, place_of(failure, functions)});
  for (const PrintFormat& format : image.formats) formats_.emplace_back(format);
  for (const WaitSite& site : image.sites) sites_.push_back(place_of(site, functions));
}

runtime::Error KernelMessages::heard(LaunchReport report, const std::string& error) const {
  runtime::add_printed(report.printed.take());
  if (!error.empty()) return error;
  if (report.deadlock && !report.failed) return text_of(*report.deadlock, sites_);
  if (!report.failed) return {};
  const auto& [failure, place] = failures_.at(report.failed->failure);
  runtime::Error failed = text_of(kernel_, failure, place, *report.failed);
  failed.raises = failure.raises;
  return failed;
}

}  // namespace cuda_device::dispatch
