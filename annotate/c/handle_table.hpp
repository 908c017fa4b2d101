// SPDX-License-Identifier: MIT
// The handles of the C API: numbers that are looked up, so that a wrong one is an error whatever it is.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace perfdata::c {

// Object is what a handle stands for.
class Object {
  public:
    enum class Kind : std::uint8_t { cancel, recording, code, samples, report, heat, annotation, symbol_cache };

    explicit Object(Kind kind) : kind_(kind) {}
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;

    Kind kind() const { return kind_; }

  private:
    Kind kind_;
};

// HandleTable never gives out a number twice, so that a freed handle stays wrong. Whoever has found an object keeps it
// alive: it may be taken out meanwhile.
//
// A child process begins with an empty table, whatever threads did when its parent forked: objects may be locked for
// ever there, by threads that it does not have. So nothing of them is looked at, not even to free them.
class HandleTable {
  public:
    // Returns the table of the process. It is made when the library is loaded, and never destroyed: handles may be used
    // while the process ends.
    static HandleTable& process();

    std::uintptr_t add(std::shared_ptr<Object> object);
    // Return null if there is none of that kind.
    std::shared_ptr<Object> find(std::uintptr_t handle, Object::Kind kind) const;
    // The object is destroyed by the caller, outside of the lock: that may call the user.
    std::shared_ptr<Object> take(std::uintptr_t handle, Object::Kind kind);

  private:
    HandleTable() = default;
    void empty_in_child();

    mutable std::shared_mutex mutex_;
    std::uintptr_t last_ = 0;
    std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace perfdata::c
