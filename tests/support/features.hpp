// SPDX-License-Identifier: MIT
// Writes payloads of header features like perf.
#pragma once

#include <string>

#include "perfdata/wire/attr.hpp"

#include "support/writer.hpp"

namespace perfdata::test {

// feature_string(...): u32 length, the text, NULs up to a multiple of 64.
Blob feature_string(std::endian order, std::string_view text);
// feature_strings(...): u32 count, then that many strings.
Blob feature_strings(std::endian order, const std::vector<std::string>& texts);

struct DescribedEvent {
    Attr attr;
    std::string name;
    std::vector<std::uint64_t> ids;
};
// event_desc(...): the payload of EVENT_DESC; every attr takes attr_size bytes.
Blob event_desc(std::endian order, const std::vector<DescribedEvent>& events, std::uint32_t attr_size = 128);

struct Btf {
    std::uint32_t id = 0;
    Blob data;
};
Blob bpf_btf(std::endian order, const std::vector<Btf>& blobs);

}  // namespace perfdata::test
