/* The device behind torch.device("sol"): a driver's table of functions, current devices and streams, memory, random numbers. */
#pragma once
#include <ATen/core/Generator.h>
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>
#include <c10/core/Stream.h>

#include <ATen/core/Tensor.h>

#include <atomic>
#include <string>
#include <vector>

#include "sol_driver.h"

namespace sol {

constexpr c10::DeviceType kDevice = c10::DeviceType::PrivateUse1;

/* Where the driver's library is; it is opened when a device is used for the first time. */
void set_driver_path(const std::string& path);
/* The driver's table. Raises where it cannot be opened, and in a process that was forked after it was opened. */
const sol_driver& driver();
/* Raises what a driver's function returned, with its text. */
void check(int code, const char* what);

/* Number of devices; 0 where the driver cannot be opened. Never raises. */
c10::DeviceIndex device_count() noexcept;
/* The same, but says why there is none. */
c10::DeviceIndex device_count_or_raise();
c10::DeviceIndex current_device();
c10::DeviceIndex exchange_device(c10::DeviceIndex device);
sol_device_properties properties(c10::DeviceIndex device);

c10::Stream current_stream(c10::DeviceIndex device);
c10::Stream exchange_stream(c10::Stream stream);
c10::Stream pooled_stream(c10::DeviceIndex device, int priority);
/* The driver's stream. */
sol_stream* queue(const c10::Stream& stream);
/* Waits for all streams of a device. */
void synchronize(c10::DeviceIndex device);
void synchronize_all();

c10::Allocator* device_allocator();
c10::Allocator* pinned_allocator();
bool is_pinned(const void* data);
/* A copy to or from pinned memory was queued and may still run when that memory is released. */
void note_pinned_copy();
/* Makes a storage of the device larger or smaller; its bytes stay. */
void resize_storage(const c10::Storage& storage, size_t bytes);

const at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);
/* The generator of the host that draws the numbers of a generator of the device. */
at::Generator host_generator(const at::Generator& generator);

/* Loads the library with the operations of the device, before there is a tensor of it. */
void load_operations();
/* A thread of autograd works for the device. */
void note_backward();

/* A block of memory of the device. host: where the host sees it, if that is known. NULL and 0 for memory that sol did not allocate. */
struct Area {
  std::atomic<void*>* host = nullptr;
  uint64_t address = 0;
};
Area area_of(const c10::DataPtr& data);
/* Whether the device runs programs of the host, so that the host sees its memory. */
bool is_seen_by_host(c10::DeviceIndex device);
/* Whether the device runs programs of the host; cheaper than asking the driver. */
bool runs_host_libraries(c10::DeviceIndex device);
/* Whether the device's memory is the host's, at the same addresses. */
bool is_host_memory(c10::DeviceIndex device);
/* Where the host reads a tensor of which there is a view. */
void* host_address(const at::Tensor& tensor);
/* Tensors of the CPU in the memory of tensors of one device. Raises where the host does not see it. All that was queued on the current stream
 * has run. counted: changes in place are counted together with the tensors'. */
std::vector<at::Tensor> host_views(const std::vector<at::Tensor>& tensors, bool counted);

/* Notes that an operation runs on the CPU; raises where that is forbidden. */
void count_fallback(const std::string& name);
/* Whether that is forbidden. */
bool fallback_is_error();

inline uint64_t address(const void* data) { return reinterpret_cast<uint64_t>(data); }

}  // namespace sol
