// SPDX-License-Identifier: MIT
#include "on_demand.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace perfdata::tool {
namespace {

platform::Library loaded_library(const char* name) {
    auto library = platform::Library::load(name);
    if (library) return std::move(*library);
    // The linker's words for ENOMEM: --max-memory limits this, too.
    if (library.error().find("memory") != std::string::npos) throw std::bad_alloc();
    throw std::runtime_error(std::string(name) + " is needed here, and cannot be loaded: " + library.error() +
                             "; install " + name);
}

}  // namespace

OnDemand::OnDemand(const char* name) : name_(name), library_(loaded_library(name)) {}

void OnDemand::refuse(const char* function) const {
    throw std::runtime_error(std::string(name_) + " is too old: it has no " + function);
}

}  // namespace perfdata::tool
