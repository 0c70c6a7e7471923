/* Operations that sol compiles one by one: what is kept of each class of calls, and the launch of a compiled one on the device's stream.
 *
 * A class of calls is an operation with the types, sizes and strides of its tensors and the values of its other arguments. Python compiles one
 * (sol/device/operations) and says how its network is called; from then on a call of the class is a look-up and a launch. */
#include "compiled.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "profiler.h"
#include "runtime.h"

namespace sol {
namespace {

using at::Tensor;
using c10::IValue;
using Key = std::vector<int64_t>;

constexpr size_t kMostClasses = 2048;   // that are compiled
constexpr size_t kMostCounted = 1 << 14;  // that are counted; numbers that change from call to call make new classes all the time
constexpr size_t kMostTensors = 200;    // of one call

std::atomic<CompilePolicy> policy{[] {
  const char* asked = std::getenv("SOL_DEVICE_COMPILE");
  const std::string level = asked ? asked : "";
  if (level.empty() || level == "off") return CompilePolicy::kOff;
  return level == "heavy" ? CompilePolicy::kHeavy : level == "all" ? CompilePolicy::kAll : CompilePolicy::kUnknown;
}()};

/* A call of a network: sol_call of codegen/include/sol_run.h, whose size Python compares. */
struct NetworkCall {
  void* const* inputs;
  void* const* outputs;
  void* const* weights;
  char* memory;
  const int64_t *dims, *offsets;
  int64_t arena, shared_scratch, scratch;
  int64_t *marks, *spans;
  int32_t threads, flush_denormals, zeroed;
  void* launch;
  int64_t* stray;
};
using Run = void (*)(const NetworkCall*);

/* The bytes of a launch. */
struct Launch {
  Run run;
  NetworkCall call;
  uint32_t inputs, outputs;
};

struct Output {
  at::ScalarType type;
  std::vector<int64_t> sizes, strides;
};

/* A compiled operation. */
struct Network {
  std::string name;
  Launch launch{};
  size_t bytes = 0;             // that a call works in
  std::vector<size_t> sources;  // number of the call's tensor for each input of the network
  std::vector<size_t> read;     // those of them that are really read
  std::vector<Output> outputs;
  std::atomic<int64_t> launches{0};
};

/* What is known of a class. network: set once, when it is compiled; NULL with never: it is not for sol. */
struct Class {
  int64_t seen = 0;
  bool never = false;
  std::shared_ptr<Network> network;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 1469598103934665603u;
    for (int64_t word : key) hash = (hash ^ static_cast<uint64_t>(word)) * 1099511628211u, hash ^= hash >> 29;
    return hash;
  }
};

/* What an operation's schema says. targets: arguments that it writes. */
struct Operation {
  CompilePolicy wanted = CompilePolicy::kOff;  // the first policy that compiles it; kOff: none
  std::vector<size_t> targets;
  bool is_out = false;  // the targets are nothing but where results go
};

struct Table {
  std::mutex mutex;
  std::unordered_map<Key, Class, KeyHash> classes;
  std::unordered_map<const c10::FunctionSchema*, Operation> operations;
  std::map<std::string, std::vector<std::shared_ptr<Network>>> networks;
  std::vector<std::shared_ptr<Network>> called;  // by Python, by number
  size_t compiled = 0;
};

Table& table() {
  static auto* made = new Table();
  return *made;
}

/* Products and convolutions: operations whose time is that of multiplications. */
bool is_heavy(const std::string& name) {
  static const std::array<const char*, 8> names{"aten::mm",          "aten::addmm",       "aten::bmm",        "aten::baddbmm",
                                                "aten::convolution", "aten::addmm_",      "aten::baddbmm_",   "aten::convolution_overrideable"};
  for (const char* one : names)
    if (name == one) return true;
  return false;
}

Operation described(const c10::FunctionSchema& schema) {
  Operation found;
  for (const auto& value : schema.returns())
    if (value.type()->kind() != c10::TypeKind::TensorType) return found;
  if (schema.returns().empty()) return found;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const auto& argument = schema.arguments()[i];
    if (argument.type()->str().find("Generator") != std::string::npos) return found;
    if (!argument.alias_info() || !argument.alias_info()->isWrite()) continue;
    if (argument.type()->kind() != c10::TypeKind::TensorType) return found;
    found.targets.push_back(i);
    found.is_out = argument.is_out();
  }
  if (!found.targets.empty() && found.targets.size() != schema.returns().size()) return found;
  found.wanted = is_heavy(schema.name()) ? CompilePolicy::kHeavy : CompilePolicy::kAll;
  return found;
}

