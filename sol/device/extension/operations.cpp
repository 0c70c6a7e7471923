/* Operations that PyTorch needs of every device. */
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "compiled.h"
#include "profiler.h"
#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;

/* Bytes from a tensor's first element to behind its last one. */
size_t span_of(const Tensor& tensor) {
  return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size());
}

bool dense(const Tensor& tensor) { return tensor.is_non_overlapping_and_dense(); }

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg() && dense(a) && dense(b) &&
         (a.strides() == b.strides() || (a.is_contiguous() && b.is_contiguous()));
}

/* The same elements in memory of the host, at the same strides. The memory is not pinned: the copy is done when this returns. */
Tensor span_on_host(const Tensor& tensor) {
  const size_t bytes = span_of(tensor);
  auto storage = at::detail::empty_cpu({static_cast<int64_t>(bytes)}, at::kByte);
  auto* stream = queue(current_stream(tensor.device().index()));
  check(driver().copy_out(stream, storage.mutable_data_ptr(), address(tensor.const_data_ptr()), bytes), "copy_out");
  auto options = tensor.options().device(at::kCPU);
  Tensor host = at::from_blob(
      storage.mutable_data_ptr(), tensor.sizes(), tensor.strides(), [storage](void*) {}, options);
  host._set_conj(tensor.is_conj());
  host._set_neg(tensor.is_neg());
  return host;
}

void copy_in(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (!same_bytes(to, from)) {
    Tensor host = dense(to) ? at::empty_strided(to.sizes(), to.strides(), to.options().device(at::kCPU)) : span_on_host(to);
    if (dense(to)) {
      host._set_conj(to.is_conj());
      host._set_neg(to.is_neg());
    }
    host.copy_(from);
    check(driver().copy_in(queue(current_stream(to.device().index())), address(to.mutable_data_ptr()), host.const_data_ptr(), span_of(to)), "copy_in");
    return;
  }
  const auto stream = current_stream(to.device().index());
  check(driver().copy_in(queue(stream), address(to.mutable_data_ptr()), from.const_data_ptr(), from.nbytes()), "copy_in");
  if (!is_pinned(from.const_data_ptr())) return;
  if (non_blocking) note_pinned_copy();
  else check(driver().stream_synchronize(queue(stream)), "stream_synchronize");
}

void copy_out(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (!same_bytes(to, from)) {
    const_cast<Tensor&>(to).copy_(span_on_host(from));
    return;
  }
  const auto stream = current_stream(from.device().index());
  check(driver().copy_out(queue(stream), to.mutable_data_ptr(), address(from.const_data_ptr()), from.nbytes()), "copy_out");
  if (!is_pinned(to.const_data_ptr())) return;
  if (non_blocking) note_pinned_copy();
  else check(driver().stream_synchronize(queue(stream)), "stream_synchronize");
}

void copy_on_device(const Tensor& to, const Tensor& from) {
  const auto stream = current_stream(from.device().index());
  if (same_bytes(to, from)) {
    if (to.device() == from.device()) {
      if (to.const_data_ptr() == from.const_data_ptr()) return;
      check(driver().copy_within(queue(stream), address(to.mutable_data_ptr()), address(from.const_data_ptr()), from.nbytes()), "copy_within");
      return;
    }
    check(driver().stream_synchronize(queue(current_stream(to.device().index()))), "stream_synchronize");
    check(driver().copy_between(queue(stream), to.device().index(), address(to.mutable_data_ptr()), address(from.const_data_ptr()), from.nbytes()),
          "copy_between");
    check(driver().stream_synchronize(queue(stream)), "stream_synchronize");
    return;
  }
  if (to.device() == from.device() && compile_policy() != CompilePolicy::kOff) {
    static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
    torch::jit::Stack stack{to, from, false};
    if (run_compiled(op, &stack)) return;
  }
  count_fallback("aten::copy_");
  copy_in(to, span_on_host(from), false);
}

