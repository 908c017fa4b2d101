// SPDX-License-Identifier: MIT
// An object with several owners.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace perfdata {

// Shared<T> owns an object together with its copies, as std::shared_ptr does; the last one destroys it. Owners may lie
// in different threads. It is made by make(), or from what owns an object already: a std::shared_ptr or
// std::unique_ptr, even to a class derived from T. It exists because <memory> would cost each file that includes
// perfdata 22,000 lines.
template <class T>
class Shared {
  public:
    Shared() = default;
    Shared(std::nullptr_t) {}  // empty: owns nothing
    // An owner of nothing makes an empty Shared.
    template <class Owner>
    requires(!std::same_as<Owner, Shared> && std::is_class_v<Owner> && requires(const Owner& owner) {
        static_cast<T*>(owner.get());
        static_cast<bool>(owner);
    }) Shared(Owner owner) {
        if (!owner) return;
        T* const object = owner.get();
        holder_ = new Holder<Owner>(std::move(owner));
        object_ = object;
    }
    // Returns the only owner of an object made of the arguments.
    template <class... Args>
    static Shared make(Args&&... args) {
        auto* const holder = new Holder<std::remove_const_t<T>>(std::forward<Args>(args)...);
        return Shared(&holder->held, holder);
    }

    Shared(const Shared& other) noexcept : object_(other.object_), holder_(other.holder_) {
        if (holder_ != nullptr) __atomic_add_fetch(&holder_->owners, 1, __ATOMIC_RELAXED);
    }
    Shared(Shared&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)), holder_(std::exchange(other.holder_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
        std::swap(object_, other.object_);
        std::swap(holder_, other.holder_);
        return *this;
    }
    ~Shared() {
        if (holder_ != nullptr && __atomic_sub_fetch(&holder_->owners, 1, __ATOMIC_ACQ_REL) == 0) delete holder_;
    }

    // Null if it is empty.
    T* get() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    // Valid only if it is not empty.
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }

    bool operator==(const Shared& other) const { return object_ == other.object_; }
    bool operator==(std::nullptr_t) const { return object_ == nullptr; }

  private:
    struct Owned {
        Owned() = default;
        Owned(const Owned&) = delete;
        Owned& operator=(const Owned&) = delete;
        virtual ~Owned() = default;

        std::size_t owners = 1;
    };
    // Holds what owns the object, or the object itself.
    template <class Held>
    struct Holder final : Owned {
        template <class... Args>
        explicit Holder(Args&&... args) : held(std::forward<Args>(args)...) {}

        Held held;
    };

    Shared(T* object, Owned* holder) noexcept : object_(object), holder_(holder) {}

    T* object_ = nullptr;
    Owned* holder_ = nullptr;
};

}  // namespace perfdata
