// SPDX-License-Identifier: MIT
#include "perfdata/recording/file_state.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "file_source.hpp"
#include "owner_proof.hpp"
#include "pulse.hpp"

namespace perfdata {

std::optional<FileState> file_state(const Source& source) {
    const auto* file = dynamic_cast<const FileSource*>(&source);
    if (file == nullptr || !file->opened()) return {};
    FileState state;
    state.path = file->path();
    const auto& was = *file->opened();
    const auto now = file->status();
    if (!now) {
        state.change = FileState::Change::changed;
        return state;
    }
    state.device = now->device;
    state.inode = now->inode;
    state.owner = now->owner;
    state.permissions = now->permissions;
    state.writable = others_may_write(*now, file->descriptor());
    state.proven = owners_are_proven(file->descriptor());
    const bool written = now->seconds != was.seconds || now->nanoseconds != was.nanoseconds;
    if (now->size > was.size) {
        state.change = FileState::Change::grown;
    } else if (now->size < was.size || written) {
        state.change = FileState::Change::changed;
    }
    return state;
}

Result<bool> equal_bytes(const Source& one, const Source& other, const Watch& watch) {
    const auto size = one.size();
    if (other.size() != size) return false;
    constexpr std::size_t piece = std::size_t{256} << 10;
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(size, piece));
    std::vector<std::byte> first(room), second(room);
    Pulse pulse(watch, size);
    for (std::uint64_t at = 0; at < size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room, size - at));
        const auto of_one = one.read_at(at, std::span(first).first(wanted));
        if (!of_one) return fail(of_one.error());
        const auto of_other = other.read_at(at, std::span(second).first(wanted));
        if (!of_other) return fail(of_other.error());
        // A file that has shrunk meanwhile is not equal to anything.
        if (*of_one != wanted || *of_other != wanted || first != second) return false;
        at += wanted;
        if (!pulse.go_on(wanted)) return fail(pulse.stopped("comparing files"));
    }
    return true;
}

}  // namespace perfdata
