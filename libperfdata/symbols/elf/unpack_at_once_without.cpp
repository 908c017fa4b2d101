// SPDX-License-Identifier: MIT
// For builds without libdeflate.
#include "unpack_at_once.hpp"

namespace perfdata {

std::optional<std::size_t> unpack_zlib_at_once(Bytes, std::span<char>) {
    return {};
}

}  // namespace perfdata
