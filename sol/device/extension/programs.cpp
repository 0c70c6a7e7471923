/* The host's view of memory of a device: where devices run programs of the host, such a program is told the address at which it may read. */
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <array>
#include <atomic>
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

enum class Sight : int { kUnknown, kOwnMemory, kThroughKernels, kNone };

Sight sight_of(c10::DeviceIndex device) {
  static auto* known = new std::array<std::atomic<Sight>, 64>();
  auto& found = (*known)[device];
  if (found == Sight::kUnknown) {
    const auto facts = properties(device);
    found = facts.flags & SOL_MEMORY_IS_HOST                         ? Sight::kOwnMemory
            : facts.program_kind == SOL_PROGRAM_HOST_LIBRARY ? Sight::kThroughKernels
                                                             : Sight::kNone;
  }
  return found;
}

/* Asks the device where the host sees blocks of memory. */
void look_at(c10::DeviceIndex device, sol_stream* stream, const std::vector<Area>& blocks) {
  auto* kernel = telling_kernel(device);
  std::vector<void*> answers(kMostAddresses);
  for (size_t first = 0; first < blocks.size(); first += kMostAddresses) {
    const size_t end = std::min(blocks.size(), first + kMostAddresses);
    void** place = answers.data();
    std::vector<sol_argument> arguments{{SOL_ARGUMENT_BYTES, sizeof place, 0, &place}};
    for (size_t i = first; i < end; ++i) arguments.push_back({SOL_ARGUMENT_ADDRESS, 8, blocks[i].address, nullptr});
    const uint64_t once[3] = {1, 1, 1};
    check(driver().launch(stream, kernel, arguments.data(), static_cast<uint32_t>(arguments.size()), once, nullptr), "launch");
    check(driver().stream_synchronize(stream), "stream_synchronize");
    for (size_t i = first; i < end; ++i) *blocks[i].host = answers[i - first];
  }
}

}  // namespace

bool is_seen_by_host(c10::DeviceIndex device) { return sight_of(device) != Sight::kNone; }

bool is_host_memory(c10::DeviceIndex device) { return sight_of(device) == Sight::kOwnMemory; }

bool runs_host_libraries(c10::DeviceIndex device) {
  static auto* known = new std::array<std::atomic<int>, 64>();  // 0: not asked yet; 1: no; 2: yes
  auto& found = (*known)[device];
  if (!found) found = properties(device).program_kind == SOL_PROGRAM_HOST_LIBRARY ? 2 : 1;
  return found == 2;
}

void* host_address(const Tensor& tensor) {
  const auto& data = tensor.storage().data_ptr();
  if (!data.get()) return nullptr;
  const auto area = area_of(data);
  if (!area.host) return const_cast<void*>(tensor.const_data_ptr());  // the host's own memory
  return static_cast<char*>(area.host->load()) + (address(tensor.const_data_ptr()) - area.address);
}

std::vector<Tensor> host_views(const std::vector<Tensor>& tensors, bool counted) {
  std::vector<Tensor> views;
  if (tensors.empty()) return views;
  const auto device = tensors[0].device();
  TORCH_CHECK(device.type() == kDevice, "expected tensors of device sol, but found ", device);
  const auto sight = sight_of(device.index());
  TORCH_CHECK_NOT_IMPLEMENTED(sight != Sight::kNone, "compiled networks need a device that runs programs of the host, which ", device,
                              " does not: move the network with .cpu()");
  auto* stream = queue(current_stream(device.index()));
  std::vector<Area> unseen;
  for (const auto& tensor : tensors) {
    TORCH_CHECK(tensor.device() == device, "expected tensors of one device, but found ", device, " and ", tensor.device());
    const auto& data = tensor.storage().data_ptr();
    if (!data.get()) continue;
    const auto area = area_of(data);
    TORCH_CHECK(area.host || sight == Sight::kOwnMemory, "memory of ", device, " that sol did not allocate is not seen by the host");
    if (!area.host || area.host->load()) continue;
    if (sight == Sight::kOwnMemory) *area.host = reinterpret_cast<void*>(area.address);
    else unseen.push_back(area);
  }
  if (!unseen.empty()) look_at(device.index(), stream, unseen);
  check(driver().stream_synchronize(stream), "stream_synchronize");
  for (const auto& tensor : tensors) {
    const auto bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size());
    const auto kept = tensor.storage();
    auto* owner = new c10::Storage(kept);
    c10::DataPtr data(host_address(tensor), owner, [](void* context) { delete static_cast<c10::Storage*>(context); }, c10::Device(c10::kCPU));
    auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, std::move(data), c10::GetAllocator(c10::kCPU), true);
    auto view = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides());
    view._set_conj(tensor.is_conj());
    view._set_neg(tensor.is_neg());
    if (counted && !tensor.is_inference() && !view.is_inference())
      view.unsafeGetTensorImpl()->set_version_counter(tensor.unsafeGetTensorImpl()->version_counter());
    views.push_back(view);
  }
  return views;
}

namespace {

constexpr const char* kNotTheHosts = " lies in memory of its own: only a device whose memory is the host's (sol.device.set_mapping(\"cpu\")) shares it, "
                                     "others exchange copies (.cpu(), .sol())";

Tensor as_cpu(const Tensor& tensor) {
  TORCH_CHECK_VALUE(tensor.device().type() == kDevice, "expected a tensor of device sol, but found one of ", tensor.device());
  TORCH_CHECK_NOT_IMPLEMENTED(is_host_memory(tensor.device().index()), tensor.device(), kNotTheHosts);
  return host_views({tensor.detach()}, true)[0];
}

Tensor from_cpu(const Tensor& tensor) {
  TORCH_CHECK_VALUE(tensor.device().is_cpu() && tensor.layout() == c10::kStrided, "expected a strided tensor of the CPU, but found one of ", tensor.device());
  const c10::Device device(kDevice, current_device());
  TORCH_CHECK_NOT_IMPLEMENTED(is_host_memory(device.index()), device, kNotTheHosts);
  const auto kept = tensor.detach();
  Tensor shared = at::from_blob(
      kept.data_ptr(), kept.sizes(), kept.strides(), 0, [kept](void*) {}, kept.options().device(device), device);
  shared._set_conj(kept.is_conj());
  shared._set_neg(kept.is_neg());
  return shared;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(sol_device, m) {
  m.def("as_cpu(Tensor tensor) -> Tensor", as_cpu);
  m.def("from_cpu(Tensor tensor) -> Tensor", from_cpu);
  m.def("host_views(Tensor[] tensors) -> Tensor[]", [](const std::vector<Tensor>& tensors) { return host_views(tensors, true); });
}

}  // namespace sol

/* Arguments: a pointer to where answers go, and addresses of the device. */
extern "C" int sol_device_tell_addresses(const void* const* arguments, uint64_t count, int) {
  void** answers = *static_cast<void** const*>(arguments[0]);
  for (uint64_t i = 1; i < count; ++i) answers[i - 1] = const_cast<void*>(arguments[i]);
  return SOL_OK;
}
