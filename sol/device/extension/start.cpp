/* What is loaded with PyTorch: functions that sol_autoload.py calls, and new tensors, with the first of which the operations are loaded. */
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;

/* How long threads of autograd can take to let go of a backward pass. PyTorch aborts where one needs Python after Python has ended. */
constexpr std::chrono::milliseconds kLastWait{10};

std::mutex loading;
std::string path_of_operations;
std::atomic<bool> loaded{false};
std::atomic<int64_t> last_backward{0};

int64_t steady_microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_options(std::optional<c10::Layout> layout, std::optional<bool> pinned) {
  TORCH_CHECK(layout.value_or(c10::kStrided) == c10::kStrided, "device sol has strided tensors only");
  TORCH_CHECK(!pinned.value_or(false), "only tensors of the CPU can be pinned");
}

const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout, std::optional<c10::Device> device,
             std::optional<bool> pinned, std::optional<c10::MemoryFormat> format) {
  check_options(layout, pinned);
  const c10::DeviceGuard guard(device.value_or(c10::Device(kDevice, -1)));
  return at::detail::empty_generic(sizes, device_allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                     std::optional<c10::Device> device, std::optional<bool> pinned) {
  check_options(layout, pinned);
  const c10::DeviceGuard guard(device.value_or(c10::Device(kDevice, -1)));
  return at::detail::empty_strided_generic(sizes, strides, device_allocator(), kKeys, c10::dtype_or_default(dtype));
}

}  // namespace

void load_operations() {
  if (loaded) return;
  std::lock_guard<std::mutex> lock(loading);
  if (loaded) return;
  TORCH_CHECK(dlopen(path_of_operations.c_str(), RTLD_NOW | RTLD_LOCAL), "operations of device sol cannot be loaded: ", dlerror());
  loaded = true;
}

void note_backward() { last_backward = steady_microseconds(); }

}  // namespace sol

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", sol::empty);
  m.impl("empty_strided", sol::empty_strided);
}

extern "C" {

/* The path of the library with the operations, and of the driver's. */
void sol_device_start(const char* operations, const char* driver) {
  sol::path_of_operations = operations;
  sol::set_driver_path(driver);
}

/* Another driver; 1 where one is in use. */
int sol_device_use(const char* driver) {
  try {
    sol::set_driver_path(driver);
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}

/* 0, or 1 where the operations cannot be loaded. */
int sol_device_load() {
  try {
    sol::load_operations();
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}

/* Before Python ends. */
void sol_device_end() {
  const std::chrono::microseconds passed(sol::steady_microseconds() - sol::last_backward);
  if (sol::last_backward && passed < sol::kLastWait) std::this_thread::sleep_for(sol::kLastWait - passed);
}
}
