/* Automatic mixed precision: the operations that PyTorch computes in a shorter type, or in float32, on every device. */
#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace sol {
namespace {

using namespace at;
using namespace at::autocast;

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define SOL_SHORT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define SOL_FLOAT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define SOL_FLOAT_RESULT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define SOL_WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_LOWER_PRECISION_FP(SOL_SHORT)
  AT_FORALL_FP32(SOL_FLOAT)
  AT_FORALL_FP32_SET_OPT_DTYPE(SOL_FLOAT_RESULT)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(SOL_WIDEST)
}

}  // namespace
}  // namespace sol
