// SPDX-License-Identifier: MIT
#include "file_store.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t file_bytes = 16 << 10;  // headers of a usual file, and what holds it
constexpr std::uint64_t value_bytes = 1 << 10;  // what holds what was read of another file

bool differs(const BuildId& recorded, Bytes in_file) {
    return recorded.size != 0 && !same_build_id(recorded, in_file);
}

}  // namespace

FileStore::Realm FileStore::realm(const Shared<const FileSystem>& files, const Limits& limits, bool demangle) {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find_if(places_, [&](const Place& place) {
        return place.files == files && place.limits == limits && place.demangle == demangle;
    });
    if (known != places_.end()) return known->realm;
    places_.push_back({files, limits, demangle, ++last_realm_});
    return last_realm_;
}

std::expected<std::shared_ptr<const ElfFile>, SymbolMiss> FileStore::open(Realm realm, const FileSystem& files,
                                                                          const FileName& name, const BuildId& recorded,
                                                                          const Limits& limits, const LookOut& look) {
    auto identity = files.identity(name);
    if (identity) {
        const std::scoped_lock lock(mutex_);
        if (const auto entry = known_.find({realm, *identity}); entry != known_.end()) {
            const auto& [file, build_id] = entry->second;
            if (!build_id) return std::unexpected(SymbolMiss::unreadable);
            if (differs(recorded, *build_id)) return std::unexpected(SymbolMiss::build_id_differs);
            if (auto used = file.lock()) {
                use(used);
                return used;
            }
        }
    }
    auto source = files.open_watched(name, limits, Content::elf, look.watch());
    if (!source) {
        switch (source.error().code) {
            case ErrorCode::cancelled: throw Stopped();
            case ErrorCode::busy: throw Reentered();
            case ErrorCode::missing: return std::unexpected(SymbolMiss::not_found);
            case ErrorCode::io: return std::unexpected(SymbolMiss::not_opened);
            default: return std::unexpected(SymbolMiss::unreadable);
        }
    }
    // What was opened may be another file than what was looked at. One recording does not mind, but a cache lives long.
    if (bounds_ && identity && files.identity(name) != identity) identity.reset();
    auto opened = ElfFile::open(std::move(*source), limits, look.watch());
    if (!opened) {
        if (opened.error().code == ErrorCode::cancelled) throw Stopped();
        if (opened.error().code == ErrorCode::busy) throw Reentered();
        if (identity && opened.error().code != ErrorCode::io) note(realm, *identity, {});
        return std::unexpected(SymbolMiss::unreadable);
    }
    auto file = std::make_shared<const ElfFile>(std::move(*opened));
    // An id too long to equal any recorded one stays that long.
    const auto id = file->build_id().first(std::min(file->build_id().size(), recorded.value.size() + 1));
    const bool other = differs(recorded, id);
    // From here on another thread's file may take the place of this one, whose bytes `id` shows.
    if (identity) file = note(realm, *identity, {file, std::vector(id.begin(), id.end())});
    if (other) return std::unexpected(SymbolMiss::build_id_differs);
    return file;
}

std::shared_ptr<const ElfFile> FileStore::note(Realm realm, const FileIdentity& identity, Entry entry) {
    std::shared_ptr<const ElfFile> file;
    {
        const std::scoped_lock lock(mutex_);
        auto& place = known_[{realm, identity}];
        file = place.file.lock();
        if (!file) {
            file = entry.file.lock();
            place = std::move(entry);
        }
        if (file) use(file);
    }
    trim();
    return file;
}

void FileStore::use(const std::shared_ptr<const ElfFile>& file) {
    if (!bounds_) return;
    kept_[file.get()] = {file, ++uses_};
}

std::shared_ptr<FileContent> FileStore::find(FileContent::Kind kind, const Files& files,
                                             std::shared_ptr<FileContent> (*make)()) {
    std::shared_ptr<FileContent> old;  // destroyed once the mutex is free
    const std::scoped_lock lock(mutex_);
    for (const auto& file : files) {
        if (file) use(file);
    }
    const std::pair key(kind, files);
    const auto known = contents_.find(key);
    if (known != contents_.end() && (!bounds_ || known->second->intact())) return known->second;
    auto made = make();  // before its place: memory may run out, and no place is empty
    if (known == contents_.end()) return contents_.emplace(key, std::move(made)).first->second;
    old = std::exchange(known->second, std::move(made));
    return known->second;
}

