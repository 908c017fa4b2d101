// SPDX-License-Identifier: MIT
// Libraries that the tool loads when it first needs them. The libraries of this project are linked with them as usual,
// and so is every other program. For the tool, each file here defines the functions of one library that are used, which
// load it and go on there: the linker takes these, and does not make the tool need the library at each start.
// docs/embedding.md ("What starting costs") has the figures.
//
// The compiler compares each function with the library's own header. A function that is missing here comes from the
// library itself, which is then linked: the test tool.start finds that.
#pragma once

#include "core/platform.hpp"

namespace perfdata::tool {

// OnDemand is a library that stays loaded until the process ends.
class OnDemand {
  public:
    // `name` is what the system finds it by, such as "libdw.so.1". Throws std::bad_alloc, and std::runtime_error with a
    // message for the user if it cannot be loaded.
    explicit OnDemand(const char* name);

    // Throws std::runtime_error if the library has no such function: it is too old. F: the type, a pointer.
    template <class F>
    F function(const char* name) const {
        const auto found = library_.function<F>(name);
        if (found == nullptr) refuse(name);
        return found;
    }

  private:
    [[noreturn]] void refuse(const char* function) const;

    const char* name_;
    platform::Library library_;
};

// on_demand<library, function>(name) returns the function of that library with this name, and of the type of
// `function`, which is ours. `library` is a function that returns an OnDemand. Throws what OnDemand throws; may be
// called by several threads.
template <auto library, auto function>
auto on_demand(const char* name) {
    static const auto found = library().template function<decltype(function)>(name);
    return found;
}

}  // namespace perfdata::tool
