// SPDX-License-Identifier: MIT
// Stack for foreign code that recurses as deep as its input says.
#pragma once

#include <cstddef>
#include <functional>

namespace perfdata {

// Returns true if this thread has that much stack left, or if that is unknown, as on the stack of a fiber.
bool has_stack(std::size_t bytes);

// Calls `call` on a stack of that size and waits for it. Exceptions of the call pass through. Returns false, without
// calling, if the system provides no such stack.
bool on_own_stack(std::size_t bytes, const std::function<void()>& call);

}  // namespace perfdata
