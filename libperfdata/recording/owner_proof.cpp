// SPDX-License-Identifier: MIT
#include "owner_proof.hpp"

#include <algorithm>
#include <array>

namespace perfdata {
namespace {

// Magic numbers of statfs(2). Owners there are what a program of a user, or another machine, says.
constexpr std::array told_by_others{
    0x65735546u,  // FUSE, also virtiofs
    0x6969u,      // NFS
    0x517bu,      // SMB
    0xff534d42u,  // CIFS
    0xfe534d42u,  // SMB 2 and 3
    0x01021997u,  // 9P
    0x5346414fu,  // AFS of OpenAFS
    0x6b414653u,  // AFS of the kernel
    0x00c36400u,  // Ceph
    0x73757245u,  // Coda
    0x564cu,      // NCP
    0x786f4256u,  // vboxsf
    0xbacbacbcu,  // vmhgfs
    0x0bd00bd0u,  // Lustre
    0x47504653u,  // GPFS
    0x20030528u,  // OrangeFS
    0x19830326u,  // BeeGFS
};

}  // namespace

bool owners_are_proven(int fd) {
    const auto nosuid = platform::is_nosuid(fd);
    const auto magic = platform::file_system(fd);
    return nosuid && magic && !*nosuid && std::ranges::find(told_by_others, *magic) == told_by_others.end();
}

bool others_may_write(const platform::FileStatus& status) {
    constexpr std::uint32_t group_writes = 020, others_write = 02;
    if ((status.permissions & others_write) != 0) return true;
    const bool own_group = status.group == status.owner || status.group == 0 || status.group == platform::user_id();
    return (status.permissions & group_writes) != 0 && !own_group;
}

}  // namespace perfdata