int64_t bits_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* A call: its key, its tensors in the order of the arguments, and what Python is given. */
struct Reading {
  Key key;
  std::vector<const Tensor*> tensors;
  bool good = true;

  /* A result that has no size yet. */
  bool add_empty(const Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != kDevice || tensor.dim() != 1 || tensor.numel() || tensor.is_complex()) return false;
    key.insert(key.end(), {13, static_cast<int64_t>(tensor.scalar_type())});
    tensors.push_back(&tensor);
    return true;
  }

  void add(const Tensor& tensor) {
    if (!tensor.defined()) {
      key.push_back(1);
      return;
    }
    if (tensor.device().type() != kDevice) {
      /* a Python number beside a tensor */
      good = good && tensor.dim() == 0 && tensor.unsafeGetTensorImpl()->is_wrapped_number() && !tensor.is_complex();
      if (!good) return;
      const auto type = tensor.scalar_type();
      key.insert(key.end(), {3, static_cast<int64_t>(type), type == at::kDouble || type == at::kFloat ? bits_of(tensor.item<double>()) : tensor.item<int64_t>()});
      return;
    }
    good = good && !tensor.is_conj() && !tensor.is_neg() && !tensor.is_complex() && tensor.numel() > 0 && tensors.size() < kMostTensors;
    if (!good) return;
    key.insert(key.end(), {2, static_cast<int64_t>(tensor.scalar_type()), tensor.dim()});
    for (int64_t size : tensor.sizes()) key.push_back(size);
    for (int64_t stride : tensor.strides()) key.push_back(stride);
    tensors.push_back(&tensor);
  }

  void add(const IValue& value) {
    if (value.isNone()) key.push_back(0);
    else if (value.isTensor()) add(value.toTensor());
    else if (value.isInt()) key.insert(key.end(), {4, value.toInt()});
    else if (value.isDouble()) key.insert(key.end(), {5, bits_of(value.toDouble())});
    else if (value.isBool()) key.insert(key.end(), {6, value.toBool()});
    else if (value.isIntList()) {
      const auto list = value.toIntList();
      key.insert(key.end(), {7, static_cast<int64_t>(list.size())});
      for (int64_t one : list) key.push_back(one);
    } else if (value.isDoubleList()) {
      const auto list = value.toDoubleList();
      key.insert(key.end(), {8, static_cast<int64_t>(list.size())});
      for (double one : list) key.push_back(bits_of(one));
    } else if (value.isBoolList()) {
      const auto list = value.toBoolList();
      key.insert(key.end(), {9, static_cast<int64_t>(list.size())});
      for (bool one : list) key.push_back(one);
    } else if (value.isString()) {
      const auto& text = value.toStringRef();
      key.insert(key.end(), {10, static_cast<int64_t>(text.size())});
      for (char one : text) key.push_back(one);
    } else if (value.isDevice()) {
      key.push_back(11);
    } else {
      good = false;  // lists of tensors hold temporary values; generators and the like are no matter of sizes
    }
  }
};

/* Lists of tensors: their elements are kept by the list that the stack holds. */
void add_list(Reading& reading, const IValue& value, std::vector<Tensor>& kept) {
  const auto add = [&](const Tensor& tensor) {
    kept.push_back(tensor);
    reading.add(kept.back());
  };
  reading.key.insert(reading.key.end(), {12, 0});
  const size_t place = reading.key.size() - 1;
  if (value.isTensorList()) {
    for (const Tensor& tensor : value.toTensorList()) add(tensor);
    reading.key[place] = static_cast<int64_t>(value.toTensorList().size());
  } else {
    for (const std::optional<Tensor>& tensor : value.toOptionalTensorList()) add(tensor.value_or(Tensor()));
    reading.key[place] = static_cast<int64_t>(value.toOptionalTensorList().size());
  }
}

IValue for_python(const IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().device().type() == kDevice) return value;
  return value.toTensor().item();
}

