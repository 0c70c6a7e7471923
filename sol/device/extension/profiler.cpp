/* The device's activity in PyTorch's profiler: what is queued is put between two events of the driver, whose times become spans of the trace. */
#define FMT_HEADER_ONLY
#ifndef USE_KINETO
#define USE_KINETO
#endif
#include "profiler.h"

#include <torch/csrc/profiler/stubs/base.h>

#if __has_include(<torch/csrc/profiler/standalone/privateuse1_profiler.h>)
#include <libkineto.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>
#define SOL_HAS_TRACES /* PyTorch takes activities of other devices into its traces */
#endif

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "runtime.h"

namespace sol {
namespace {

std::atomic<bool> profiling{false};
thread_local std::vector<uint64_t> correlations;  // operations of PyTorch that this thread is in

struct Recorded {
  ActivityKind kind;
  std::string name;
  c10::Stream stream;
  uint64_t correlation;
  sol_event *start, *end;
};

std::mutex mutex;
std::vector<Recorded>& recorded() {
  static auto* all = new std::vector<Recorded>();
  return *all;
}

sol_event* marked(const c10::Stream& stream) {
  sol_event* event = nullptr;
  check(driver().event_create(stream.device_index(), 1, &event), "event_create");
  check(driver().event_record(event, queue(stream)), "event_record");
  return event;
}

double milliseconds(sol_event* start, sol_event* end) {
  double found = 0;
  check(driver().event_elapsed(start, end, &found), "event_elapsed");
  return found;
}

int64_t system_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

#ifdef SOL_HAS_TRACES

using libkineto::ActivityType;

/* When an event happened by the host's clock: the time of every device is told by an event of which both are known. */
struct Session final : libkineto::IActivityProfilerSession {
  struct Origin {
    sol_event* event;
    int64_t time;
  };
  std::map<c10::DeviceIndex, Origin> origins;
  std::vector<std::string> failed;
  int64_t begin = 0, end = 0;
  std::unique_ptr<libkineto::CpuTraceBuffer> buffer;

  void start() override {
    begin = system_nanoseconds();
    for (c10::DeviceIndex device = 0; device < device_count(); ++device) {
      synchronize(device);
      sol_event* event = marked(c10::Stream(c10::Stream::UNSAFE, c10::Device(kDevice, device), 0));
      check(driver().event_synchronize(event), "event_synchronize");
      origins[device] = {event, system_nanoseconds()};
    }
    profiling = true;
    status_ = libkineto::TraceStatus::RECORDING;
  }

  void stop() override {
    profiling = false;
    end = system_nanoseconds();
    status_ = libkineto::TraceStatus::PROCESSING;
  }

  std::vector<std::string> errors() override { return failed; }

  void processTrace(libkineto::ActivityLogger& logger) override {
    processTrace(logger, [](int32_t) -> const libkineto::ITraceActivity* { return nullptr; }, begin, end);
  }

  void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback linked, int64_t, int64_t) override {
    std::vector<Recorded> all;
    {
      std::lock_guard<std::mutex> lock(mutex);
      all.swap(recorded());
    }
    buffer = std::make_unique<libkineto::CpuTraceBuffer>();
    buffer->span = libkineto::TraceSpan(begin, end, "device sol");
    for (auto& one : all) {
      try {
        add(one, linked);
      } catch (const std::exception& error) {
        failed.push_back(error.what());
      }
      driver().event_destroy(one.start);
      driver().event_destroy(one.end);
    }
    for (auto& [device, origin] : origins) driver().event_destroy(origin.event);
    origins.clear();
    for (const auto& activity : buffer->activities) activity->log(logger);
  }

