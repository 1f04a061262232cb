// The messages of one kernel's threads, failures, prints and deadlocks, as its user reads them.
#pragma once

#include <string>
#include <vector>

#include "abi/kernel_image.h"
#include "dispatch/rt_api.h"
#include "runtime/error.h"
#include "runtime/host/report.h"

namespace cuda_device::dispatch {

class KernelMessages {
 public:
  // `functions`: of the program as this process has it. The image may be from the disk, and the
  // source have moved since.
  KernelMessages(const abi::KernelImage& image, const std::vector<Definition>& functions);
  bool nothing() const { return failures_.empty() && formats_.empty(); }
  const std::vector<PrintFormatter>& formats() const { return formats_; }
  // Takes what a launch printed to where it waits; its error: `error`, or else its failure, or its
  // deadlock.
  runtime::Error heard(LaunchReport report, const std::string& error) const;

 private:
  struct Placed {
    Failure failure;
    std::string place;  // "k.py:12"
  };
  std::string kernel_;
  std::vector<Placed> failures_;
  std::vector<PrintFormatter> formats_;
  std::vector<std::string> sites_;  // places
};

}  // namespace cuda_device::dispatch
