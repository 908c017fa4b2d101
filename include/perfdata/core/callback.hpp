// SPDX-License-Identifier: MIT
// A function that options carry.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace perfdata {

template <class Signature>
class Callback;

// Callback holds any copyable function or function object, as std::function does, and may be empty. Copies have a copy
// of their own. It exists because <functional> would cost each file that includes perfdata 17,000 lines.
template <class R, class... Args>
class Callback<R(Args...)> {
  public:
    Callback() = default;
    Callback(std::nullptr_t) {}  // empty
    // An empty std::function, or a null pointer to a function, makes an empty Callback.
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Callback> && std::is_invocable_r_v<R, std::decay_t<F>&, Args...> &&
             std::is_copy_constructible_v<std::decay_t<F>>) Callback(F&& function) {
        std::decay_t<F> kept(std::forward<F>(function));
        if constexpr (std::constructible_from<std::decay_t<F>, std::nullptr_t>) {
            if (kept == nullptr) return;
        }
        held_ = new Holder<std::decay_t<F>>(std::move(kept));
    }
    Callback(const Callback& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
    Callback(Callback&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    Callback& operator=(Callback other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~Callback() { delete held_; }

    explicit operator bool() const { return held_ != nullptr; }  // there is a function to call
    // Calls the function; valid only if there is one.
    R operator()(Args... args) const { return held_->call(std::forward<Args>(args)...); }

  private:
    struct Held {
        Held() = default;
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        virtual ~Held() = default;
        virtual R call(Args... args) = 0;
        virtual Held* copy() const = 0;
    };
    template <class F>
    struct Holder final : Held {
        template <class From>
        explicit Holder(From&& from) : function(std::forward<From>(from)) {}
        R call(Args... args) override { return static_cast<R>(function(std::forward<Args>(args)...)); }
        Held* copy() const override { return new Holder(function); }

        F function;
    };

    Held* held_ = nullptr;
};

}  // namespace perfdata
