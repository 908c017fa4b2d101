// SPDX-License-Identifier: MIT
// Packing for a library built without libarchive: packs nothing.
#include "perfdata/symbols/bundle/bundle_packer.hpp"

namespace perfdata {

Result<void> pack_members(std::span<const PackedMember>, const Callback<void(Bytes)>&, const Watch&) {
    return fail(ErrorCode::unsupported, Error::no_offset, "the bundle",
                "cannot be written: this perfdata was built without libarchive; install libarchive-dev and build it "
                "with -DPERFDATA_ARCHIVES=ON");
}

}  // namespace perfdata
