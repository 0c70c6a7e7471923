/* Operations that sol compiles one by one (compiled.cpp). */
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

namespace sol {

/* Which operations are compiled: none, those whose time is that of multiplications, or all that sol knows. kUnknown: the environment asks for
 * something else, which is an error where an operation runs. */
enum class CompilePolicy : int64_t { kUnknown = -1, kOff = 0, kHeavy = 1, kAll = 2 };

CompilePolicy compile_policy();
/* What a kernel of the operations' own library returns where an index was out of range. */
constexpr int kIndexOutOfRange = 71;
/* Runs a call whose arguments are on the stack by a network of sol, and puts its results there; false where it has to run elsewhere. */
bool run_compiled(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace sol
