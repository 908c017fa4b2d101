// SPDX-License-Identifier: MIT
// Room on the stack for code of others that recurses as deep as its input says.
#pragma once

#include <cstddef>
#include <functional>

namespace perfdata {

// has_stack(bytes) is whether this thread has so much of its stack left. It is true as well where nobody can tell, as
// on the stack of a fiber.
bool has_stack(std::size_t bytes);

// on_own_stack(bytes, call) makes the call on a stack of that size, and waits for it. What the call throws goes
// through. It is false, with nothing called, where the system gives no such stack.
bool on_own_stack(std::size_t bytes, const std::function<void()>& call);

}  // namespace perfdata
