/* Opening a driver, current devices, and streams. */
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include <c10/util/Exception.h>

#include "runtime.h"

namespace sol {
namespace {

constexpr int kMostDevices = 64;
constexpr int kPooledStreams = 16;  // of each device and priority; further ones are handed out again in turn

std::mutex opening;
std::string path;
const sol_driver* table = nullptr;
int32_t devices = 0;
std::atomic<bool> opened{false};
std::atomic<bool> forked{false};

thread_local c10::DeviceIndex device_of_thread = 0;
thread_local std::array<c10::StreamId, kMostDevices> stream_of_thread{};

struct Streams {
  std::mutex mutex;
  std::vector<sol_stream*> all;  // by id; 0 is the default stream
  std::array<std::vector<c10::StreamId>, 2> pool;
  std::array<size_t, 2> turn{};
};

Streams& streams(c10::DeviceIndex device) {
  static std::array<Streams, kMostDevices>* of = new std::array<Streams, kMostDevices>();
  return (*of)[device];
}

void open_driver() {
  TORCH_CHECK(!path.empty(), "no driver of device sol is set: run `sol devices build`");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(library, "the driver of device sol cannot be loaded: ", dlerror());
  using Open = const sol_driver* (*)(uint32_t, const char**);
  auto open = reinterpret_cast<Open>(dlsym(library, "sol_driver_open"));
  TORCH_CHECK(open, path, " is no driver: it has no function sol_driver_open");
  const char* reason = "it says no reason";
  const sol_driver* made = open(SOL_DRIVER_VERSION, &reason);
  TORCH_CHECK(made, "the driver ", path, " does not start: ", reason);
  TORCH_CHECK(made->version == SOL_DRIVER_VERSION && made->bytes >= sizeof(sol_driver), "the driver ", path,
              " is of version ", made->version, " with ", made->bytes, " bytes; version ", SOL_DRIVER_VERSION, " with ",
              sizeof(sol_driver), " bytes is needed: build it again");
  int32_t count = 0;
  TORCH_CHECK(made->device_count(&count) == SOL_OK, "the driver ", path, " cannot tell its devices: ", made->error_text());
  devices = std::min(count, static_cast<int32_t>(kMostDevices));
  table = made;
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  opened = true;
}

void check_index(c10::DeviceIndex device) {
  const auto count = device_count_or_raise();
  TORCH_CHECK_INDEX(device >= 0 && device < count, "sol:", static_cast<int>(device), " is no device: there ",
                    count == 1 ? "is " : "are ", static_cast<int>(count), ", counted from 0");
}

c10::Stream stream_at(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kDevice, device), id);
}

c10::DeviceIndex or_current(c10::DeviceIndex device) { return device < 0 ? current_device() : device; }

}  // namespace

void set_driver_path(const std::string& to) {
  std::lock_guard<std::mutex> lock(opening);
  TORCH_CHECK(!opened || path == to, "the driver ", path, " is in use; another one needs another process");
  path = to;
}

const sol_driver& driver() {
  TORCH_CHECK(!forked, "device sol cannot be used in a process that was forked after it was used: "
                       "start processes with the method \"spawn\" (torch.multiprocessing.set_start_method)");
  if (!opened) {
    std::lock_guard<std::mutex> lock(opening);
    if (!opened) open_driver();
  }
  return *table;
}

void check(int code, const char* what) {
  if (code == SOL_OK) return;
  const std::string text = table->error_text();
  if (code == SOL_ERROR_OUT_OF_MEMORY) TORCH_CHECK_WITH(OutOfMemoryError, false, "device sol is out of memory in ", what, ": ", text);
  TORCH_CHECK_INDEX(code != SOL_ERROR_DEVICE, what, ": ", text);
  TORCH_CHECK(code != SOL_ERROR_LOST, "device sol is lost (", what, "): ", text, "; start the process again");
  TORCH_CHECK(false, "device sol: ", what, " failed: ", text);
}

c10::DeviceIndex device_count() noexcept {
  try {
    return device_count_or_raise();
  } catch (const std::exception&) {
    return 0;
  }
}

c10::DeviceIndex device_count_or_raise() {
  driver();
  return static_cast<c10::DeviceIndex>(devices);
}

c10::DeviceIndex current_device() { return device_of_thread; }

c10::DeviceIndex exchange_device(c10::DeviceIndex device) {
  if (device == device_of_thread) return device;
  check_index(device);
  return std::exchange(device_of_thread, device);
}

sol_device_properties properties(c10::DeviceIndex device) {
  device = or_current(device);
  check_index(device);
  sol_device_properties found{};
  check(driver().device_properties(device, &found), "device_properties");
  return found;
}

c10::Stream current_stream(c10::DeviceIndex device) {
  device = or_current(device);
  if (device != 0) check_index(device);
  return stream_at(device, stream_of_thread[device]);
}

c10::Stream exchange_stream(c10::Stream stream) {
  queue(stream);
  const auto device = stream.device_index();
  return stream_at(device, std::exchange(stream_of_thread[device], stream.id()));
}

sol_stream* queue(const c10::Stream& stream) {
  const auto& functions = driver();
  const auto device = or_current(stream.device_index());
  check_index(device);
  auto& known = streams(device);
  std::lock_guard<std::mutex> lock(known.mutex);
  if (known.all.empty()) {
    sol_stream* made = nullptr;
    check(functions.stream_create(device, 0, &made), "stream_create");
    known.all.push_back(made);
  }
  const auto id = static_cast<size_t>(stream.id());
  TORCH_CHECK(id < known.all.size(), "stream ", stream.id(), " is none of device sol:", static_cast<int>(device));
  return known.all[id];
}

c10::Stream pooled_stream(c10::DeviceIndex device, int priority) {
  device = or_current(device);
  queue(stream_at(device, 0));
  auto& known = streams(device);
  std::lock_guard<std::mutex> lock(known.mutex);
  const int kind = priority != 0;
  auto& pool = known.pool[kind];
  if (pool.size() < kPooledStreams) {
    sol_stream* made = nullptr;
    check(driver().stream_create(device, kind, &made), "stream_create");
    known.all.push_back(made);
    pool.push_back(static_cast<c10::StreamId>(known.all.size() - 1));
    return stream_at(device, pool.back());
  }
  return stream_at(device, pool[known.turn[kind]++ % pool.size()]);
}

void synchronize(c10::DeviceIndex device) {
  device = or_current(device);
  check_index(device);
  std::vector<sol_stream*> all;
  {
    auto& known = streams(device);
    std::lock_guard<std::mutex> lock(known.mutex);
    all = known.all;
  }
  for (sol_stream* stream : all) check(driver().stream_synchronize(stream), "stream_synchronize");
}

void synchronize_all() {
  for (c10::DeviceIndex device = 0; device < device_count(); ++device) synchronize(device);
}

}  // namespace sol
