// SPDX-License-Identifier: MIT
#include "stack_room.hpp"

#include <cstdint>
#include <exception>

#include "core/platform.hpp"

namespace perfdata {
namespace {

struct Call {
    const std::function<void()>& call;
    std::exception_ptr thrown{};
};

}  // namespace

bool has_stack(std::size_t bytes) {
    // For the first thread this reads a file: do it only once.
    thread_local const auto extent = platform::stack_of_this_thread();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return !extent || here < extent->begin || here >= extent->end || here - extent->begin >= bytes;
}

bool on_own_stack(std::size_t bytes, const std::function<void()>& call) {
    Call made{call};
    const auto run = [](void* opaque) {
        auto& wanted = *static_cast<Call*>(opaque);
        try {
            wanted.call();
        } catch (...) {
            wanted.thrown = std::current_exception();
        }
    };
    if (!platform::run_on_stack(bytes, run, &made)) return false;
    if (made.thrown) std::rethrow_exception(made.thrown);
    return true;
}

}  // namespace perfdata
