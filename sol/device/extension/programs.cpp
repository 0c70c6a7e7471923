/* The host's view of memory of a device: where devices run programs of the host, such a program is told the address at which it may read. */
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <array>
#include <mutex>

#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;

constexpr size_t kMostAddresses = 200;  // of one launch

sol_kernel* telling_kernel(c10::DeviceIndex device) {
  static std::mutex mutex;
  static auto* kernels = new std::array<sol_kernel*, 64>();
  std::lock_guard<std::mutex> lock(mutex);
  auto& kernel = (*kernels)[device];
  if (!kernel) {
    Dl_info own{};
    TORCH_CHECK(dladdr(reinterpret_cast<void*>(&telling_kernel), &own), "the library of device sol does not know its path");
    sol_program* program = nullptr;
    check(driver().program_load(device, own.dli_fname, strlen(own.dli_fname) + 1, "", &program), "program_load");
    check(driver().program_kernel(program, "sol_device_tell_addresses", &kernel), "program_kernel");
  }
  return kernel;
}

/* Where the host reads and writes what lies at these addresses. All that was queued on the current stream has run. */
std::vector<void*> host_addresses(c10::DeviceIndex device, const std::vector<uint64_t>& places) {
  const auto found = properties(device);
  auto* stream = queue(current_stream(device));
  std::vector<void*> addresses(places.size());
  if (found.flags & SOL_MEMORY_IS_HOST) {
    for (size_t i = 0; i < places.size(); ++i) addresses[i] = reinterpret_cast<void*>(places[i]);
    check(driver().stream_synchronize(stream), "stream_synchronize");
    return addresses;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(found.program_kind == SOL_PROGRAM_HOST_LIBRARY, "compiled networks need a device that runs programs of the host, which ",
                              std::string(found.name), " does not: move the network with .cpu()");
  auto* kernel = telling_kernel(device);
  for (size_t first = 0; first < places.size(); first += kMostAddresses) {
    void** answers = addresses.data() + first;
    std::vector<sol_argument> arguments{{SOL_ARGUMENT_BYTES, sizeof answers, 0, &answers}};
    for (size_t i = first; i < std::min(places.size(), first + kMostAddresses); ++i) arguments.push_back({SOL_ARGUMENT_ADDRESS, 8, places[i], nullptr});
    const uint64_t once[3] = {1, 1, 1};
    check(driver().launch(stream, kernel, arguments.data(), static_cast<uint32_t>(arguments.size()), once, nullptr), "launch");
    check(driver().stream_synchronize(stream), "stream_synchronize");
  }
  return addresses;
}

/* Tensors of the CPU in the memory of tensors of one device, with which they share the count of changes in place. */
std::vector<Tensor> host_views(const std::vector<Tensor>& tensors) {
  std::vector<uint64_t> places;
  std::vector<Tensor> views;
  if (tensors.empty()) return views;
  const auto device = tensors[0].device();
  for (const auto& tensor : tensors) {
    TORCH_CHECK(tensor.device() == device && device.type() == kDevice, "expected tensors of one device of sol, but found ", tensor.device());
    places.push_back(address(tensor.const_data_ptr()));
  }
  const auto addresses = host_addresses(device.index(), places);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto storage = tensors[i].storage();
    auto view = at::from_blob(
        addresses[i], tensors[i].sizes(), tensors[i].strides(), [storage](void*) {}, tensors[i].options().device(at::kCPU).requires_grad(false));
    view._set_conj(tensors[i].is_conj());
    view._set_neg(tensors[i].is_neg());
    if (!tensors[i].is_inference()) view.unsafeGetTensorImpl()->set_version_counter(tensors[i].unsafeGetTensorImpl()->version_counter());
    views.push_back(view);
  }
  return views;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(sol_device, m) { m.def("host_views(Tensor[] tensors) -> Tensor[]", host_views); }

}  // namespace sol

/* Arguments: a pointer to where answers go, and addresses of the device. */
extern "C" int sol_device_tell_addresses(const void* const* arguments, uint64_t count, int) {
  void** answers = *static_cast<void** const*>(arguments[0]);
  for (uint64_t i = 1; i < count; ++i) answers[i - 1] = const_cast<void*>(arguments[i]);
  return SOL_OK;
}
