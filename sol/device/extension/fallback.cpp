/* The way of operations through the CPU: on the host's view of the device's memory where there is one, else on copies. */
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "compiled.h"
#include "profiler.h"
#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;

/* The device of the first tensor of a call, for the generator that its random numbers come from. */
c10::DeviceIndex device_of(const torch::jit::Stack& stack, size_t count) {
  for (size_t i = stack.size() - count; i < stack.size(); ++i)
    if (stack[i].isTensor() && stack[i].toTensor().defined() && stack[i].toTensor().device().type() == kDevice)
      return stack[i].toTensor().device().index();
  for (size_t i = stack.size() - count; i < stack.size(); ++i)
    if (stack[i].isDevice() && stack[i].toDevice().type() == kDevice && stack[i].toDevice().has_index()) return stack[i].toDevice().index();
  return current_device();
}

/* Operations that take tensors of the host beside those of the device on every device: indices, and lengths of packed sequences. */
bool takes_host_tensors(const std::string& name) {
  return name.find("index") != std::string::npos || name.find("packed") != std::string::npos || name == "aten::_to_copy" || name == "aten::is_pinned" ||
         name == "aten::_pin_memory";
}

/* A tensor of the device and what the CPU's kernel has instead. */
struct Pair {
  Tensor device, host;
};

/* A tensor that the kernel has written: where it was resized, the device's gets the new size and a copy. */
void settle(const Pair& pair) {
  const auto& [to, from] = pair;
  if (from.sizes() == to.sizes() && from.strides() == to.strides() && from.storage_offset() == 0 && from.const_data_ptr() == host_address(to)) return;
  to.resize_(from.sizes());
  to.copy_(from);
}

Tensor to_device(const Tensor& tensor, c10::DeviceIndex device) {
  return tensor.defined() ? tensor.to(c10::Device(kDevice, device)) : tensor;
}

void on_views(const c10::OperatorHandle& op, torch::jit::Stack* stack, c10::DeviceIndex device) {
  const auto& schema = op.schema();
  const size_t count = schema.arguments().size(), base = stack->size() - count;
  std::vector<Pair> pairs;
  std::vector<Tensor> tensors;
  const auto note = [&](const Tensor& tensor) {
    if (tensor.defined() && tensor.device().type() == kDevice) tensors.push_back(tensor);
  };
  for (size_t i = base; i < stack->size(); ++i) {
    const auto& value = (*stack)[i];
    if (value.isTensor()) note(value.toTensor());
    else if (value.isTensorList())
      for (const Tensor& tensor : value.toTensorList()) note(tensor);
    else if (value.isOptionalTensorList())
      for (const std::optional<Tensor>& tensor : value.toOptionalTensorList())
        if (tensor) note(*tensor);
  }
  const auto views = host_views(tensors, false);
  size_t next = 0;
  const auto seen = [&](const Tensor& tensor) { return tensor.defined() && tensor.device().type() == kDevice ? views[next++] : tensor; };
  std::vector<c10::IValue> before(stack->begin() + static_cast<int64_t>(base), stack->end());
  for (size_t i = 0; i < count; ++i) {
    auto& value = (*stack)[base + i];
    const auto* aliases = schema.arguments()[i].alias_info();
    const bool writes = aliases && aliases->isWrite();
    const size_t first = next;
    if (value.isTensor()) {
      value = seen(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& tensor : before[i].toTensorList()) list.push_back(seen(tensor));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<Tensor>> list;
      for (const std::optional<Tensor>& tensor : before[i].toOptionalTensorList()) list.push_back(tensor ? std::optional<Tensor>(seen(*tensor)) : tensor);
      value = std::move(list);
    } else if (value.isDevice()) {
      value = c10::Device(c10::kCPU);
    }
    for (size_t k = first; writes && k < next; ++k) pairs.push_back({tensors[k], views[k]});
  }
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  for (const auto& pair : pairs) settle(pair);
  /* Results that the kernel wrote into arguments are those arguments; others go to the device. */
  const auto given = [&](const Tensor& result) {
    for (const auto& pair : pairs)
      if (result.defined() && result.is_same(pair.host)) return pair.device;
    return to_device(result, device);
  };
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
    auto& value = (*stack)[i];
    if (value.isTensor()) {
      value = given(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) list.push_back(given(tensor));
      value = std::move(list);
    }
  }
}

/* Operations that change these arguments although their schemas do not say so: running statistics. */
bool changes_statistics(const std::string& name, const std::string& argument) {
  return (name == "aten::native_batch_norm" || name == "aten::batch_norm_update_stats") && (argument == "running_mean" || argument == "running_var");
}

void on_copies(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& arguments = op.schema().arguments();
  const size_t base = stack->size() - arguments.size();
  std::vector<Pair> changed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto& value = (*stack)[base + i];
    if (!value.isTensor() || !value.toTensor().defined() || !changes_statistics(op.schema().name(), arguments[i].name())) continue;
    changed.push_back({value.toTensor(), value.toTensor().cpu()});
    value = changed.back().host;
  }
  at::native::cpu_fallback(op, stack);
  for (const auto& pair : changed) pair.device.copy_(pair.host);
}

void on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (run_compiled(op, stack)) return;
  const auto& schema = op.schema();
  const auto& name = schema.name();
  count_fallback(schema.overload_name().empty() ? name : name + "." + schema.overload_name());
  const auto& arguments = schema.arguments();
  const size_t count = arguments.size();
  const c10::DeviceIndex device = device_of(*stack, count);
  for (size_t i = 0; i < count; ++i) {
    auto& value = (*stack)[stack->size() - count + i];
    if (value.isTensor() && value.toTensor().defined()) {
      const auto place = value.toTensor().device();
      const bool mixed = place.type() == kDevice ? place.index() != device : value.toTensor().dim() > 0 && !takes_host_tensors(name);
      TORCH_CHECK(!mixed, "expected all tensors to be on one device, but found sol:", static_cast<int>(device), " and ", place, " in ", name);
    }
    const auto& type = arguments[i].type();
    const bool random = type->str() == "Generator" || type->str() == "Generator?";
    if (!random) continue;
    const auto given = value.isNone() ? default_generator(device) : value.toGenerator();
    value = host_generator(given);
  }
  const c10::DeviceGuard guard(c10::Device(kDevice, device));
  const Activity activity(ActivityKind::kKernel, name.c_str(), current_stream(device));
  if (is_seen_by_host(device)) on_views(op, stack, device);
  else on_copies(op, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char* norm : {"native_layer_norm", "native_group_norm"})  // otherwise composed of other operations, which rounds otherwise
    m.impl(norm, torch::CppFunction::makeFromBoxedFunction<&on_cpu>());
  // PyTorch has one kernel of these for all devices, which reads addresses as the host's or knows PyTorch's own devices alone.
  for (const char* reader : {"_saturate_weight_to_fp16", "choose_qparams_optimized", "fbgemm_linear_quantize_weight",
                             "_grid_sampler_2d_cpu_fallback", "_grid_sampler_2d_cpu_fallback_backward", "kaiser_window",
                             "kaiser_window.periodic", "kaiser_window.beta"})
    m.impl(reader, torch::CppFunction::makeFromBoxedFunction<&on_cpu>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_cpu>()); }

TORCH_LIBRARY_IMPL(_, AutogradPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

}  // namespace sol
