/* Memory of the device, kept in a pool by stream and size, and pinned memory of the host. */
#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime.h"

namespace sol {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr uint64_t kSmallest = 512;

struct Block {
  uint64_t address = 0;
  uint64_t bytes = 0;
  c10::DeviceIndex device = 0;
  c10::StreamId stream = 0;
  std::vector<c10::Stream> readers;  // other streams that use it
  std::atomic<void*> host{nullptr};  // where the host sees it
};

/* A size of which there are eight between powers of two, so that blocks are used again for sizes that are nearly theirs. */
uint64_t size_class(uint64_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  const int bits = 63 - __builtin_clzll(bytes);
  const uint64_t step = std::max(uint64_t{1} << (bits - 3), kSmallest);
  return (bytes + step - 1) / step * step;
}

void increase(StatArray& stat, int64_t amount) { stat[static_cast<size_t>(StatType::AGGREGATE)].increase(amount); }
void decrease(StatArray& stat, int64_t amount) { stat[static_cast<size_t>(StatType::AGGREGATE)].decrease(amount); }

struct Waiting {
  Block* block;
  std::vector<sol_event*> events;
};

/* The memory of one device. */
struct Pool {
  std::mutex mutex;
  std::map<std::pair<c10::StreamId, uint64_t>, std::vector<Block*>> unused;
  std::vector<Waiting> waiting;
  std::map<uint64_t, Block*> used;  // by address
  DeviceStats stats;

  /* The block in tensors that an address lies in, or NULL. */
  Block* find(uint64_t place) const {
    auto after = used.upper_bound(place);
    if (after == used.begin()) return nullptr;
    Block* block = std::prev(after)->second;
    return place - block->address < block->bytes ? block : nullptr;
  }

  void put_back(Block* block) {
    block->readers.clear();
    unused[{block->stream, block->bytes}].push_back(block);
  }

  /* Blocks whose other readers are done become unused. wait: waits for them. */
  void collect(bool wait) {
    std::vector<Waiting> left;
    for (auto& one : waiting) {
      bool done = true;
      for (sol_event* event : one.events) {
        int32_t happened = 0;
        if (wait) check(driver().event_synchronize(event), "event_synchronize");
        else if (driver().event_query(event, &happened) != SOL_OK || !happened) done = false;
      }
      if (!done) {
        left.push_back(std::move(one));
        continue;
      }
      for (sol_event* event : one.events) driver().event_destroy(event);
      put_back(one.block);
    }
    waiting.swap(left);
  }

