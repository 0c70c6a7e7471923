/* Layers for which PyTorch has no way through the CPU of its own: convolutions, cells of recurrent layers, and dropout. */
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/native_dropout_native.h>
#include <torch/library.h>

#include <array>
#include <tuple>

#include "compiled.h"
#include "profiler.h"
#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;

/* What the CPU reads. */
Tensor to_host(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const bool seen = tensor.device().type() == kDevice && is_seen_by_host(tensor.device().index());
  return seen ? host_views({tensor.detach()}, false)[0] : tensor.to(at::kCPU);
}
Tensor to_device(const Tensor& tensor, const Tensor& like) { return tensor.defined() ? tensor.to(like.device()) : tensor; }

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                   at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding, int64_t groups) {
  if (compile_policy() != CompilePolicy::kOff) {
    static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution", "");
    torch::jit::Stack stack{input, weight, bias, stride, padding, dilation, transposed, output_padding, groups};
    if (run_compiled(op, &stack)) return stack.at(0).toTensor();
  }
  count_fallback("aten::convolution");
  const Activity activity(ActivityKind::kKernel, "aten::convolution", current_stream(input.device().index()));
  std::optional<Tensor> host_bias;
  if (bias && bias->defined()) host_bias = to_host(*bias);
  return to_device(at::convolution(to_host(input), to_host(weight), host_bias, stride, padding, dilation, transposed, output_padding, groups), input);
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& gradient, const Tensor& input, const Tensor& weight, at::IntArrayRef stride,
                                                        at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                                                        at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> wanted) {
  const std::array<int64_t, 1> bias_sizes{transposed ? weight.size(1) * groups : weight.size(0)};
  count_fallback("aten::convolution_backward");
  const Activity activity(ActivityKind::kKernel, "aten::convolution_backward", current_stream(input.device().index()));
  auto [for_input, for_weight, for_bias] =
      at::convolution_backward(to_host(gradient), to_host(input), to_host(weight), at::OptionalIntArrayRef(bias_sizes), stride, padding, dilation,
                               transposed, output_padding, groups, wanted);
  return {to_device(for_input, input), to_device(for_weight, input), to_device(for_bias, input)};
}

Tensor with_bias(const Tensor& gates, const std::optional<Tensor>& bias) { return bias && bias->defined() ? gates + *bias : gates; }

/* Gates lie side by side: input, forget, cell, output. The workspace that other devices keep for gradients stays empty: autograd knows the parts. */
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input, const Tensor& hidden, const Tensor& cell, const std::optional<Tensor>& input_bias,
                                             const std::optional<Tensor>& hidden_bias) {
  const auto gates = (with_bias(input, input_bias) + with_bias(hidden, hidden_bias)).chunk(4, 1);
  const Tensor next = gates[1].sigmoid() * cell + gates[0].sigmoid() * gates[2].tanh();
  return {gates[3].sigmoid() * next.tanh(), next, at::empty({0}, input.options())};
}

/* Gates: reset, update, candidate. */
std::tuple<Tensor, Tensor> gru_cell(const Tensor& input, const Tensor& hidden, const Tensor& before, const std::optional<Tensor>& input_bias,
                                    const std::optional<Tensor>& hidden_bias) {
  const auto from_input = with_bias(input, input_bias).chunk(3, 1), from_hidden = with_bias(hidden, hidden_bias).chunk(3, 1);
  const Tensor reset = (from_input[0] + from_hidden[0]).sigmoid(), update = (from_input[1] + from_hidden[1]).sigmoid();
  const Tensor candidate = (from_input[2] + reset * from_hidden[2]).tanh();
  return {(before - candidate) * update + candidate, at::empty({0}, input.options())};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", convolution);
  m.impl("convolution_backward_overrideable", convolution_backward);
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  // Of operations that are composed of others, of which one draws from the device's generator: its own schema names none.
  m.impl("native_dropout", at::native::native_dropout_cpu);
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_gru_cell", gru_cell);
}

}  // namespace sol
