// SPDX-License-Identifier: MIT
// What identifies files, namespaces and BPF programs in records and features.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "perfdata/core/types.hpp"

namespace perfdata {

// BuildId identifies the content of a file; `size` bytes of it are valid (0: none).
struct BuildId {
    std::array<std::byte, 20> value{};  // the id, then zeros
    std::uint8_t size = 0;              // bytes; 20 (SHA-1) or 16 (MD5, UUID) as a rule

    Bytes bytes() const { return Bytes(value).first(size); }  // the valid bytes; live as long as this BuildId
    bool operator==(const BuildId&) const = default;
};

// FileInode identifies a mapped file on the recording machine.
struct FileInode {
    std::uint32_t major = 0, minor = 0;        // the device of its file system
    std::uint64_t number = 0, generation = 0;  // its inode, and what tells files apart that had the same one in turn
};

// NamespaceLink identifies a namespace: it is that of its file under /proc/PID/ns.
struct NamespaceLink {
    std::uint64_t device = 0, inode = 0;  // of the file: st_dev and st_ino of stat(2)
};

// BpfTag is the kernel's hash of a program or a subprogram. Different programs share tags: it is not a key.
using BpfTag = std::array<std::byte, 8>;

}  // namespace perfdata