Tensor copy_from(const Tensor& given, const Tensor& to, bool non_blocking) {
  const Tensor from = given.sizes() == to.sizes() ? given : given.expand(to.sizes());
  if (to.numel() == 0) return to;
  const bool source = from.device().type() == kDevice, result = to.device().type() == kDevice;
  const c10::DeviceGuard guard(source ? from.device() : to.device());
  const char* name = !source ? "copy from the host" : result ? "copy on the device" : "copy to the host";
  const Activity activity(ActivityKind::kCopy, name, current_stream((source ? from : to).device().index()));
  if (source && result) copy_on_device(to, from);
  else if (source) copy_out(to, from, non_blocking);
  else copy_in(to, from, non_blocking);
  return to;
}

const Tensor& resize(const Tensor& self, at::IntArrayRef sizes, std::optional<c10::MemoryFormat> format) {
  if (self.sizes() == sizes && !format) return self;  // a view keeps its strides
  auto* impl = self.unsafeGetTensorImpl();
  const auto bytes = at::detail::computeStorageNbytesContiguous(sizes, self.element_size(), self.storage_offset());
  if (bytes > self.storage().nbytes()) resize_storage(self.storage(), bytes);
  impl->set_sizes_contiguous(sizes);
  if (format && *format != c10::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  return self;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar item(const Tensor& self) {
  Tensor host = span_on_host(self);
  return host.item();
}

Tensor& set_storage(Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef sizes, at::IntArrayRef strides) {
  TORCH_CHECK(storage.device().type() == kDevice, "a tensor of device sol takes a storage of device sol, not of ", storage.device());
  TORCH_CHECK(offset >= 0, "the storage offset ", offset, " is negative");
  auto* impl = self.unsafeGetTensorImpl();
  const auto item = self.dtype().itemsize();
  const size_t bytes = strides.data() && !strides.empty()
                           ? at::detail::computeStorageNbytes(sizes, strides, item, offset)
                           : at::detail::computeStorageNbytesContiguous(sizes, item, offset);
  if (bytes > storage.nbytes()) resize_storage(storage, bytes);
  impl->set_storage_keep_dtype(std::move(storage));
  impl->set_storage_offset(offset);
  if (strides.data() && strides.size() == sizes.size()) impl->set_sizes_and_strides(sizes, strides, offset);
  else impl->set_sizes_contiguous(sizes);
  return self;
}

Tensor& set_source(Tensor& self, at::Storage storage) {
  const int64_t count = static_cast<int64_t>(storage.nbytes() / self.dtype().itemsize());
  return set_storage(self, std::move(storage), 0, {count}, {});
}

Tensor& set_tensor(Tensor& self, const Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

Tensor& set_empty(Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  at::Storage storage(at::Storage::use_byte_size_t(), 0, device_allocator()->allocate(0), device_allocator(), true);
  return set_storage(self, std::move(storage), 0, {0}, {});
}

Tensor& zero(Tensor& self) {
  if (self.numel() == 0) return self;
  if (!dense(self)) return self.fill_(0);
  const c10::DeviceGuard guard(self.device());
  check(driver().fill(queue(current_stream(self.device().index())), address(self.mutable_data_ptr()), 0, self.nbytes()), "fill");
  return self;
}

Tensor& fill(Tensor& self, const at::Scalar& value) {
  if (self.numel() == 0) return self;
  const c10::DeviceGuard guard(self.device());
  copy_in(self, at::full({}, value, self.options().device(at::kCPU)).expand(self.sizes()), false);
  return self;
}

void record_stream(Tensor& self, at::Stream stream) {
  static_cast<c10::DeviceAllocator*>(device_allocator())->recordStream(self.storage().data_ptr(), stream);
}

Tensor view(const Tensor& self, at::IntArrayRef size) { return at::native::view(self, size); }

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", item);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Storage", set_source);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("set_", set_empty);
  m.impl("zero_", zero);
  m.impl("fill_.Scalar", fill);
  m.impl("record_stream", record_stream);
  m.impl("view", view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("unfold", at::native::unfold);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
}

/* A copy resolves what is conjugated or negated by itself: PyTorch would resolve it before, by a copy. */
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

}  // namespace sol
