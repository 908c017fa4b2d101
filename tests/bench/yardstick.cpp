// SPDX-License-Identifier: MIT
#include "yardstick.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace perfdata::bench {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;
constexpr std::uint32_t sample_type = 9, compressed_type = 81, compressed2_type = 83;

template <class T>
T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

class File {
  public:
    explicit File(const Plan& plan) : descriptor_(::open(plan.path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) throw std::runtime_error("cannot open " + plan.path);
        ::lseek(descriptor_, static_cast<off_t>(plan.begin), SEEK_SET);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { ::close(descriptor_); }

    std::size_t read(char* to, std::size_t bytes) const {
        const auto got = ::read(descriptor_, to, bytes);
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

  private:
    int descriptor_;
};

// walk() takes the complete records of a block and returns the start of the first partial one.
template <class Other>
const char* walk(const Plan& plan, const char* at, const char* end, Totals& totals, Other&& other) {
    while (end - at >= 8) {
        const auto size = load<std::uint16_t>(at + 6);
        if (size < 8 || end - at < size) break;
        ++totals.records;
        const auto type = load<std::uint32_t>(at);
        if (type == sample_type) {
            ++totals.samples;
            if (plan.ip != 0) totals.ips += load<std::uint64_t>(at + plan.ip);
            if (plan.tid != 0) totals.tids += load<std::uint32_t>(at + plan.tid + 4);
            if (plan.time != 0) totals.times += load<std::uint64_t>(at + plan.time);
            if (plan.period != 0) totals.periods += load<std::uint64_t>(at + plan.period);
            if (plan.chain != 0) {
                const auto* words = at + plan.chain;
                const auto count = load<std::uint64_t>(words);
                for (std::uint64_t word = 1; word <= count; ++word) {
                    totals.chain_words += load<std::uint64_t>(words + word * 8);
                }
            }
        } else {
            other(type, at, size);
        }
        at += size;
    }
    return at;
}

// blocks(...) passes the data section on in blocks; bytes that `take` leaves move to the front of the next.
template <class Take>
void blocks(const Plan& plan, Take&& take) {
    const File file(plan);
    std::vector<char> block(block_bytes);
    std::size_t kept = 0;
    for (auto left = plan.end - plan.begin; left != 0;) {
        const auto got = file.read(block.data() + kept, std::min<std::uint64_t>(left, block.size() - kept));
        if (got == 0) break;
        left -= got;
        const char* end = block.data() + kept + got;
        const char* rest = take(block.data(), end);
        kept = static_cast<std::size_t>(end - rest);
        std::memmove(block.data(), rest, kept);
    }
}

}  // namespace

Totals yardstick(const Plan& plan) {
    Totals totals;
    blocks(plan, [&](const char* begin, const char* end) {
        return walk(plan, begin, end, totals, [](std::uint32_t, const char*, std::size_t) {});
    });
    return totals;
}

Totals packed_yardstick(const Plan& plan) {
    Totals totals;
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    std::vector<char> unpacked(block_bytes);
    std::size_t kept = 0;
    const auto unpack = [&](const char* payload, std::size_t size) {
        ZSTD_inBuffer in{payload, size, 0};
        for (bool more = true; more;) {
            ZSTD_outBuffer out{unpacked.data(), unpacked.size(), kept};
            if (ZSTD_isError(ZSTD_decompressStream(context.get(), &out, &in)) != 0) {
                throw std::runtime_error("broken zstd stream in " + plan.path);
            }
            more = in.pos < in.size || out.pos == out.size;
            const char* end = unpacked.data() + out.pos;
            const char* rest = walk(plan, unpacked.data(), end, totals, [](std::uint32_t, const char*, std::size_t) {});
            kept = static_cast<std::size_t>(end - rest);
            std::memmove(unpacked.data(), rest, kept);
        }
    };
    blocks(plan, [&](const char* begin, const char* end) {
        return walk(plan, begin, end, totals, [&](std::uint32_t type, const char* record, std::size_t size) {
            if (type == compressed_type) unpack(record + 8, size - 8);
            if (type == compressed2_type) unpack(record + 16, load<std::uint64_t>(record + 8));
        });
    });
    return totals;
}

}  // namespace perfdata::bench
