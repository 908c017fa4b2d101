// SPDX-License-Identifier: MIT
#include "bundle_members.hpp"

#include <algorithm>
#include <memory>
#include <new>
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
    const char* why;
    std::uint64_t count = 0;
    std::string first{};

    void add(std::string_view name) {
        if (count++ == 0) first = name.substr(0, longest_bundled_name);
    }
    void tell(const std::string& path, std::vector<Error>& problems) const {
        if (count == 0) return;
        problems.push_back({code, Error::no_offset, path,
                            std::to_string(count) + (count == 1 ? " member " : " members ") + why +
                                ", the first is \"" + first + "\""});
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

}  // namespace

Result<void> find_members(const Source& tar, std::uint64_t packed_size, const std::string& path, const Limits& limits,
                          LookOut& look, FoundMembers& found) {
    const auto library = Libarchive::load(path, "is a bundle, and what unpacks it");
    if (!library) return fail(library.error());
    const auto reader = std::make_unique<ArchiveReader>(*library, tar, ArchiveReader::Kind::heads);
    found.unreadable_at.reset();
    const auto damaged = [&](ErrorCode code, std::string why) {
        found.problems.push_back({code, Error::no_offset, path, std::move(why)});
    };
    if (!reader->open()) return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
    LeftOutMembers links{ErrorCode::unsupported, "are links, which are not followed"};
    LeftOutMembers elsewhere{ErrorCode::malformed, "have names that lead elsewhere"};
    LeftOutMembers special{ErrorCode::unsupported, "are no regular files"};
    LeftOutMembers holes{ErrorCode::unsupported, "have holes"};
    constexpr std::uint64_t headers_a_file = 4, usual_names = 512, some_names = std::uint64_t{1} << 20,
                            names_a_byte = 256;
    const auto most_names =
        std::min<std::uint64_t>(limits.archived_files * usual_names, some_names + names_a_byte * packed_size);
    const auto before = found.headers;
    while (auto* header = reader->next()) {
        look.ask();
        if (++found.headers > headers_a_file * limits.archived_files) {
            damaged(ErrorCode::limit, "has more than " + std::to_string(found.headers - 1) + " entries");
            break;
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
        } else if (!is_bundled_name(name)) {
            elsewhere.add(given);
        } else if (library->entry_sparse_count(header) > 0) {
            holes.add(given);
        } else if (found.members.size() >= limits.archived_files) {
            damaged(ErrorCode::limit, "has more than " + std::to_string(limits.archived_files) + " files");
            break;
        } else if (name.size() > most_names - found.names) {
            damaged(ErrorCode::limit, "has names of more than " + std::to_string(usual_names) + " bytes on average");
            break;
        } else {
            found.names += name.size();
            const auto at = std::min(reader->content_at(), tar.size());
            const auto claimed = static_cast<std::uint64_t>(std::max<la_int64_t>(library->entry_size(header), 0));
            found.members.push_back({std::string(name), at, std::min(claimed, tar.size() - at), claimed});
        }
    }
    for (const auto* left_out : {&links, &elsewhere, &special, &holes}) left_out->tell(path, found.problems);
    const auto& error = reader->error();
    if (error && error->code == ErrorCode::out_of_memory) throw std::bad_alloc();
    if (reader->failed()) {
        if (error) found.unreadable_at = reader->offset();
        if (error && !found.unreadable) found.unreadable = *error;
        if (found.headers == before && !error) {
            return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
        }
        damaged(error ? error->code : ErrorCode::malformed, "cannot be read any further: " + reader->why());
    }
    return {};
}

}  // namespace perfdata