  void add(const Recorded& one, const libkineto::getLinkedActivityCallback& linked) {
    check(driver().event_synchronize(one.end), "event_synchronize");
    const auto& origin = origins.at(one.stream.device_index());
    const auto type = one.kind == ActivityKind::kCopy ? ActivityType::GPU_MEMCPY : ActivityType::CONCURRENT_KERNEL;
    buffer->emplace_activity(buffer->span, type, one.name);
    auto& activity = *buffer->activities.back();
    activity.startTime = origin.time + static_cast<int64_t>(milliseconds(origin.event, one.start) * 1e6);
    activity.endTime = std::max(activity.startTime + 1, origin.time + static_cast<int64_t>(milliseconds(origin.event, one.end) * 1e6));
    activity.device = one.stream.device_index();
    activity.resource = static_cast<int32_t>(one.stream.id());
    activity.id = static_cast<int32_t>(one.correlation);
    activity.linked = one.correlation ? linked(static_cast<int32_t>(one.correlation)) : nullptr;
  }

  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override { return nullptr; }
  std::vector<libkineto::ResourceInfo> getResourceInfos() override { return {}; }
  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override { return std::move(buffer); }
  void pushCorrelationId(uint64_t id) override { correlations.push_back(id); }
  void popCorrelationId() override {
    if (!correlations.empty()) correlations.pop_back();
  }
};

struct Profiler final : libkineto::IActivityProfiler {
  const std::string& name() const override {
    static const std::string known = "sol";
    return known;
  }
  const std::set<ActivityType>& availableActivities() const override {
    static const std::set<ActivityType> known{ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY};
    return known;
  }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(const std::set<ActivityType>& wanted, const libkineto::Config&) override {
    const bool ours = wanted.count(ActivityType::CONCURRENT_KERNEL) || wanted.count(ActivityType::GPU_MEMCPY);
    return ours && device_count() > 0 ? std::make_unique<Session>() : nullptr;
  }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(int64_t, int64_t, const std::set<ActivityType>& wanted,
                                                                 const libkineto::Config& config) override {
    return configure(wanted, config);
  }
};

REGISTER_PRIVATEUSE1_PROFILER(Profiler);

#endif

/* The profiler of autograd without traces (torch.autograd.profiler.profile(use_device="sol", use_kineto=False)): an event before and behind
 * each operation. */
struct Stubs final : torch::profiler::impl::ProfilerStubs {
  void record(c10::DeviceIndex* device, torch::profiler::impl::ProfilerVoidEventStub* event, int64_t* host) const override {
    const auto current = current_device();
    if (device) *device = current;
    *event = std::shared_ptr<void>(marked(current_stream(current)), [](void* made) {
      try {
        driver().event_destroy(static_cast<sol_event*>(made));
      } catch (const std::exception&) {
      }
    });
    if (host) *host = system_nanoseconds();
  }
  float elapsed(const torch::profiler::impl::ProfilerVoidEventStub* start, const torch::profiler::impl::ProfilerVoidEventStub* end) const override {
    check(driver().event_synchronize(static_cast<sol_event*>(end->get())), "event_synchronize");
    return static_cast<float>(milliseconds(static_cast<sol_event*>(start->get()), static_cast<sol_event*>(end->get())) * 1e3);
  }
  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)> action) const override {
    for (c10::DeviceIndex device = 0; device < device_count(); ++device) action(device);
  }
  void synchronize() const override { synchronize_all(); }
};

struct RegisteredProfiler {
  RegisteredProfiler() {
    static Stubs stubs;
    torch::profiler::impl::registerPrivateUse1Methods(&stubs);
  }
} registered_profiler;

}  // namespace

bool is_profiling() { return profiling.load(std::memory_order_relaxed); }

void Activity::begin(ActivityKind kind, const char* name, const c10::Stream& stream) {
  kind_ = kind, name_ = name, stream_ = stream;
  start_ = marked(stream);
  check(driver().event_create(stream.device_index(), 1, &end_), "event_create");
}

void Activity::finish() noexcept {
  try {
    check(driver().event_record(end_, queue(stream_)), "event_record");
    std::lock_guard<std::mutex> lock(mutex);
    recorded().push_back({kind_, std::move(name_), stream_, correlations.empty() ? 0 : correlations.back(), start_, end_});
  } catch (const std::exception&) {  // the work before it failed, which its own call tells
  }
}

}  // namespace sol
