/* Programs that a device compiles itself, and lists of launches of their kernels: a whole network is queued by one call, without waiting. */
#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <mutex>

#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;
using Sizes = std::vector<int64_t>;

struct Ready {
  sol_kernel* kernel;
  Sizes buffers, offsets;
  std::array<uint64_t, 3> global, local;
};

std::array<uint64_t, 3> three(const Sizes& sizes) {
  TORCH_CHECK(sizes.size() == 3, "expected sizes of three dimensions");
  return {static_cast<uint64_t>(sizes[0]), static_cast<uint64_t>(sizes[1]), static_cast<uint64_t>(sizes[2])};
}

/* A program in the language of the device, and launches of its kernels in the order in which they run. */
struct Launches : torch::CustomClassHolder {
  Launches(const std::string& source, const std::string& options, int64_t on) : device(static_cast<c10::DeviceIndex>(on)) {
    TORCH_CHECK_NOT_IMPLEMENTED(properties(device).program_kind == SOL_PROGRAM_OPENCL_C, "sol:", on, " runs no programs in OpenCL C");
    check(driver().program_load(device, source.c_str(), source.size() + 1, options.c_str(), &program), "program_load");
  }
  /* What is queued may need the program. Where that cannot be waited for, it stays. */
  ~Launches() override {
    try {
      synchronize(device);
      check(driver().program_unload(program), "program_unload");
    } catch (const std::exception&) {
    }
  }

  /* A launch whose arguments are addresses: of the tensors of these numbers among those that run is given, plus bytes. */
  void add(const std::string& name, Sizes buffers, Sizes offsets, const Sizes& global, const Sizes& local) {
    Ready made{nullptr, std::move(buffers), std::move(offsets), three(global), three(local)};
    TORCH_CHECK(made.buffers.size() == made.offsets.size(), "expected as many offsets as buffers");
    check(driver().program_kernel(program, name.c_str(), &made.kernel), "program_kernel");
    launches.push_back(std::move(made));
  }

  /* Queues launches from first up to last on the current stream. */
  void run(const std::vector<Tensor>& tensors, int64_t first, int64_t last) {
    auto* stream = queue(current_stream(device));
    std::vector<uint64_t> addresses;
    for (const auto& tensor : tensors) {
      TORCH_CHECK(tensor.device() == c10::Device(kDevice, device), "expected tensors on sol:", static_cast<int>(device), ", but found ", tensor.device());
      addresses.push_back(address(tensor.const_data_ptr()));
    }
    std::vector<sol_argument> arguments;
    for (int64_t i = first; i < last; ++i) {
      const auto& next = launches.at(i);
      arguments.clear();
      for (size_t k = 0; k < next.buffers.size(); ++k)
        arguments.push_back({SOL_ARGUMENT_ADDRESS, 8, addresses.at(next.buffers[k]) + static_cast<uint64_t>(next.offsets[k]), nullptr});
      check(driver().launch(stream, next.kernel, arguments.data(), static_cast<uint32_t>(arguments.size()), next.global.data(), next.local.data()),
            "launch");
    }
  }

  c10::DeviceIndex device;
  sol_program* program = nullptr;
  std::vector<Ready> launches;
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(sol_device, m) {
  m.class_<Launches>("Launches")
      .def(torch::init<const std::string&, const std::string&, int64_t>())
      .def("add", &Launches::add)
      .def("run", &Launches::run);
  m.def("count_fallback(str name) -> ()", [](const std::string& name) { count_fallback(name); });
  m.def("program_kind(int device) -> int",
        [](int64_t device) -> int64_t { return properties(static_cast<c10::DeviceIndex>(device)).program_kind; });
}

}  // namespace sol
