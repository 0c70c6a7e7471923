/* What PyTorch asks a device for: guards, events, hooks, random numbers. */
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <mutex>

#include "runtime.h"

namespace sol {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;

/* An event of PyTorch: the driver's, and whether it takes the time. */
sol_event* as_event(void* event) { return static_cast<sol_event*>(event); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kDevice; }
  Device exchangeDevice(Device device) const override { return {kDevice, exchange_device(device.index())}; }
  Device getDevice() const override { return {kDevice, current_device()}; }
  void setDevice(Device device) const override { exchange_device(device.index()); }
  void uncheckedSetDevice(Device device) const noexcept override {
    try {
      exchange_device(device.index());
    } catch (const std::exception&) {
    }
  }
  Stream getStream(Device device) const override { return current_stream(device.index()); }
  Stream getDefaultStream(Device device) const override {
    return Stream(Stream::UNSAFE, Device(kDevice, device.index() < 0 ? current_device() : device.index()), 0);
  }
  Stream getStreamFromGlobalPool(Device device, bool high) const override { return pooled_stream(device.index(), high ? 1 : 0); }
  Stream getNewStream(Device device, int priority) const override { return pooled_stream(device.index(), priority); }
  Stream exchangeStream(Stream stream) const override {
    note_backward();  // threads of autograd choose the stream of the forward pass for each of its steps
    return exchange_stream(stream);
  }
  void* getStreamNativeHandle(const Stream stream) const { return queue(stream); }  // PyTorch 2.9 has none to override
  DeviceIndex deviceCount() const noexcept override { return device_count(); }
  bool queryStream(const Stream& stream) const override {
    int32_t done = 0;
    check(driver().stream_query(queue(stream), &done), "stream_query");
    return done != 0;
  }
  void synchronizeStream(const Stream& stream) const override {
    check(driver().stream_synchronize(queue(stream)), "stream_synchronize");
  }
  void synchronizeDevice(DeviceIndex device) const override { synchronize(device); }

  void destroyEvent(void* event, const DeviceIndex) const noexcept override {
    try {
      if (event) driver().event_destroy(as_event(event));
    } catch (const std::exception&) {
    }
  }
  void record(void** event, const Stream& stream, const DeviceIndex device, const c10::EventFlag flag) const override {
    TORCH_CHECK(device == -1 || device == stream.device_index(), "an event of sol:", static_cast<int>(device),
                " cannot be recorded on a stream of ", stream.device());
    if (!*event) {
      sol_event* made = nullptr;
      check(driver().event_create(stream.device_index(), flag == c10::EventFlag::BACKEND_DEFAULT, &made), "event_create");
      *event = made;
    }
    check(driver().event_record(as_event(*event), queue(stream)), "event_record");
  }
  void block(void* event, const Stream& stream) const override {
    if (event) check(driver().event_wait(as_event(event), queue(stream)), "event_wait");
  }
  bool queryEvent(void* event) const override {
    int32_t happened = 1;
    if (event) check(driver().event_query(as_event(event), &happened), "event_query");
    return happened != 0;
  }
  void synchronizeEvent(void* event) const override {
    if (event) check(driver().event_synchronize(as_event(event)), "event_synchronize");
  }
  double elapsedTime(void* start, void* end, const DeviceIndex) const override {
    TORCH_CHECK(start && end, "both events must be recorded before the time between them is asked for");
    double milliseconds = 0;
    check(driver().event_elapsed(as_event(start), as_event(end), &milliseconds), "event_elapsed");
    return milliseconds;
  }
  void recordDataPtrOnStream(const c10::DataPtr& data, const Stream& stream) const override {
    static_cast<c10::DeviceAllocator*>(device_allocator())->recordStream(data, stream);
  }
};

/* Random numbers are drawn on the host, in the order of the CPU's generator. */
struct Numbers final : c10::GeneratorImpl {
  explicit Numbers(DeviceIndex device, at::Generator host)
      : GeneratorImpl(Device(kDevice, device), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), host(std::move(host)) {}
  void set_current_seed(uint64_t seed) override { host.set_current_seed(seed); }
  void set_offset(uint64_t) override { TORCH_CHECK(false, "a generator of device sol has no offset"); }
  uint64_t get_offset() const override { TORCH_CHECK(false, "a generator of device sol has no offset"); }
  uint64_t current_seed() const override { return host.current_seed(); }
  uint64_t seed() override { return host.seed(); }
  void set_state(const c10::TensorImpl& state) override { host.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host.unsafeGetGeneratorImpl()->get_state(); }
  GeneratorImpl* clone_impl() const override { return new Numbers(device().index(), host.clone()); }
  at::Generator host;
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return device_count(); }
  void setCurrentDevice(DeviceIndex device) const override { exchange_device(device); }
  DeviceIndex getCurrentDevice() const override { return current_device(); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override { return exchange_device(device); }
  DeviceIndex maybeExchangeDevice(DeviceIndex device) const override { return device < 0 ? current_device() : exchange_device(device); }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  Device getDeviceFromPtr(void*) const override {
    TORCH_CHECK(false, "an address does not tell which device of sol it belongs to: give device=\"sol:0\" and so on");
  }
  const at::Generator& getDefaultGenerator(DeviceIndex device) const override { return default_generator(device); }
  at::Generator getNewGenerator(DeviceIndex device) const override { return new_generator(device); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override { resize_storage(storage, bytes); }
};

struct RegisteredHooks {
  RegisteredHooks() { at::RegisterPrivateUse1HooksInterface(new Hooks()); }
} registered_hooks;

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace

at::Generator new_generator(DeviceIndex device) {
  return at::make_generator<Numbers>(device < 0 ? current_device() : device, at::detail::createCPUGenerator());
}

const at::Generator& default_generator(DeviceIndex device) {
  static std::mutex mutex;
  static auto* all = new std::array<at::Generator, 64>();
  if (device < 0) device = current_device();
  TORCH_CHECK_INDEX(device < device_count_or_raise(), "sol:", static_cast<int>(device), " is no device");
  std::lock_guard<std::mutex> lock(mutex);
  auto& found = (*all)[device];
  if (!found.defined()) {
    found = new_generator(device);
    found.seed();
  }
  return found;
}

at::Generator host_generator(const at::Generator& generator) {
  TORCH_CHECK(generator.device().type() == kDevice, "expected a generator of device sol, not of ", generator.device());
  return static_cast<Numbers*>(generator.unsafeGetGeneratorImpl())->host;
}

}  // namespace sol
