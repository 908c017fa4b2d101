// SPDX-License-Identifier: MIT
#include "out_of_line_source.hpp"

#include <string>

#include "patched_image.hpp"

namespace perfdata {

Result<CodeImage> OutOfLineSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0) return no_extent(version);
    const bool always = always_there(version.function);
    auto result = patched_image(context_.versions(), version, size, always ? size : 0,
                                [&](PatchedCode& code, CodeImage& image) -> Result<void> {
                                    if (!always) return {};
                                    const auto read = kernel_.read_kcore(image.address, code, image);
                                    return read ? Result<void>() : fail(read.error());
                                });
    if (result && result->bytes.empty()) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(code_of(version.function).symbol),
                    "the recording holds no code of it; record with perf record --kcore, or with an event that has "
                    "text pokes, before it is made");
    }
    return result;
}

CodePlace OutOfLineSource::place(const CodeVersion& version) const {
    const auto address = version.address.value_or(Address{});
    if (always_there(version.function)) {
        if (const auto copied = kernel_.kcore_place(address, version.size)) return *copied;
    }
    return {{CodeOrigin::Kind::out_of_line, version.function.index}, address.value};
}

bool OutOfLineSource::always_there(const Frame& function) const {
    const auto& what = code_of(function);
    return what.from == Time{} && what.until == Time::forever();
}

}  // namespace perfdata
