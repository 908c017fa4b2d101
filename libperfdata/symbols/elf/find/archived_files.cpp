// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/find/archived_files.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "libarchive.hpp"
#include "recording/look_out.hpp"
#include "recording/slice.hpp"
#include "recording/spool.hpp"
#include "recording/unpack.hpp"
#include "tar_reader.hpp"

namespace perfdata {
namespace {

constexpr std::size_t longest_member = 4096;  // PATH_MAX of Linux
constexpr std::size_t most_links = 16;        // links followed per name
constexpr std::size_t usual_names = 512;      // largest mean of the bytes of a name and its link target

// Returns the name from the root of the tar-ball, without ".", ".." and double slashes; empty if it leads out of the
// tar-ball.
std::string inside_archive(std::string_view name) {
    std::string text;
    text.reserve(name.size());
    while (!name.empty()) {
        const auto part = name.substr(0, name.find('/'));
        name.remove_prefix(std::min(name.size(), part.size() + 1));
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            if (!text.empty()) text += '/';
            text += part;
            continue;
        }
        if (text.empty()) return {};
        const auto parent = text.rfind('/');
        text.resize(parent == std::string::npos ? 0 : parent);
    }
    return text;
}

std::string_view text_or_empty(const char* text) {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

std::string_view name_of(const Libarchive& library, archive_entry* entry) {
    const auto name = text_or_empty(library.entry_pathname(entry));
    return name.empty() ? text_or_empty(library.entry_pathname_utf8(entry)) : name;
}

// Returns the target of a link; empty if the entry is no link, leads out of the tar-ball or is too long.
std::string link_of(const Libarchive& library, archive_entry* entry, const std::string& name) {
    if (const auto target = text_or_empty(library.entry_hardlink(entry)); !target.empty()) {
        return target.size() > longest_member ? std::string() : inside_archive(target);
    }
    if (library.entry_filetype(entry) != AE_IFLNK) return {};
    const auto target = text_or_empty(library.entry_symlink(entry));
    if (target.empty() || target.starts_with('/') || target.size() > longest_member) return {};
    return inside_archive(name.substr(0, name.rfind('/') + 1).append(target));
}

// Returns the name with '\0' for each slash.
std::string with_breaks(std::string name) {
    std::ranges::replace(name, '/', '\0');
    return name;
}

// Returns true if the name is the directory or below it. Both have '\0' for slashes.
bool leads_to(std::string_view directory, std::string_view name) {
    return name.starts_with(directory) && (name.size() == directory.size() || name[directory.size()] == '\0');
}

}  // namespace

bool ArchivedFiles::available() {
    return true;
}

Result<std::shared_ptr<const ArchivedFiles>> ArchivedFiles::open(const std::string& path,
                                                                 Shared<const FileSystem> beneath, const Limits& limits,
                                                                 const Progress& progress) {
    return open(path, std::move(beneath), limits, Watch{{}, progress});
}

Result<std::shared_ptr<const ArchivedFiles>> ArchivedFiles::open(const std::string& path,
                                                                 Shared<const FileSystem> beneath, const Limits& limits,
                                                                 const Watch& watch) {
    auto packed = beneath->open_given_watched(path, limits, Content::archive, watch);
    if (!packed) return fail(std::move(packed.error()));
    const std::shared_ptr<ArchivedFiles> files(new ArchivedFiles(path, std::move(beneath)));
    try {
        LookOut look(watch, (*packed)->size());
        if (auto read = files->read(*packed, limits, look); !read) return fail(std::move(read.error()));
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, path, "asked to stop");
    }
    return files;
}

