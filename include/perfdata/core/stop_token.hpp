// SPDX-License-Identifier: MIT
// How the caller of something that takes long says that it is to stop.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "perfdata/core/callback.hpp"

namespace perfdata {

// StopToken is made of a std::stop_token, or of a function that returns true once it is time to stop; it is called
// often, on any thread, and must be cheap. Without either it never stops. It exists because <stop_token> would cost
// each file that includes perfdata 22,000 lines.
class StopToken {
  public:
    StopToken() = default;
    // From anything that can be asked stop_requested(), a std::stop_token for example. It holds a copy.
    template <class Token>
    requires(!std::same_as<Token, StopToken> &&
             requires(const Token& token) {
                 { token.stop_requested() } -> std::convertible_to<bool>;
             }) StopToken(Token token)
        : asks_([asked = std::move(token)] { return static_cast<bool>(asked.stop_requested()); }) {}
    // From a function that returns true once it is time to stop. It holds a copy.
    template <class Ask>
    requires(!std::same_as<Ask, StopToken> && std::is_invocable_r_v<bool, Ask&>) explicit StopToken(Ask ask)
        : asks_(std::move(ask)) {}

    bool stop_requested() const { return asks_ && asks_(); }  // it is time to stop
    // stop_possible() returns false for a token that never stops.
    bool stop_possible() const { return static_cast<bool>(asks_); }

  private:
    Callback<bool()> asks_;
};

}  // namespace perfdata