/* What Python says of a network: numbers in the order in which they are read here, and results as tensors without memory. */
std::shared_ptr<Network> made_network(const std::vector<int64_t>& numbers, const std::vector<Tensor>& results) {
  auto network = std::make_shared<Network>();
  size_t next = 0;
  const auto number = [&] { return numbers.at(next++); };
  TORCH_CHECK(number() == sizeof(NetworkCall), "the extension of PyTorch was built for another version of sol: run `sol devices build`");
  network->launch.run = reinterpret_cast<Run>(number());
  auto& frame = network->launch.call;
  frame.launch = reinterpret_cast<void*>(number());
  frame.weights = reinterpret_cast<void* const*>(number());
  frame.arena = number(), frame.shared_scratch = number(), frame.scratch = number();
  frame.threads = static_cast<int32_t>(number()), frame.flush_denormals = static_cast<int32_t>(number());
  network->bytes = static_cast<size_t>(number());
  const auto inputs = static_cast<size_t>(number());
  for (size_t i = 0; i < inputs; ++i) {
    network->sources.push_back(static_cast<size_t>(number()));
    if (number()) network->read.push_back(network->sources.back());
  }
  for (const Tensor& result : results) network->outputs.push_back({result.scalar_type(), result.sizes().vec(), result.strides().vec()});
  network->launch.inputs = static_cast<uint32_t>(inputs);
  for (const Tensor& result : results) network->launch.outputs += result.numel() > 0;
  TORCH_CHECK(inputs + results.size() <= kMostTensors, "a network of device sol has too many inputs and outputs");
  return network;
}

/* Asks Python for the network of a class; NULL where sol does not compute it. */
std::shared_ptr<Network> compile(const c10::OperatorHandle& op, const torch::jit::Stack& stack, size_t base) {
  static const auto asked = c10::Dispatcher::singleton().findSchemaOrThrow("sol_device::compile_operation", "");
  c10::List<IValue> arguments(c10::AnyType::get());
  for (size_t i = base; i < stack.size(); ++i) arguments.push_back(for_python(stack[i]));
  torch::jit::Stack call{op.schema().name(), op.schema().overload_name(), arguments};
  asked.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &call);
  const auto numbers = call.at(0).toIntVector();
  return numbers.empty() ? nullptr : made_network(numbers, call.at(1).toTensorVector());
}

sol_kernel* running_kernel(c10::DeviceIndex device) {
  static auto* kernels = new std::array<std::atomic<sol_kernel*>, 64>();
  static std::mutex mutex;
  sol_kernel* kernel = (*kernels)[device];
  if (kernel) return kernel;
  std::lock_guard<std::mutex> lock(mutex);
  Dl_info own{};
  TORCH_CHECK(dladdr(reinterpret_cast<void*>(&running_kernel), &own), "the library of device sol does not know its path");
  sol_program* program = nullptr;
  check(driver().program_load(device, own.dli_fname, strlen(own.dli_fname) + 1, "", &program), "program_load");
  check(driver().program_kernel(program, "sol_device_run_network", &kernel), "program_kernel");
  (*kernels)[device] = kernel;
  return kernel;
}

Tensor new_output(const Output& output) {
  return at::detail::empty_strided_generic(output.sizes, output.strides, device_allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           output.type);
}

/* Queues the network. The tensors of the results are there when this returns, their elements when the stream has come so far. */
std::vector<Tensor> launch(Network& network, const std::vector<const Tensor*>& tensors, const std::vector<Tensor>& targets) {
  const auto device = tensors[0]->device();
  const c10::DeviceGuard guard(device);
  auto* stream = queue(current_stream(device.index()));
  std::vector<Tensor> results, written;
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    bool fresh = targets.empty();
    for (size_t read : network.read) fresh = fresh || tensors[read]->storage().is_alias_of(targets[i].storage());
    written.push_back(fresh ? new_output(network.outputs[i]) : targets[i]);
    results.push_back(targets.empty() ? written.back() : targets[i]);
  }
  Tensor memory;
  if (network.bytes > 64) memory = at::detail::empty_generic({static_cast<int64_t>(network.bytes)}, device_allocator(),
                                                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), at::kByte, std::nullopt);
  std::array<sol_argument, kMostTensors + 16> arguments;
  uint32_t count = 0;
  arguments[count++] = {SOL_ARGUMENT_BYTES, sizeof(Launch), 0, &network.launch};
  const auto give = [&](const void* data) { arguments[count++] = {SOL_ARGUMENT_ADDRESS, 8, address(data), nullptr}; };
  for (size_t source : network.sources) give(tensors[source]->const_data_ptr());
  for (const Tensor& tensor : written)
    if (tensor.numel()) give(tensor.const_data_ptr());
  give(memory.defined() ? memory.const_data_ptr() : nullptr);
  const uint64_t once[3] = {1, 1, 1};
  const Activity activity(ActivityKind::kKernel, network.name.c_str(), current_stream(device.index()));
  check(driver().launch(stream, running_kernel(device.index()), arguments.data(), count, once, nullptr), "launch");
  network.launches++;
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].is_same(written[i]) && written[i].numel())
      check(driver().copy_within(stream, address(results[i].mutable_data_ptr()), address(written[i].const_data_ptr()), written[i].nbytes()), "copy_within");
  return results;
}