Result<void> ArchivedFiles::read(const std::shared_ptr<const Source>& packed, const Limits& limits, LookOut& look) {
    if (auto unpacked = unpack(packed, limits, look); !unpacked) return unpacked;
    if (auto damage = packed->damage(); damage && !damage_) damage_ = std::move(damage);
    // `perf archive --all` packs the recording and the tar-ball of symbols into another tar-ball.
    const auto inner =
        std::ranges::find_if(entries_, [](const auto& entry) { return entry.first.ends_with("perf.symbols.tar.bz2"); });
    if (inner != entries_.end()) {
        const auto symbols = std::make_shared<Slice>(content_, inner->second.offset, inner->second.size);
        entries_.clear();
        if (auto unpacked = unpack(symbols, limits, look); !unpacked) return unpacked;
    }
    find_root(look);
    find_links(look);
    return {};
}

// plain(packed) returns the tar-ball itself. It takes off one packing: what is packed again and again could unpack to
// any size on the way, and only the last size would count.
Result<std::shared_ptr<const Source>> ArchivedFiles::plain(std::shared_ptr<const Source> packed, const Limits& limits,
                                                           const LookOut& look) {
    const auto& progress = look.watch().progress;
    const std::string path = prefix_.substr(0, prefix_.size() - 1);
    const auto damaged = [&](Error error) {
        if (!damage_) damage_ = std::move(error);
    };
    std::array<std::byte, 8> head{};
    const auto got = packed->read_at(0, head);
    if (!got) return fail(got.error());
    const auto start = Bytes(head).first(*got);
    if (packing_of(start) != Packing::none) {
        auto source = unpacked(std::move(packed), path, limits, Content::any, look.watch());
        if (!source && source.error().code == ErrorCode::cancelled) throw Stopped();
        if (source && (*source)->damage()) damaged(*(*source)->damage());
        return source;
    }
    if (!as_text(start).starts_with("BZh")) return packed;
    const auto library = Libarchive::load(path);
    if (!library) return fail(library.error());
    auto spool = Spool::create(path, limits.unpacked_bytes);
    if (!spool) return fail(std::move(spool.error()));
    const auto reader = std::make_unique<ArchiveReader>(*library, *packed, ArchiveReader::Kind::bzip2);
    Bytes bytes;
    std::uint64_t offset = 0;
    if (reader->open() && reader->next() != nullptr) {
        while (reader->block(bytes, offset)) {
            if (auto put = spool->append(bytes); !put) {
                if (put.error().code != ErrorCode::limit) return fail(std::move(put.error()));
                damaged({ErrorCode::limit, Error::no_offset, path, std::move(put.error().detail)});
                break;
            }
            if (progress) progress(reader->offset(), packed->size());
            look.ask();
        }
    }
    if (spool->size() == 0)
        return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
    if (reader->failed()) {
        damaged({ErrorCode::malformed, Error::no_offset, path, "cannot be unpacked any further: " + reader->why()});
    }
    return std::move(*spool).finish();
}

