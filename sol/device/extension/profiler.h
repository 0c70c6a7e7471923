/* The device's activity, for PyTorch's profiler (profiler.cpp). */
#pragma once
#include <c10/core/Stream.h>

#include <string>

#include "sol_driver.h"

namespace sol {

enum class ActivityKind : int { kKernel, kCopy };

/* Whether activities are recorded. */
bool is_profiling();

/* From here to the end of the scope something is queued on a stream, whose start and end on the device are recorded. Without a profiler it
 * does nothing. */
class Activity {
 public:
  Activity(ActivityKind kind, const char* name, const c10::Stream& stream) {
    if (is_profiling()) begin(kind, name, stream);
  }
  ~Activity() {
    if (end_) finish();
  }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  void begin(ActivityKind kind, const char* name, const c10::Stream& stream);
  void finish() noexcept;

  ActivityKind kind_{};
  std::string name_;
  c10::Stream stream_{c10::Stream::DEFAULT, c10::Device(c10::kCPU)};
  sol_event *start_ = nullptr, *end_ = nullptr;
};

}  // namespace sol
