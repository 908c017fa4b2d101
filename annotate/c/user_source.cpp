// SPDX-License-Identifier: MIT
#include "user_source.hpp"

#include <algorithm>

namespace perfdata::c {

namespace {

void release(const perfdata_source& source) noexcept {
    if (source.release == nullptr) return;
    try {
        source.release(source.user);
    } catch (...) {  // nobody is left to tell
    }
}

}  // namespace

struct UserSource::State {
    explicit State(const perfdata_source& source)
        : name(source.name == nullptr ? "source" : source.name), given(source) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { release(given); }

    Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) {
        std::int64_t got = -1;
        try {
            got = given.read_at(given.user, offset, out.data(), out.size());
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {
            threw = true;
            return fail(ErrorCode::io, offset, name, "its reader threw an exception");
        }
        if (got < 0) return fail(ErrorCode::io, offset, name, "its reader failed with " + std::to_string(got));
        // Sizes of one read fit into any size_t; claims of more are told by the source.
        return static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(got), ~std::size_t{0}));
    }

    const std::string name;
    const perfdata_source given;
    std::atomic<bool> threw{false};
};

UserSource::UserSource(const perfdata_source& given) {
    try {
        state_ = std::make_shared<State>(given);
    } catch (...) {  // there is no state whose end would do it
        release(given);
        throw;
    }
}

std::shared_ptr<const Source> UserSource::source() const {
    return callback_source(
        state_->given.bytes,
        [state = state_](std::uint64_t offset, std::span<std::byte> out) { return state->read(offset, out); },
        state_->name);
}

const std::string& UserSource::name() const {
    return state_->name;
}

bool UserSource::threw() const {
    return state_->threw;
}

}  // namespace perfdata::c