  void empty(c10::DeviceIndex device) {
    collect(true);
    for (auto& [key, blocks] : unused) {
      for (Block* block : blocks) {
        decrease(stats.reserved_bytes, static_cast<int64_t>(block->bytes));
        decrease(stats.segment, 1);
        stats.num_device_free++;
        driver().release(device, block->address);
        delete block;
      }
    }
    unused.clear();
  }
};

Pool& pool(c10::DeviceIndex device) {
  static auto* pools = new std::array<Pool, 64>();
  TORCH_CHECK_INDEX(device >= 0 && device < device_count_or_raise(), "sol:", static_cast<int>(device), " is no device");
  return (*pools)[device];
}

void release_block(void* context);

struct DeviceMemory final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    load_operations();
    const auto device = current_device();
    const auto place = c10::Device(kDevice, device);
    auto& memory = pool(device);
    if (bytes == 0) return {nullptr, nullptr, &release_block, place};
    TORCH_CHECK_WITH(OutOfMemoryError, bytes < (uint64_t{1} << 62), "device sol is out of memory: ", bytes, " bytes were asked for");
    const auto stream = current_stream(device).id();
    const uint64_t size = size_class(bytes);
    std::lock_guard<std::mutex> lock(memory.mutex);
    if (!memory.waiting.empty()) memory.collect(false);
    Block* block = nullptr;
    auto found = memory.unused.find({stream, size});
    if (found != memory.unused.end() && !found->second.empty()) {
      block = found->second.back();
      found->second.pop_back();
    } else {
      block = reserve(memory, device, stream, size);
    }
    increase(memory.stats.allocated_bytes, static_cast<int64_t>(size));
    increase(memory.stats.active_bytes, static_cast<int64_t>(size));
    increase(memory.stats.requested_bytes, static_cast<int64_t>(size));
    increase(memory.stats.allocation, 1);
    increase(memory.stats.active, 1);
    void* data = reinterpret_cast<void*>(block->address);
    memory.used[block->address] = block;
    return {data, block, &release_block, place};
  }

  Block* reserve(Pool& memory, c10::DeviceIndex device, c10::StreamId stream, uint64_t size) {
    uint64_t address = 0;
    int code = driver().alloc(device, size, &address);
    if (code == SOL_ERROR_OUT_OF_MEMORY) {
      memory.stats.num_alloc_retries++;
      synchronize(device);
      memory.empty(device);
      code = driver().alloc(device, size, &address);
    }
    if (code == SOL_ERROR_OUT_OF_MEMORY) {
      memory.stats.num_ooms++;
      const std::string text = driver().error_text();
      const auto used = memory.stats.allocated_bytes[static_cast<size_t>(StatType::AGGREGATE)].current;
      const auto total = properties(device).memory;
      TORCH_CHECK_WITH(OutOfMemoryError, false, "sol:", static_cast<int>(device), " is out of memory: ", size, " bytes were asked for, ", used, " of ",
                       total, " are in tensors (", text, ")");
    }
    check(code, "alloc");
    increase(memory.stats.reserved_bytes, static_cast<int64_t>(size));
    increase(memory.stats.segment, 1);
    memory.stats.num_device_alloc++;
    return new Block{address, size, device, stream, {}, {nullptr}};
  }

  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  void copy_data(void* to, const void* from, size_t bytes) const override {
    auto* stream = queue(current_stream(current_device()));
    check(driver().copy_within(stream, address(to), address(from), bytes), "copy_within");
  }

  bool initialized() override { return device_count() > 0; }

  void emptyCache(c10::MempoolId_t) override {
    for (c10::DeviceIndex device = 0; device < device_count(); ++device) {
      synchronize(device);
      auto& memory = pool(device);
      std::lock_guard<std::mutex> lock(memory.mutex);
      memory.empty(device);
    }
  }

  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    if (!data.get()) return;
    auto& memory = pool(data.device().index());
    std::lock_guard<std::mutex> lock(memory.mutex);
    Block* block = memory.find(address(data.get()));
    if (!block || block->stream == stream.id()) return;
    for (const auto& reader : block->readers)
      if (reader == stream) return;
    block->readers.push_back(stream);
  }

  DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    auto& memory = pool(device);
    std::lock_guard<std::mutex> lock(memory.mutex);
    return memory.stats;
  }

  template <typename Action>
  void each_stat(c10::DeviceIndex device, Action action) {
    auto& memory = pool(device);
    std::lock_guard<std::mutex> lock(memory.mutex);
    auto& s = memory.stats;
    for (auto* array : {&s.allocation, &s.segment, &s.active, &s.allocated_bytes, &s.reserved_bytes, &s.active_bytes, &s.requested_bytes})
      for (auto& stat : *array) action(stat);
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    each_stat(device, [](Stat& stat) { stat.reset_accumulated(); });
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    each_stat(device, [](Stat& stat) { stat.reset_peak(); });
  }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) {  // PyTorch 2.9 has none to override
    const auto found = properties(device);
    return {found.memory_free, found.memory};
  }
};

