// SPDX-License-Identifier: MIT
#include "out_of_line_source.hpp"

#include <string>

#include "patched_image.hpp"

namespace perfdata {

Result<CodeImage> OutOfLineSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0) return no_extent(version);
    const auto& what = code_of(version.function);
    const bool always = what.from == Time{} && what.until == Time::forever();
    auto result = patched_image(context_.versions(), version, size, always ? size : 0,
                                [&](PatchedCode& code, CodeImage& image) -> Result<void> {
                                    if (!always) return {};
                                    const auto read = kernel_.read_kcore(image.address, code, image);
                                    return read ? Result<void>() : fail(read.error());
                                });
    if (result && result->bytes.empty()) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(what.symbol),
                    "the recording holds no code of it; record with perf record --kcore, or with an event that has "
                    "text pokes, before it is made");
    }
    return result;
}

}  // namespace perfdata