std::shared_ptr<FileContent> FileStore::find(const ValueKey& key, std::shared_ptr<FileContent> (*make)()) {
    std::shared_ptr<FileContent> old;  // destroyed once the mutex is free
    const std::scoped_lock lock(mutex_);
    auto known = values_.find(key);
    if (known == values_.end()) {
        auto made = make();
        known = values_.emplace(key, UsedValue{std::move(made), 0}).first;
    } else if (!known->second.content->intact()) {
        old = std::exchange(known->second.content, make());
    }
    known->second.used = ++uses_;
    return known->second.content;
}

std::uint64_t FileStore::bytes_now() const {
    auto sum = file_bytes * kept_.size();
    for (const auto& [key, content] : contents_) sum += content->memory();
    for (const auto& [key, value] : values_) sum += value_bytes + value.content->memory();
    return sum;
}

void FileStore::drop_oldest(Dropped& dropped) {
    const auto used = [](const auto& one) { return one.second.used; };
    const auto oldest = std::ranges::min_element(kept_, {}, used);
    const auto value = std::ranges::min_element(values_, {}, used);
    if (value != values_.end() && (oldest == kept_.end() || value->second.used < oldest->second.used)) {
        dropped.all.push_back(std::move(value->second.content));
        values_.erase(value);
        return;
    }
    for (auto content = contents_.begin(); content != contents_.end();) {
        const auto& files = content->first.second;
        if (std::ranges::find(files, oldest->second.file) == files.end()) {
            ++content;
            continue;
        }
        dropped.all.push_back(content->second);
        for (const auto& file : files) dropped.all.push_back(file);
        content = contents_.erase(content);
    }
    dropped.all.push_back(alternates_.forget(oldest->second.file));
    dropped.all.push_back(oldest->second.file);
    kept_.erase(oldest);
}

// Once many files are known, forgets those of which nothing is kept, and their file systems.
void FileStore::forget_the_gone(Dropped& dropped) {
    constexpr std::size_t many = 16384, few = 16;
    if (known_.size() < many && places_.size() < few) return;
    std::erase_if(known_, [](const auto& one) { return one.second.file.expired(); });
    const auto rest = std::ranges::partition(places_, [&](const Place& place) {
        const auto first = known_.lower_bound({place.realm, FileIdentity{}});
        const auto in_values = [&](const auto& one) { return one.first.realm == place.realm; };
        return (first != known_.end() && first->first.first == place.realm) || std::ranges::any_of(values_, in_values);
    });
    for (auto& place : rest) dropped.files.push_back(std::move(place.files));
    places_.erase(rest.begin(), rest.end());
}

void FileStore::trim() {
    if (!bounds_) return;
    Dropped dropped;
    const std::scoped_lock lock(mutex_);
    while (files_now() != 0 && (files_now() > bounds_->files || bytes_now() > bounds_->bytes)) drop_oldest(dropped);
    alternates_.forget_unless([&](const ElfFile* file) { return kept_.contains(file); }, dropped.all);
    forget_the_gone(dropped);
}

void FileStore::clear() {
    Dropped dropped;
    const std::scoped_lock lock(mutex_);
    while (files_now() != 0) drop_oldest(dropped);
    known_.clear();
}

std::uint64_t FileStore::bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_now();
}

std::size_t FileStore::files() const {
    const std::scoped_lock lock(mutex_);
    return files_now();
}

SymbolCache::SymbolCache(const SymbolCacheOptions& options) : store_(std::make_shared<FileStore>(options)) {}
SymbolCache::~SymbolCache() = default;

std::uint64_t SymbolCache::bytes() const {
    return store_->bytes();
}

std::size_t SymbolCache::files() const {
    return store_->files();
}

void SymbolCache::clear() const {
    store_->clear();
}

}  // namespace perfdata
