// SPDX-License-Identifier: MIT
#include "support/features.hpp"

#include "support/attr.hpp"

namespace perfdata::test {

Blob feature_string(std::endian order, std::string_view text) {
    const auto size = (text.size() + 64) / 64 * 64;
    return Writer(order).u32(static_cast<std::uint32_t>(size)).text(text).zeros(size - text.size()).take();
}

Blob feature_strings(std::endian order, const std::vector<std::string>& texts) {
    Writer out(order);
    out.u32(static_cast<std::uint32_t>(texts.size()));
    for (const auto& text : texts) out.bytes(feature_string(order, text));
    return out.take();
}

Blob event_desc(std::endian order, const std::vector<DescribedEvent>& events, std::uint32_t attr_size) {
    Writer out(order);
    out.u32(static_cast<std::uint32_t>(events.size())).u32(attr_size);
    for (const auto& event : events) {
        write_attr(out, event.attr, attr_size);
        out.u32(static_cast<std::uint32_t>(event.ids.size())).bytes(feature_string(order, event.name));
        for (const auto id : event.ids) out.u64(id);
    }
    return out.take();
}

Blob bpf_btf(std::endian order, const std::vector<Btf>& blobs) {
    Writer out(order);
    out.u32(static_cast<std::uint32_t>(blobs.size()));
    for (const auto& blob : blobs) {
        out.u32(blob.id).u32(static_cast<std::uint32_t>(blob.data.size())).bytes(blob.data);
    }
    return out.take();
}

}  // namespace perfdata::test
