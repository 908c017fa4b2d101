// SPDX-License-Identifier: MIT
#include "bundle_members.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "perfdata/symbols/bundle/bundle_packer.hpp"

#include "recording/look_out.hpp"
#include "symbols/elf/find/libarchive.hpp"
#include "symbols/elf/find/tar_reader.hpp"

namespace perfdata {
namespace {

// LeftOutMembers counts members that are not taken, and remembers the first.
struct LeftOutMembers {
    ErrorCode code;
    const char* of_one;  // "is a link"
    const char* of_more;
    std::uint64_t count = 0;
    std::string first{};

    void add(std::string_view name) {
        if (count++ == 0) first = name.substr(0, longest_bundled_name);
    }
    void tell(const std::string& path, std::vector<Error>& problems) const {
        if (count == 0) return;
        problems.push_back({code, Error::no_offset, path,
                            std::to_string(count) + (count == 1 ? " member " : " members ") +
                                (count == 1 ? of_one : of_more) + ", the first is \"" + first + "\""});
    }
};

std::string_view given_text(const char* text) {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

// Returns the name without "./" before it, as `tar -c .` writes it.
std::string_view without_dots(std::string_view name) {
    while (name.starts_with("./")) name.remove_prefix(2);
    return name;
}

constexpr std::uint64_t most_padding = std::uint64_t{64} << 20;

// Returns how many bytes are behind the end of a tar-ball, from the first that is no zero on: tar pads with zeros.
// Behind most_padding of them all bytes count, whatever they are.
std::uint64_t bytes_behind(const Source& tar, std::uint64_t end, LookOut& look) {
    std::array<std::byte, 4096> block{};
    const auto padded = end + std::min(tar.size() - std::min(tar.size(), end), most_padding);
    for (auto at = end; at < padded;) {
        look();
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), padded - at));
        const auto got = tar.read_at(at, std::span(block).first(wanted));
        if (!got || *got == 0) return tar.size() - at;
        const auto bytes = Bytes(block).first(*got);
        const auto other = std::ranges::find_if(bytes, [](std::byte byte) { return byte != std::byte{0}; });
        at += static_cast<std::uint64_t>(other - bytes.begin());
        if (other != bytes.end()) return tar.size() - at;
    }
    return tar.size() - std::min(tar.size(), padded);
}

}  // namespace

Result<void> find_members(const Source& tar, std::uint64_t packed_size, const std::string& path, const Limits& limits,
                          LookOut& look, FoundMembers& found) {
    if (!found.library) {
        auto loaded = Libarchive::load(path, "is a bundle, and what unpacks it");
        if (!loaded) return fail(std::move(loaded.error()));
        found.library = std::make_shared<const Libarchive>(std::move(*loaded));
    }
    const auto& library = found.library;
    const auto reader = std::make_unique<ArchiveReader>(*library, tar, ArchiveReader::Kind::heads);
    found.unreadable_at.reset();
    const auto damaged = [&](ErrorCode code, std::string why) {
        found.problems.push_back({code, Error::no_offset, path, std::move(why)});
    };
    if (!reader->open()) return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
    LeftOutMembers links{ErrorCode::unsupported, "is a link, which is not followed",
                         "are links, which are not followed"};
    LeftOutMembers elsewhere{ErrorCode::malformed, "has a name that leads elsewhere", "have names that lead elsewhere"};
    LeftOutMembers special{ErrorCode::unsupported, "is no regular file", "are no regular files"};
    LeftOutMembers holes{ErrorCode::unsupported, "has holes", "have holes"};
    LeftOutMembers longer{ErrorCode::limit, "has too long a name", "have too long names"};
    constexpr std::uint64_t headers_a_file = 4, usual_names = 512, some_names = std::uint64_t{1} << 20,
                            names_a_byte = 256;
    const auto most_names =
        std::min<std::uint64_t>(limits.archived_files * usual_names, some_names + names_a_byte * packed_size);
    const auto before = found.headers;
    // Attributes may claim any size: content ends where the next header begins.
    bool open_end = false;
    std::uint64_t content_at = 0;  // of the last header
    const auto end_content = [&](std::uint64_t end) {
        if (!std::exchange(open_end, false)) return;
        // If the tar-ball breaks off in it, there is no end.
        auto& last = found.members.back();
        if (end >= last.at) last.size = std::min(last.size, end - last.at);
    };
    bool limited = false;
    const auto end_at_limit = [&](std::string why) {
        damaged(ErrorCode::limit, std::move(why));
        limited = true;
    };
    while (auto* header = limited ? nullptr : reader->next()) {
        look.ask();
        end_content(reader->entry_at());
        content_at = reader->content_at();
        if (++found.headers > headers_a_file * limits.archived_files) {
            end_at_limit("has more than " + std::to_string(found.headers - 1) + " entries");
            continue;
        }
        auto given = given_text(library->entry_pathname(header));
        if (given.empty()) given = given_text(library->entry_pathname_utf8(header));
        const auto kind = library->entry_filetype(header);
        const auto name = without_dots(given);
        if (kind == AE_IFDIR) continue;
        if (!given_text(library->entry_hardlink(header)).empty() || kind == AE_IFLNK) {
            links.add(given);
        } else if (kind != AE_IFREG) {
            special.add(given);
        } else if (name.size() > longest_bundled_name) {
            longer.add(given);
        } else if (!is_bundled_name(name)) {
            elsewhere.add(given);
        } else if (library->entry_sparse_count(header) > 0) {
            holes.add(given);
        } else if (found.members.size() >= limits.archived_files) {
            end_at_limit("has more than " + std::to_string(limits.archived_files) + " files");
        } else if (name.size() > most_names - found.names) {
            end_at_limit("has names of more than " + std::to_string(usual_names) + " bytes on average");
        } else {
            found.names += name.size();
            const auto at = std::min(reader->content_at(), tar.size());
            const auto claimed = static_cast<std::uint64_t>(std::max<la_int64_t>(library->entry_size(header), 0));
            found.members.push_back({std::string(name), at, std::min(claimed, tar.size() - at), claimed});
            open_end = true;
        }
    }
    end_content(reader->entry_at());
    if (const auto more = limited || reader->failed() ? 0 : bytes_behind(tar, reader->entry_at(), look); more != 0) {
        const bool looked_at = tar.size() - more < reader->entry_at() + most_padding;
        damaged(ErrorCode::malformed,
                std::to_string(more) + (more == 1 ? " byte" : " bytes") + " behind its end" +
                    (looked_at ? "" : ", and behind " + std::to_string(most_padding >> 20) + " MiB of zeros,") +
                    (more == 1 ? " is" : " are") + " not read" + (looked_at ? ": another tar-ball, or damage" : ""));
    }
    for (const auto* left_out : {&links, &elsewhere, &special, &holes, &longer}) left_out->tell(path, found.problems);
    found.damaged_headers += reader->damaged_headers();
    const auto& error = reader->error();
    if (error && error->code == ErrorCode::out_of_memory) throw std::bad_alloc();
    if (reader->failed()) {
        // Without an error it is a header that is none, or a member that breaks off: nothing is behind that.
        if (error) found.unreadable_at = reader->offset();
        if (!error && reader->entry_at() >= content_at) found.unreadable_at = reader->entry_at();
        if (error && !found.unreadable) found.unreadable = *error;
        if (found.headers == before && !error) {
            return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
        }
        if (found.breaks++ == 0 && error) found.problems.push_back(*error);
        if (found.breaks == 1 && !error) damaged(ErrorCode::malformed, "cannot be read any further: " + reader->why());
    }
    return {};
}

}  // namespace perfdata
