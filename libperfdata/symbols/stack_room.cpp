// SPDX-License-Identifier: MIT
#include "stack_room.hpp"

#include <csignal>
#include <cstdint>
#include <exception>
#include <pthread.h>

namespace perfdata {
namespace {

// Addresses of a stack; both are 0 where they are not known.
struct Extent {
    std::uintptr_t begin = 0, end = 0;
};

Extent extent_of_this_thread() {
    Extent extent;
#ifdef __GLIBC__  // others say how far the first thread's stack reached so far, not how far it may
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return extent;
    void* begin = nullptr;
    std::size_t size = 0;
    if (::pthread_attr_getstack(&attributes, &begin, &size) == 0) {
        extent.begin = reinterpret_cast<std::uintptr_t>(begin);
        extent.end = extent.begin + size;
    }
    ::pthread_attr_destroy(&attributes);
#endif
    return extent;
}

struct Call {
    const std::function<void()>& call;
    std::exception_ptr thrown{};
};

extern "C" void* perfdata_run_on_own_stack(void* opaque) {
    auto& call = *static_cast<Call*>(opaque);
    try {
        call.call();
    } catch (...) {
        call.thrown = std::current_exception();
    }
    return nullptr;
}

}  // namespace

bool has_stack(std::size_t bytes) {
    // For the first thread this reads a file, so it is asked once.
    thread_local const Extent extent = extent_of_this_thread();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here < extent.begin || here >= extent.end || here - extent.begin >= bytes;
}

bool on_own_stack(std::size_t bytes, const std::function<void()>& call) {
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) != 0) return false;
    Call made{call};
    pthread_t thread{};
    // Signals are for threads that somebody else made.
    sigset_t all, before;
    ::sigfillset(&all);
    const bool masked = ::pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const bool started = ::pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                         ::pthread_create(&thread, &attributes, perfdata_run_on_own_stack, &made) == 0;
    if (masked) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (!started) return false;
    ::pthread_join(thread, nullptr);
    if (made.thrown) std::rethrow_exception(made.thrown);
    return true;
}

}  // namespace perfdata
