// SPDX-License-Identifier: MIT
#include "owner_proof.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace perfdata {
namespace {

// Magic numbers of statfs(2).
constexpr std::uint32_t fuse = 0x65735546;  // also virtiofs
constexpr std::uint32_t tmpfs = 0x01021994;
// Owners there are what another machine says.
constexpr std::array on_network{
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

// Returns true for a file in the file system of this user's home: who could write owners there would own all of it.
bool is_as_home(int fd) {
    const char* const home = std::getenv("HOME");
    const auto directory = home == nullptr ? std::unexpected(0) : platform::status(home);
    const auto file = platform::status(fd);
    return directory && file && directory->owner == platform::user_id() && directory->device == file->device;
}

}  // namespace

std::optional<Mount> mount_of(int fd) {
    std::ifstream about("/proc/self/fdinfo/" + std::to_string(fd)), mounts("/proc/self/mountinfo");
    std::string line, number;
    constexpr std::string_view key = "mnt_id:";
    while (number.empty() && std::getline(about, line)) {
        if (line.starts_with(key)) std::istringstream(line.substr(key.size())) >> number;
    }
    while (!number.empty() && std::getline(mounts, line)) {
        // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - fuse.x source rw,user_id=1000,allow_other
        std::istringstream words(line);
        std::string id, parent, options, type;
        Mount mount;
        char colon = 0;
        if (!(words >> id >> parent >> mount.device.major >> colon >> mount.device.minor) || id != number) continue;
        while (words >> options && options != "-") {
        }
        words >> type >> options >> options;
        options = "," + options + ",";
        constexpr std::string_view user = ",user_id=";
        if (const auto at = options.find(user); at != std::string::npos && type.starts_with("fuse")) {
            mount.user = static_cast<std::uint32_t>(std::strtoul(options.c_str() + at + user.size(), nullptr, 10));
            mount.for_all = options.contains(",allow_other,");
        }
        return mount;
    }
    return {};
}

bool owners_are_proven(int fd) {
    const auto magic = platform::file_system(fd);
    if (!magic) return false;
    if (*magic == tmpfs) return true;  // nobody brings one
    if (*magic == fuse) {
        if (platform::reads_all()) return false;
        const auto mount = mount_of(fd);
        return mount && (!mount->user || *mount->user == 0 || *mount->user == platform::user_id());
    }
    if (std::ranges::find(on_network, *magic) != on_network.end()) return !platform::reads_all();
    const auto nosuid = platform::is_nosuid(fd);
    return nosuid && (!*nosuid || (!platform::reads_all() && is_as_home(fd)));
}

bool others_may_write(const platform::FileStatus& status, int fd) {
    constexpr std::uint32_t group_writes = 020, others_write = 02;
    if ((status.permissions & others_write) != 0) return true;
    if ((status.permissions & group_writes) == 0) return false;  // nor does an access list let anybody, then
    const bool own_group = status.group == status.owner || status.group == 0 || status.group == platform::user_id();
    return !own_group || platform::has_access_list(fd);
}

bool everybody_reads(const platform::FileStatus& status, int fd) {
    constexpr std::uint32_t group_and_others = 044;
    return (status.permissions & group_and_others) == group_and_others && !platform::has_access_list(fd);
}

bool everybody_passes(const platform::FileStatus& status, int fd) {
    constexpr std::uint32_t group_and_others = 011;
    return (status.permissions & group_and_others) == group_and_others && !platform::has_access_list(fd);
}

bool everybody_looks_into(int fd) {
    const auto magic = platform::file_system(fd);
    if (!magic || *magic != fuse) return magic.has_value();
    const auto mount = mount_of(fd);
    return mount && mount->for_all;
}

}  // namespace perfdata
