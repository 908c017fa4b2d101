// SPDX-License-Identifier: MIT
// Formats listings on several threads, and hands them out in order:
//
//     listings | block | block | block | block |  one round: some blocks a thread, about as long as each other
//                  |       |       |       |
//                text    text    text    text     formatted in any order, taken in theirs
//
// What is not formatted ahead, since it is long, since the texts take much memory, or since there is none left, is
// formatted when its turn comes, as on one thread.
#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "perfdata/annotate/page/page.hpp"
#include "perfdata/core/parallel.hpp"

namespace perfdata {
namespace {

constexpr std::size_t rows_of_block = 2048, together = 8;  // rows at least, and blocks of a thread
constexpr std::size_t most_rows_held = 8192;               // of a listing
constexpr std::size_t most_held = std::size_t{32} << 20;   // bytes of texts, and a block of each thread above that

struct Block {
    std::size_t begin = 0, end = 0;  // listings
    bool ahead = true;               // it is formatted ahead
    std::string text = {};
};

std::size_t rows_of(const Listing& listing) {
    return 1 + listing.instructions.size() + listing.lines.size();
}

// Returns the block that begins there.
Block next_block(std::span<const Listing* const> listings, std::size_t begin) {
    Block block{begin, begin};
    for (std::size_t rows = 0; block.end < listings.size() && rows < rows_of_block; ++block.end) {
        const auto more = rows_of(*listings[block.end]);
        if (more > most_rows_held) {
            if (rows != 0) break;
            return {begin, begin + 1, false};
        }
        rows += more;
    }
    return block;
}

}  // namespace

void write_text_listings(const PageContext& page, std::span<const Listing* const> listings, const TextOptions& options,
                         unsigned jobs, const Sink& sink) {
    const auto write = [&](const Block& block, const Sink& to) {
        for (auto at = block.begin; at < block.end; ++at) write_text_listing(page, *listings[at], options, to);
    };
    if (jobs < 2) return write({0, listings.size()}, sink);
    std::vector<Block> blocks;
    for (std::size_t begin = 0; begin < listings.size();) {
        blocks.clear();
        while (blocks.size() < jobs * together && begin < listings.size()) {
            blocks.push_back(next_block(listings, begin));
            begin = blocks.back().end;
        }
        std::atomic<std::size_t> next = 0, held = 0;
        on_threads(std::min<std::size_t>(jobs, blocks.size()), [&] {
            for (auto at = next++; at < blocks.size(); at = next++) {
                auto& block = blocks[at];
                block.ahead = block.ahead && held < most_held;
                if (!block.ahead) continue;
                try {
                    write(block, [&](std::string_view text) { block.text += text; });
                    held += block.text.size();
                } catch (const std::bad_alloc&) {
                    block.ahead = false;
                    block.text = {};
                }
            }
        });
        for (auto& block : blocks) {
            if (block.ahead) {
                sink(block.text);
            } else {
                write(block, sink);
            }
            block.text = {};
        }
    }
}

}  // namespace perfdata
