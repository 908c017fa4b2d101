// SPDX-License-Identifier: MIT
// Members of bundles for a library built without libarchive: finds none.
#include "bundle_members.hpp"

namespace perfdata {

Result<void> find_members(const Source&, std::uint64_t, const std::string& path, const Limits&, LookOut&,
                          FoundMembers&) {
    return fail(ErrorCode::unsupported, Error::no_offset, path,
                "is a bundle, and this perfdata was built without libarchive: unpack it with tar and give what is in "
                "it, or install libarchive-dev and build perfdata with -DPERFDATA_ARCHIVES=ON");
}

}  // namespace perfdata
