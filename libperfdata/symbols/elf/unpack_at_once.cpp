// SPDX-License-Identifier: MIT
#include "unpack_at_once.hpp"

#include <libdeflate.h>
#include <memory>

namespace perfdata {
namespace {

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* unused) const { libdeflate_free_decompressor(unused); }
};

}  // namespace

std::optional<std::size_t> unpack_zlib_at_once(Bytes packed, std::span<char> out) {
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
    if (decompressor == nullptr) return {};
    std::size_t taken = 0, made = 0;
    const auto done = libdeflate_zlib_decompress_ex(decompressor.get(), packed.data(), packed.size(), out.data(),
                                                    out.size(), &taken, &made);
    return done == LIBDEFLATE_SUCCESS ? std::optional(made) : std::nullopt;
}

}  // namespace perfdata