Result<void> ArchivedFiles::unpack(const std::shared_ptr<const Source>& packed, const Limits& limits, LookOut& look) {
    const auto& progress = look.watch().progress;
    const std::string path = prefix_.substr(0, prefix_.size() - 1);
    const auto damaged = [&](ErrorCode code, std::string why) {
        if (!damage_) damage_ = Error{code, Error::no_offset, path, std::move(why)};
    };
    const auto tar = plain(packed, limits, look);
    if (!tar) return fail(tar.error());
    const auto library = Libarchive::load(path);
    if (!library) return fail(library.error());
    const bool tells_progress = progress && *tar == packed;
    auto spool = Spool::create(path, limits.unpacked_bytes);
    if (!spool) return fail(std::move(spool.error()));
    const auto reader = std::make_unique<ArchiveReader>(*library, **tar, ArchiveReader::Kind::tar);
    if (!reader->open()) return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
    bool any = false, room = true;
    // Names are not part of the content that limits count.
    constexpr std::uint64_t some_names = std::uint64_t{1} << 20, names_a_byte = 256;
    auto names_left =
        std::min<std::uint64_t>(limits.archived_files * usual_names, some_names + names_a_byte * packed->size());
    // Skipped content is unpacked too. The limit on content does not count headers, which are read in blocks.
    constexpr std::uint64_t headers_a_file = 4, bytes_a_header = 2048, one_block = std::uint64_t{1} << 16;
    std::uint64_t headers = 0;
    const auto next = [&] {
        reader->skip([&] { look.ask(); });
        return reader->next();
    };
    while (auto* header = room ? next() : nullptr) {
        any = true;
        look();
        if (++headers > headers_a_file * limits.archived_files) {
            damaged(ErrorCode::limit, "has more than " + std::to_string(headers - 1) + " entries");
            break;
        }
        const auto beside = one_block + headers * bytes_a_header;
        if (reader->unpacked() > beside && reader->unpacked() - beside > limits.unpacked_bytes) {
            damaged(ErrorCode::limit, "unpacks to more than " + std::to_string(limits.unpacked_bytes) + " bytes");
            break;
        }
        const auto given = name_of(*library, header);
        if (given.size() > longest_member) {
            damaged(ErrorCode::limit, "has names of more than " + std::to_string(longest_member) + " bytes");
            continue;
        }
        auto name = inside_archive(given);
        if (name.empty()) continue;
        Entry entry{spool->size(), 0, link_of(*library, header, name)};
        if (entry.link.empty() && library->entry_filetype(header) != AE_IFREG) continue;
        if (entries_.size() >= limits.archived_files) {
            damaged(ErrorCode::limit, "has more than " + std::to_string(limits.archived_files) + " files");
            break;
        }
        if (name.size() + entry.link.size() > names_left) {
            damaged(ErrorCode::limit, "has names of more than " + std::to_string(usual_names) + " bytes on average");
            break;
        }
        names_left -= name.size() + entry.link.size();
        Bytes bytes;
        std::uint64_t offset = 0;
        bool whole = true;
        while (entry.link.empty() && reader->block(bytes, offset)) {
            // A sparse file may claim any size.
            whole = offset == entry.size;
            if (!whole) break;
            if (auto put = spool->append(bytes); !put) {
                if (put.error().code != ErrorCode::limit) return put;
                damaged(ErrorCode::limit, std::move(put.error().detail));
                room = whole = false;
                break;
            }
            entry.size += bytes.size();
            if (tells_progress) progress(reader->offset(), packed->size());
            look.ask();
        }
        if (!whole && room) damaged(ErrorCode::unsupported, name + " has holes");
        if (whole && !reader->failed()) entries_.insert_or_assign(std::move(name), std::move(entry));
        if (reader->failed()) break;
    }
    if (reader->failed()) {
        if (!any) return fail(ErrorCode::malformed, Error::no_offset, path, "is no tar-ball: " + reader->why());
        damaged(ErrorCode::malformed, "cannot be unpacked any further: " + reader->why());
    }
    content_ = std::move(*spool).finish();
    return {};
}

void ArchivedFiles::find_root(LookOut& look) {
    constexpr std::string_view mark = ".build-id/";
    bool found = false;
    for (const auto& [name, entry] : entries_) {
        look();
        const auto at = name.find(mark);
        if (at == std::string::npos || (at != 0 && name[at - 1] != '/')) continue;
        if (!found) root_ = name.substr(0, at);
        if (found && !damage_ && std::string_view(name).substr(0, at) != root_) {
            damage_ = Error{ErrorCode::unsupported, Error::no_offset, prefix_.substr(0, prefix_.size() - 1),
                            "has several caches; only \"" + root_ + ".build-id\" is looked at"};
        }
        found = true;
    }
    if (!found && !damage_) {
        damage_ = Error{ErrorCode::missing, Error::no_offset, prefix_.substr(0, prefix_.size() - 1),
                        "has no .build-id directory, so it is no packed build-id cache"};
    }
}