/* The class's network, compiled where it is time to; NULL where the call runs elsewhere. */
std::shared_ptr<Network> network_of(const c10::OperatorHandle& op, const torch::jit::Stack& stack, size_t base, Key&& key) {
  auto& known = table();
  {
    std::lock_guard<std::mutex> lock(known.mutex);
    auto found = known.classes.find(key);
    if (found != known.classes.end() && (found->second.never || found->second.network)) return found->second.network;
    if (known.compiled >= kMostClasses) return nullptr;
    if (found == known.classes.end()) {
      if (known.classes.size() >= kMostCounted) {
        for (auto it = known.classes.begin(); it != known.classes.end();) it = it->second.never || it->second.network ? std::next(it) : known.classes.erase(it);
        if (known.classes.size() >= kMostCounted) return nullptr;
      }
      found = known.classes.emplace(key, Class()).first;
    }
    if (!found->second.seen++ && !fallback_is_error()) return nullptr;
  }
  auto network = compile(op, stack, base);
  std::lock_guard<std::mutex> lock(known.mutex);
  auto& entry = known.classes[key];
  if (entry.network) return entry.network;  // another thread was sooner
  entry.never = !network;
  entry.network = network;
  if (network) {
    ++known.compiled;
    const auto& overload = op.schema().overload_name();
    network->name = overload.empty() ? op.schema().name() : op.schema().name() + "." + overload;
    known.networks[network->name].push_back(network);
  }
  return network;
}

}  // namespace

CompilePolicy compile_policy() { return policy; }

bool run_compiled(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (policy == CompilePolicy::kOff) return false;
  TORCH_CHECK_VALUE(policy != CompilePolicy::kUnknown, "the environment variable SOL_DEVICE_COMPILE is ", std::getenv("SOL_DEVICE_COMPILE"),
                    ": it takes off, heavy or all");
  const auto& schema = op.schema();
  const Operation* operation;
  {
    auto& known = table();
    std::lock_guard<std::mutex> lock(known.mutex);
    auto found = known.operations.find(&schema);
    if (found == known.operations.end()) found = known.operations.emplace(&schema, described(schema)).first;
    operation = &found->second;  // elements stay where they are
  }
  if (operation->wanted == CompilePolicy::kOff || operation->wanted > policy) return false;
  const size_t count = schema.arguments().size(), base = stack->size() - count;
  Reading reading;
  reading.key.reserve(64);
  reading.key.insert(reading.key.end(), {static_cast<int64_t>(reinterpret_cast<intptr_t>(&schema)), at::get_num_threads()});
  std::vector<Tensor> kept;  // elements of lists
  const auto is_target = [&](size_t i) { return std::find(operation->targets.begin(), operation->targets.end(), i) != operation->targets.end(); };
  for (size_t i = base; i < stack->size() && reading.good; ++i) {
    const auto& value = (*stack)[i];
    if (kept.capacity() == 0 && (value.isTensorList() || value.isOptionalTensorList())) kept.reserve(kMostTensors + 1);  // they stay where they are
    if (operation->is_out && value.isTensor() && is_target(i - base) && reading.add_empty(value.toTensor())) {
      continue;
    }
    if (value.isTensorList() || value.isOptionalTensorList()) {
      reading.good = kept.size() + (value.isTensorList() ? value.toTensorList().size() : value.toOptionalTensorList().size()) < kMostTensors;
      if (reading.good) add_list(reading, value, kept);
    } else {
      reading.add(value);
    }
  }
  if (!reading.good || reading.tensors.empty()) return false;
  const auto device = reading.tensors[0]->device();
  for (const Tensor* tensor : reading.tensors)
    if (tensor->device() != device) return false;
  if (!runs_host_libraries(device.index())) return false;
  const auto network = network_of(op, *stack, base, std::move(reading.key));
  if (!network) return false;
  std::vector<Tensor> targets;
  for (size_t i = 0; i < operation->targets.size(); ++i) {
    targets.push_back((*stack)[base + operation->targets[i]].toTensor());
    if (!targets[i].numel() && targets[i].sizes() != at::IntArrayRef(network->outputs[i].sizes)) targets[i].resize_(network->outputs[i].sizes);
  }
  auto results = launch(*network, reading.tensors, targets);
  torch::jit::drop(*stack, count);
  for (auto& result : results) torch::jit::push(*stack, std::move(result));
  return true;
}

