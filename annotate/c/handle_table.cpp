// SPDX-License-Identifier: MIT
#include "handle_table.hpp"

#include <mutex>
#include <utility>

namespace perfdata::c {

HandleTable& HandleTable::process() {
    static auto* const table = new HandleTable;
    return *table;
}

std::uintptr_t HandleTable::add(std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    // Odd: no object of a program lies there. Numbers repeat only where a pointer has 32 bits, after 2^31 of them.
    do {
        last_ += 2;
    } while (objects_.contains(last_ | 1));
    objects_.emplace(last_ | 1, std::move(object));
    return last_ | 1;
}

std::shared_ptr<Object> HandleTable::find(std::uintptr_t handle, Object::Kind kind) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end() || found->second->kind() != kind) return nullptr;
    return found->second;
}

std::shared_ptr<Object> HandleTable::take(std::uintptr_t handle, Object::Kind kind) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end() || found->second->kind() != kind) return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
}

}  // namespace perfdata::c
