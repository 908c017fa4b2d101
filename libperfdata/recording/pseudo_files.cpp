// SPDX-License-Identifier: MIT
#include "pseudo_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/platform.hpp"

namespace perfdata {
namespace {

struct PseudoKind {
    std::uint32_t magic;
    std::string_view name;
};

// The magic numbers of linux/magic.h and, after the first blank line, of file systems that define their own. Not
// included: memory (tmpfs, ramfs, devtmpfs, hugetlbfs), whose regular files are files; networks and FUSE, which may be
// slow but hold programs; autofs, on which these are mounted.
constexpr std::array kinds{
    PseudoKind{0x9fa0, "proc"},          PseudoKind{0x62656572, "sysfs"},       PseudoKind{0x74726163, "tracefs"},
    PseudoKind{0x64626720, "debugfs"},   PseudoKind{0xcafe4a11, "bpf"},         PseudoKind{0x73636673, "securityfs"},
    PseudoKind{0xf97cff8c, "selinuxfs"}, PseudoKind{0x43415d53, "smackfs"},     PseudoKind{0x27e0eb, "cgroup"},
    PseudoKind{0x63677270, "cgroup2"},   PseudoKind{0x7655821, "resctrl"},      PseudoKind{0x6165676c, "pstore"},
    PseudoKind{0xde5e81e4, "efivarfs"},  PseudoKind{0x42494e4d, "binfmt_misc"}, PseudoKind{0x1cd1, "devpts"},
    PseudoKind{0x6c6f6f70, "binder"},    PseudoKind{0x9041934, "anon_inodefs"}, PseudoKind{0x50495045, "pipefs"},
    PseudoKind{0x534f434b, "sockfs"},    PseudoKind{0x6e736673, "nsfs"},        PseudoKind{0x50494446, "pidfs"},
    PseudoKind{0x64646178, "dax"},       PseudoKind{0x444d4142, "dma-buf"},     PseudoKind{0x5345434d, "secretmem"},
    PseudoKind{0xabba1974, "xenfs"},     PseudoKind{0x9fa1, "openpromfs"},      PseudoKind{0x9fa2, "usbdevfs"},
    PseudoKind{0x62646576, "bdev"},

    PseudoKind{0x62656570, "configfs"},  PseudoKind{0x65735543, "fusectl"},     PseudoKind{0x19800202, "mqueue"},
    PseudoKind{0x6e667364, "nfsd"},      PseudoKind{0x67596969, "rpc_pipefs"},  PseudoKind{0x5a3c69f0, "apparmorfs"},
    PseudoKind{0xa647361, "functionfs"}, PseudoKind{0xaee71ee7, "gadgetfs"},    PseudoKind{0x687970, "s390_hypfs"},
    PseudoKind{0x23c9b64e, "spufs"},     PseudoKind{0x76a9f425, "ocfs2_dlmfs"},
};

}  // namespace

std::optional<std::string_view> pseudo_file_system(int fd) {
    const auto magic = platform::file_system(fd);
    // What cannot be identified does not count as a file.
    if (!magic) return "an unknown file system";
    const auto found = std::ranges::find(kinds, *magic, &PseudoKind::magic);
    return found == kinds.end() ? std::nullopt : std::optional(found->name);
}

}  // namespace perfdata