void ArchivedFiles::find_links(LookOut& look) {
    for (const auto& [name, entry] : entries_) {
        look();
        if (!entry.link.empty()) links_.emplace_back(with_breaks(name), with_breaks(entry.link));
    }
    std::ranges::sort(links_, [&](const Link& one, const Link& other) {
        look();
        return one < other;
    });
    std::size_t kept = 0;
    for (auto& link : links_) {
        if (kept != 0 && leads_to(links_[kept - 1].first, link.first)) continue;
        if (&links_[kept] != &link) links_[kept] = std::move(link);
        ++kept;
    }
    links_.resize(kept);
}

// Follows links to directories and files. A link to itself ends the search. A name may have thousands of parts: one
// search finds which of them is a link.
const ArchivedFiles::Entry* ArchivedFiles::find(std::string_view name) const {
    if (name.contains('\0')) return nullptr;
    auto at =
        with_breaks(name.contains("..") ? inside_archive(root_ + std::string(name)) : root_ + inside_archive(name));
    for (std::size_t links = 0; links <= most_links; ++links) {
        const auto behind = std::ranges::upper_bound(links_, at, {}, &Link::first);
        if (behind == links_.begin() || !leads_to(std::prev(behind)->first, at)) {
            std::ranges::replace(at, '\0', '/');
            const auto entry = entries_.find(at);
            return entry == entries_.end() ? nullptr : &entry->second;
        }
        const auto& [from, to] = *std::prev(behind);
        at.replace(0, from.size(), to);
        if (at.size() > longest_member) return nullptr;
    }
    return nullptr;
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open(const FileName& name, const Limits& limits,
                                                          Content content) const {
    return ArchivedFiles::open_watched(name, limits, content, {});
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_watched(const FileName& name, const Limits& limits,
                                                                  Content content, const Watch& watch) const {
    const auto path = name.shown();
    if (!path.starts_with(prefix_)) return beneath_->open_watched(name, limits, content, watch);
    const auto* entry = find(std::string_view(path).substr(prefix_.size()));
    if (entry == nullptr) return fail(ErrorCode::missing, Error::no_offset, path, "is not in the tar-ball");
    return unpacked(std::make_shared<Slice>(content_, entry->offset, entry->size), path, limits, content, watch);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_given(const std::string& path, const Limits& limits,
                                                                Content content) const {
    return beneath_->open_given(path, limits, content);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_given_watched(const std::string& path, const Limits& limits,
                                                                        Content content, const Watch& watch) const {
    return beneath_->open_given_watched(path, limits, content, watch);
}

bool ArchivedFiles::has(const FileName& name) const {
    const auto path = name.shown();
    return path.starts_with(prefix_) ? find(std::string_view(path).substr(prefix_.size())) != nullptr
                                     : beneath_->has(name);
}

Result<std::string> ArchivedFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file(path, most);
}

Result<std::string> ArchivedFiles::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                            const Watch& watch) const {
    return beneath_->read_kernel_file_watched(path, most, watch);
}

Result<std::string> ArchivedFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file_start(path, most);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::vdso() const {
    return beneath_->vdso();
}

std::optional<FileTime> ArchivedFiles::modified(const FileName& name) const {
    return name.shown().starts_with(prefix_) ? std::nullopt : beneath_->modified(name);
}

std::string ArchivedFiles::shown(const std::string& path) const {
    return path.starts_with(prefix_) ? path : beneath_->shown(path);
}

std::optional<FileIdentity> ArchivedFiles::identity(const FileName& name) const {
    const auto path = name.shown();
    if (!path.starts_with(prefix_)) return beneath_->identity(name);
    const auto* entry = find(std::string_view(path).substr(prefix_.size()));
    if (entry == nullptr) return {};
    // No device has this number, and no two files begin at one offset unless they are empty.
    return FileIdentity{~std::uint64_t{0}, entry->offset, entry->size, 0, 0};
}

}  // namespace perfdata