TORCH_LIBRARY_FRAGMENT(sol_device, m) {
  m.def("compile_operation(str name, str overload, Any[] arguments) -> (int[], Tensor[])");
  m.def("set_compile_policy(int level) -> ()", [](int64_t level) { policy = static_cast<CompilePolicy>(level); });
  /* A network that Python calls itself: its number, under a name for the counts. */
  m.def("add_network(str name, int[] numbers, Tensor[] results) -> int", [](const std::string& name, at::IntArrayRef numbers, at::TensorList results) {
    auto network = made_network(numbers.vec(), results.vec());
    network->name = name;
    std::lock_guard<std::mutex> lock(table().mutex);
    table().networks[name].push_back(network);
    table().called.push_back(std::move(network));
    return static_cast<int64_t>(table().called.size()) - 1;
  });
  m.def("launch_network(int number, Tensor[] inputs, Tensor[] outputs) -> ()", [](int64_t number, at::TensorList inputs, at::TensorList outputs) {
    std::shared_ptr<Network> network;
    {
      std::lock_guard<std::mutex> lock(table().mutex);
      network = table().called.at(static_cast<size_t>(number));
    }
    std::vector<const Tensor*> given;
    for (const Tensor& tensor : inputs) {
      TORCH_CHECK(tensor.device().type() == kDevice && tensor.device() == inputs[0].device(), "expected tensors of one device of sol");
      given.push_back(&tensor);
    }
    TORCH_CHECK(!given.empty() && outputs.size() == network->outputs.size(), "a network of device sol takes other tensors");
    launch(*network, given, outputs.vec());
  });
  m.def("compile_policy() -> int", []() { return static_cast<int64_t>(policy.load()); });
  m.def("fallback_is_error() -> bool", []() { return fallback_is_error(); });
  m.def("compiled_names() -> str[]", []() {
    std::lock_guard<std::mutex> lock(table().mutex);
    std::vector<std::string> names;
    for (const auto& [name, networks] : table().networks) names.push_back(name);
    return names;
  });
  m.def("compiled_count(str name) -> int", [](const std::string& name) {
    std::lock_guard<std::mutex> lock(table().mutex);
    int64_t sum = 0;
    const auto found = table().networks.find(name);
    if (found != table().networks.end())
      for (const auto& network : found->second) sum += network->launches;
    return sum;
  });
  m.def("reset_compiled() -> ()", []() {
    std::lock_guard<std::mutex> lock(table().mutex);
    for (auto& [name, networks] : table().networks)
      for (auto& network : networks) network->launches = 0;
  });
}

}  // namespace sol

/* Arguments: the bytes of a launch, inputs, outputs, memory to work in. */
extern "C" int sol_device_run_network(const void* const* arguments, uint64_t, int) {
  sol::Launch launch;
  memcpy(&launch, arguments[0], sizeof launch);
  int64_t stray = 0;
  auto* const* places = const_cast<void* const*>(arguments) + 1;
  launch.call.inputs = places;
  launch.call.outputs = places + launch.inputs;
  const auto memory = reinterpret_cast<uintptr_t>(places[launch.inputs + launch.outputs]);
  launch.call.memory = reinterpret_cast<char*>((memory + 63) / 64 * 64);
  launch.call.stray = &stray;
  launch.run(&launch.call);
  return stray ? sol::kIndexOutOfRange : SOL_OK;
}
