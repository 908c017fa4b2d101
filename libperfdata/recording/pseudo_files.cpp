// SPDX-License-Identifier: MIT
#include "pseudo_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/platform.hpp"

namespace perfdata {
namespace {

struct Kind {
    std::uint32_t magic;
    std::string_view name;
};

// The magic numbers of linux/magic.h and, after the first blank line, of file systems that define their own. Not
// included: memory (tmpfs, ramfs, devtmpfs, hugetlbfs), whose regular files are files; networks and FUSE, which may be
// slow but hold programs; autofs, on which these are mounted.
constexpr std::array kinds{
    Kind{0x9fa0, "proc"},          Kind{0x62656572, "sysfs"},       Kind{0x74726163, "tracefs"},
    Kind{0x64626720, "debugfs"},   Kind{0xcafe4a11, "bpf"},         Kind{0x73636673, "securityfs"},
    Kind{0xf97cff8c, "selinuxfs"}, Kind{0x43415d53, "smackfs"},     Kind{0x27e0eb, "cgroup"},
    Kind{0x63677270, "cgroup2"},   Kind{0x7655821, "resctrl"},      Kind{0x6165676c, "pstore"},
    Kind{0xde5e81e4, "efivarfs"},  Kind{0x42494e4d, "binfmt_misc"}, Kind{0x1cd1, "devpts"},
    Kind{0x6c6f6f70, "binder"},    Kind{0x9041934, "anon_inodefs"}, Kind{0x50495045, "pipefs"},
    Kind{0x534f434b, "sockfs"},    Kind{0x6e736673, "nsfs"},        Kind{0x50494446, "pidfs"},
    Kind{0x64646178, "dax"},       Kind{0x444d4142, "dma-buf"},     Kind{0x5345434d, "secretmem"},
    Kind{0xabba1974, "xenfs"},     Kind{0x9fa1, "openpromfs"},      Kind{0x9fa2, "usbdevfs"},
    Kind{0x62646576, "bdev"},

    Kind{0x62656570, "configfs"},  Kind{0x65735543, "fusectl"},     Kind{0x19800202, "mqueue"},
    Kind{0x6e667364, "nfsd"},      Kind{0x67596969, "rpc_pipefs"},  Kind{0x5a3c69f0, "apparmorfs"},
    Kind{0xa647361, "functionfs"}, Kind{0xaee71ee7, "gadgetfs"},    Kind{0x687970, "s390_hypfs"},
    Kind{0x23c9b64e, "spufs"},     Kind{0x76a9f425, "ocfs2_dlmfs"},
};

}  // namespace

std::optional<std::string_view> pseudo_file_system(int fd) {
    const auto magic = platform::file_system(fd);
    // What cannot be identified does not count as a file.
    if (!magic) return "an unknown file system";
    const auto found = std::ranges::find(kinds, *magic, &Kind::magic);
    return found == kinds.end() ? std::nullopt : std::optional(found->name);
}

}  // namespace perfdata