/* A destructor calls it: errors of the driver leave the block waiting until its memory is needed. */
void release_block(void* context) {
  if (!context) return;
  auto* block = static_cast<Block*>(context);
  try {
    auto& memory = pool(block->device);
    std::lock_guard<std::mutex> lock(memory.mutex);
    memory.used.erase(block->address);
    decrease(memory.stats.allocated_bytes, static_cast<int64_t>(block->bytes));
    decrease(memory.stats.active_bytes, static_cast<int64_t>(block->bytes));
    decrease(memory.stats.requested_bytes, static_cast<int64_t>(block->bytes));
    decrease(memory.stats.allocation, 1);
    decrease(memory.stats.active, 1);
    if (block->readers.empty()) {
      memory.put_back(block);
      return;
    }
    Waiting entry{block, {}};
    for (const auto& reader : block->readers) {
      sol_event* event = nullptr;
      check(driver().event_create(block->device, 0, &event), "event_create");
      check(driver().event_record(event, queue(reader)), "event_record");
      entry.events.push_back(event);
    }
    memory.waiting.push_back(std::move(entry));
  } catch (const std::exception& error) {
    TORCH_WARN_ONCE("memory of device sol is not given back: ", error.what());
  }
}

std::mutex pinned_mutex;
std::map<uintptr_t, size_t> pinned_areas;
std::atomic<bool> pinned_copies{false};

void release_pinned(void* data) {
  if (!data) return;
  try {
    if (pinned_copies.exchange(false)) synchronize_all();
    {
      std::lock_guard<std::mutex> lock(pinned_mutex);
      pinned_areas.erase(reinterpret_cast<uintptr_t>(data));
    }
    driver().release_pinned(data);
  } catch (const std::exception& error) {
    TORCH_WARN_ONCE("pinned memory is not given back: ", error.what());
  }
}

struct PinnedMemory final : at::HostAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release_pinned, c10::Device(c10::kCPU)};
    void* data = nullptr;
    check(driver().alloc_pinned(bytes, &data), "alloc_pinned");
    std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned_areas[reinterpret_cast<uintptr_t>(data)] = bytes;
    return {data, data, &release_pinned, c10::Device(c10::kCPU)};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override {
    note_pinned_copy();
    return true;
  }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

DeviceMemory device_memory;
PinnedMemory pinned_memory;

struct RegisteredMemory {
  RegisteredMemory() {
    c10::SetAllocator(kDevice, &device_memory);
    at::setHostAllocator(kDevice, &pinned_memory);
  }
} registered_memory;

}  // namespace

Area area_of(const c10::DataPtr& data) {
  Block* block = nullptr;
  if (data.get_deleter() == &release_block) {
    block = static_cast<Block*>(data.get_context());
  } else {  // of a tensor that was given away and came back (DLPack)
    auto& memory = pool(data.device().index());
    std::lock_guard<std::mutex> lock(memory.mutex);
    block = memory.find(address(data.get()));
  }
  return block ? Area{&block->host, block->address} : Area{};
}

c10::Allocator* device_allocator() { return &device_memory; }
c10::Allocator* pinned_allocator() { return &pinned_memory; }
void note_pinned_copy() { pinned_copies = true; }

bool is_pinned(const void* data) {
  std::lock_guard<std::mutex> lock(pinned_mutex);
  const auto place = reinterpret_cast<uintptr_t>(data);
  auto after = pinned_areas.upper_bound(place);
  if (after == pinned_areas.begin()) return false;
  --after;
  return place < after->first + after->second;
}

void resize_storage(const c10::Storage& storage, size_t bytes) {
  auto* impl = storage.unsafeGetStorageImpl();
  const size_t before = impl->nbytes();
  if (bytes == before) return;
  TORCH_CHECK(impl->resizable(), "a storage of device sol that is not resizable cannot be resized");
  const auto device = storage.device().index();
  const auto last = exchange_device(device);
  c10::DataPtr data;
  try {
    data = device_memory.allocate(bytes);
    const size_t kept = std::min(before, bytes);
    if (kept) check(driver().copy_within(queue(current_stream(device)), address(data.get()), address(impl->data()), kept), "copy_within");
  } catch (...) {
    exchange_device(last);
    throw;
  }
  exchange_device(last);
  impl->set_data_ptr_noswap(std::move(data));
  impl->set_nbytes(bytes);
}

}  // namespace sol
