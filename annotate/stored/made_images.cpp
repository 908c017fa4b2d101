// SPDX-License-Identifier: MIT
#include "made_images.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/core/parallel.hpp"

#include "listing/listing_targets.hpp"

namespace perfdata {
namespace {

constexpr std::size_t images_at_once = 64;
constexpr std::uint64_t code_at_once = std::uint64_t{16} << 20;  // bytes
constexpr std::size_t longest_targets = std::size_t{4} << 20;    // bytes of all names of one image

// each_piece(image, take) calls take(offset, bytes) for the parts of an image that are known, as listings decode them.
template <class Take>
void each_piece(const CodeImage& image, Take&& take) {
    const Bytes bytes(image.bytes);
    std::uint64_t begin = 0;
    const auto piece = [&](std::uint64_t end) {
        if (end <= begin) return;
        take(begin, bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    };
    for (const auto& gap : image.gaps) {
        piece(gap.offset);
        begin = gap.offset + gap.size;
    }
    piece(bytes.size());
}

// TargetNames is what a listing says of addresses outside of its function, by address and whether it is of a constant.
using TargetNames = std::map<std::pair<std::uint64_t, bool>, ListingTarget>;

// Sets `cut` if they are too long.
TargetNames target_names(const Symbolizer& symbolizer, const Disassembler& disassembler, const CodeVersion& version,
                         const CodeImage& image, std::size_t most_instructions, bool& cut) {
    TargetNames names;
    std::size_t left = longest_targets;
    FunctionHits hits;
    hits.version = version;
    auto listing = summary_listing(hits, symbolizer);
    if (!version.address) listing.range.begin = image.address;
    listing.image = std::shared_ptr<const CodeImage>(std::shared_ptr<void>(), &image);  // it outlives the listing
    const ListingTargets targets(listing, symbolizer);
    const auto add = [&](Address address, bool constant, auto&& find) {
        const auto [entry, is_new] = names.try_emplace({address.value, constant});
        if (!is_new) return;
        entry->second = find();
        auto& name = entry->second.name;
        if (entry->second.same_function) name = {};  // needs none
        if (name.size() > left) {
            cut = true;
            name = {};
        }
        left -= name.size();
    };
    each_piece(image, [&](std::uint64_t offset, Bytes bytes) {
        const auto instructions = disassembler.decode(bytes, image.address + offset, most_instructions);
        most_instructions -= std::min(most_instructions, instructions.size());
        for (const auto& one : instructions) {
            if (one.target) add(*one.target, false, [&] { return targets.resolve(*one.target); });
            if (one.constant) {
                add(*one.constant, true, [&] {
                    return targets.function_at(*one.constant).value_or(ListingTarget{*one.constant, {}, 0, false});
                });
            }
        }
    });
    std::erase_if(names, [](const auto& entry) { return entry.second.name.empty(); });
    return names;
}

}  // namespace

std::size_t MadeImages::batch(std::span<const WantedImage> wanted) const {
    constexpr std::uint64_t unknown_size = 4096;
    const auto most = making_.recording.limits().function_bytes;
    std::uint64_t claimed = 0;
    std::size_t count = 0;
    for (; count < wanted.size() && count < images_at_once && claimed < code_at_once; ++count) {
        const auto size = wanted[count].version.size;
        claimed += size == 0 ? unknown_size : std::min(size, most);
    }
    return count;
}

Result<void> MadeImages::add(std::span<WantedImage> wanted) {
    std::vector<Read> read;
    while (!wanted.empty() && code_left_ != 0) {
        const auto part = wanted.first(batch(wanted));
        read_all(part, read);
        if (making_.stopped()) return Making::cancelled();
        for (std::size_t at = 0; at < part.size(); ++at) add_row(part[at], std::move(read[at]));
        wanted = wanted.subspan(part.size());
    }
    for (const auto& one : wanted) add_without(one);
    return {};
}

void MadeImages::add_without(const WantedImage& wanted) {
    constexpr std::string_view why = "there is more code than there is room for: that of some functions is left out";
    making_.partial("code", why);
    stored::Version version;
    version.function = wanted.function;
    version.number = wanted.version.number;
    version.from = wanted.version.from.nanoseconds;
    version.until = wanted.version.until.nanoseconds;
    version.image.absent = true;
    version.image.problems.push_back(
        making_.problem({ErrorCode::limit, Error::no_offset, "code of the profile", std::string(why)}, true));
    making_.model.versions.push_back(std::move(version));
}

void MadeImages::read_all(std::span<const WantedImage> wanted, std::vector<Read>& read) const {
    read.clear();
    read.resize(wanted.size());
    const auto& symbolizer = making_.symbolizer;
    const auto most = making_.recording.limits().listed_instructions;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        const auto disassembler = Disassembler::create(arch_);  // one thread at a time may use it
        for (auto at = next++; at < wanted.size() && !making_.stopped(); at = next++) {
            const auto& version = wanted[at].version;
            read[at].image = symbolizer.image(version);
            if (!read[at].image || !disassembler) continue;
            for (auto& [key, target] :
                 target_names(symbolizer, *disassembler, version, *read[at].image, most, read[at].cut)) {
                read[at].targets.push_back({key.first, target.offset, key.second, std::move(target.name)});
            }
        }
    };
    on_threads(std::clamp<std::size_t>(making_.options.jobs, 1, wanted.size()), work);
}

void MadeImages::add_row(WantedImage& wanted, Read&& read) {
    stored::Version version;
    version.function = wanted.function;
    version.number = wanted.version.number;
    version.from = wanted.version.from.nanoseconds;
    version.until = wanted.version.until.nanoseconds;
    if (read.image) {
        wanted.size = read.image->bytes.size();
        if (wanted.size > code_left_) {
            code_left_ = 0;
            return add_without(wanted);
        }
        code_left_ -= wanted.size;
        version.image = row(std::move(*read.image));
        if (read.cut || read.targets.size() > targets_left_) {
            making_.partial("code", "there are more names of called code than there is room for: some are left out");
            read.targets.resize(std::min(read.targets.size(), targets_left_));
        }
        targets_left_ -= read.targets.size();
        for (const auto& target : read.targets) {
            version.image.targets.push_back(
                {target.address, target.constant, making_.text(target.name), target.offset});
        }
    } else {
        version.image.absent = true;
        version.image.problems.push_back(making_.problem(read.image.error()));
    }
    making_.model.versions.push_back(std::move(version));
}

stored::Image MadeImages::row(CodeImage&& image) {
    stored::Image row;
    row.bytes = copied(image.bytes);
    row.address = image.address.value;
    for (const auto& gap : image.gaps) row.gaps.push_back({gap.offset, gap.size});
    row.origin = making_.text(image.origin);
    for (const auto& change : image.changes) {
        row.changes.push_back({change.offset, change.time.nanoseconds, copied(change.before), copied(change.after)});
    }
    for (const auto& one : image.relocations) {
        row.relocations.push_back(
            {one.offset, making_.text(one.symbol), static_cast<std::uint64_t>(one.addend), one.base});
    }
    row.problems = making_.problems(image.problems);
    return row;
}

}  // namespace perfdata
