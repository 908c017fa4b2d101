// SPDX-License-Identifier: MIT
// The exception by which a thread ends.
#pragma once

#include <version>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace perfdata {

// ThreadEnd passes through all callers where a thread ends in the middle of a call: pthread_exit() in a callback,
// pthread_cancel(). It must not be held up: where `catch (...)` catches everything, a handler before it throws it
// again, or the process is aborted.
#if defined(__GLIBCXX__)
using ThreadEnd = abi::__forced_unwind;
#else
class ThreadEnd {};  // elsewhere nothing is thrown
#endif

}  // namespace perfdata
