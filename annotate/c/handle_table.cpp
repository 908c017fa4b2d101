// SPDX-License-Identifier: MIT
#include "handle_table.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "perfdata/recording/hash_key.hpp"

#include "core/platform.hpp"

namespace perfdata::c {

HandleTable& HandleTable::process() {
    static auto* const table = [] {
        auto* const made = new HandleTable;
        // While a process forks nobody else has the lock, so that the table is whole in the child.
        platform::at_fork([] { process().mutex_.lock(); }, [] { process().mutex_.unlock(); },
                          [] { process().empty_in_child(); });
        return made;
    }();
    return *table;
}

// Takes no memory, and frees none.
void HandleTable::empty_in_child() {
    new (&mutex_) std::shared_mutex;
    new (&objects_) decltype(objects_);
}

namespace {

// Made before there are threads that fork: a child would wait for ever for what another thread was making.
[[maybe_unused]] const auto& made_early = HandleTable::process();
[[maybe_unused]] const auto& keyed_early = HashKey::process();

}  // namespace

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
