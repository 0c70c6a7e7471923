/* torch.ops.sol_device: what Python asks the extension itself, and the count of operations that ran on the CPU. */
#include <torch/library.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "runtime.h"

namespace sol {
namespace {

std::mutex counting;
std::map<std::string, int64_t> fallbacks;
const bool forbidden = [] {
  const char* asked = std::getenv("SOL_DEVICE_FALLBACK");
  return asked && std::string(asked) == "error";
}();

}  // namespace

bool fallback_is_error() { return forbidden; }

void count_fallback(const std::string& name) {
  TORCH_CHECK_NOT_IMPLEMENTED(!forbidden, name, " is not compiled for device sol, and SOL_DEVICE_FALLBACK=error forbids to run it on the CPU: "
                              "unset it, or move the operands with .cpu()");
  std::lock_guard<std::mutex> lock(counting);
  fallbacks[name]++;
}

TORCH_LIBRARY(sol_device, m) {
  m.def("device_count() -> int", []() -> int64_t { return device_count_or_raise(); });
  m.def("properties(int device) -> (str, int, int, int, int)", [](int64_t device) {
    const auto found = properties(static_cast<c10::DeviceIndex>(device));
    return std::make_tuple(std::string(found.name), static_cast<int64_t>(found.memory), static_cast<int64_t>(found.memory_free),
                           static_cast<int64_t>(found.units), static_cast<int64_t>(found.flags));
  });
  m.def("default_generator(int device) -> Generator?",
        [](int64_t device) -> std::optional<at::Generator> { return default_generator(static_cast<c10::DeviceIndex>(device)); });
  m.def("fallback_names() -> str[]", []() {
    std::lock_guard<std::mutex> lock(counting);
    std::vector<std::string> names;
    for (const auto& [name, count] : fallbacks) names.push_back(name);
    return names;
  });
  m.def("fallback_count(str name) -> int", [](const std::string& name) {
    std::lock_guard<std::mutex> lock(counting);
    const auto found = fallbacks.find(name);
    return found == fallbacks.end() ? int64_t{0} : found->second;
  });
  m.def("reset_fallbacks() -> ()", []() {
    std::lock_guard<std::mutex> lock(counting);
    fallbacks.clear();
  });
}

}  // namespace sol
