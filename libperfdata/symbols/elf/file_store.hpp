// SPDX-License-Identifier: MIT
// What was read of files with code and names, each once, whatever names and recordings lead to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/limits.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbol_cache.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/wire/identities.hpp"

#include "recording/look_out.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"
#include "symbols/once.hpp"

namespace perfdata {

// FileContent is something read of one or several files. Its kinds have `static constexpr Kind content_kind`.
class FileContent {
  public:
    enum class Kind : std::uint8_t { symbols, lines, unwinding, kallsyms, perf_map };

    FileContent() = default;
    FileContent(const FileContent&) = delete;
    FileContent& operator=(const FileContent&) = delete;
    virtual ~FileContent() = default;

    // Both may be called while it is read or used.
    virtual std::uint64_t memory() const = 0;
    // Returns false once what it says may depend on what it was asked before: others then read their own.
    virtual bool intact() const = 0;
};

// KeptValue is what was read of a file that is no ELF file.
template <class Value>
struct KeptValue final : FileContent {
    Once once;
    Result<std::shared_ptr<const Value>> value = nullptr;
    bool whole = true;  // the file did not change while it was read, and could be read

    std::uint64_t memory() const override { return once.done() && value && *value ? (*value)->memory() : 0; }
    bool intact() const override { return !once.done() || whole; }
};

// FileStore is shared by all copies of an ObjectFinder. That of a SymbolCache is shared by many, and bounded: it keeps
// the files that were used last. May be used from many threads.
class FileStore {
  public:
    // Files that contents are read of: which is which is for the kind of content to say.
    using Files = std::array<std::shared_ptr<const ElfFile>, 3>;
    // Realm is where identities of files mean the same, and reading them has the same results.
    using Realm = std::uint64_t;

    // Of one ObjectFinder: it keeps no file that nobody uses.
    FileStore() = default;
    explicit FileStore(const SymbolCacheOptions& bounds) : bounds_(bounds) {}

    // `files`: null for the machine's own.
    Realm realm(const Shared<const FileSystem>& files, const Limits& limits, bool demangle);

    // Opens an intact ELF file with that build-id, or with any if the recorded one has size 0. Throws Stopped.
    std::expected<std::shared_ptr<const ElfFile>, SymbolMiss> open(Realm realm, const FileSystem& files,
                                                                   const FileName& name, const BuildId& recorded,
                                                                   const Limits& limits, const LookOut& look);

    // Returns what is or will be read of these files: the first to come reads it.
    template <class T>
    std::shared_ptr<T> content(const Files& files) {
        const auto make = []() -> std::shared_ptr<FileContent> { return std::make_shared<T>(); };
        return std::static_pointer_cast<T>(find(T::content_kind, files, make));
    }
    DwarfAlternates& alternates() { return alternates_; }

    // Returns what was read of the file as it is now, or what read() returns. That of one ObjectFinder keeps nothing,
    // and nobody keeps files without identity. `given`: the user named it, so that it may be what others may not be.
    // `realm` must be that of the files and of all limits that read() has. Throws Stopped.
    template <FileContent::Kind kind, class Value, class Read>
    Result<std::shared_ptr<const Value>> value(Realm realm, const FileSystem& files, const FileName& name, bool given,
                                               const LookOut& look, Read&& read) {
        const auto shared = [&]() -> Result<std::shared_ptr<const Value>> {
            Result<Value> made = read();
            if (made) return std::make_shared<const Value>(std::move(*made));
            if (made.error().code == ErrorCode::cancelled) throw Stopped();
            if (made.error().code == ErrorCode::busy) throw Reentered();
            return fail(std::move(made.error()));
        };
        const auto identity = bounds_ ? files.identity(name) : std::nullopt;
        if (!identity) return shared();
        const auto make = []() -> std::shared_ptr<FileContent> { return std::make_shared<KeptValue<Value>>(); };
        const auto kept = std::static_pointer_cast<KeptValue<Value>>(
            find(ValueKey{kind, given, realm, *identity, name.shown()}, make));
        const auto fill = [&] {
            kept->value = shared();
            kept->whole = kept->value && files.identity(name) == identity;
        };
        kept->once(fill, look);
        trim();
        return kept->value;
    }
    // Returns true if several recordings share it.
    bool is_shared() const { return bounds_.has_value(); }

    // Drops what goes beyond the bounds. Called when something was read.
    void trim();
    void clear();
    std::uint64_t bytes() const;
    std::size_t files() const;

  private:
    struct Entry {
        std::weak_ptr<const ElfFile> file{};
        std::optional<std::vector<std::byte>> build_id{};  // nothing: no readable ELF file
    };
    struct Kept {
        std::shared_ptr<const ElfFile> file;
        std::uint64_t used = 0;  // a count of uses: the least was used longest ago
    };
    struct Place {
        Shared<const FileSystem> files;
        Limits limits;
        bool demangle = true;
        Realm realm = 0;
    };
    // What is said of a file may have its name.
    struct ValueKey {
        FileContent::Kind kind = FileContent::Kind::kallsyms;
        bool given = false;
        Realm realm = 0;
        FileIdentity identity{};
        std::string name{};

        auto operator<=>(const ValueKey&) const = default;
    };
    struct UsedValue {
        std::shared_ptr<FileContent> content;
        std::uint64_t used = 0;
    };
    using Contents = std::map<std::pair<FileContent::Kind, Files>, std::shared_ptr<FileContent>>;
    // What is dropped while the mutex is locked is destroyed after that.
    struct Dropped {
        std::vector<std::shared_ptr<const void>> all;
        std::vector<Shared<const FileSystem>> files;
    };

    std::shared_ptr<FileContent> find(FileContent::Kind kind, const Files& files,
                                      std::shared_ptr<FileContent> (*make)());
    std::shared_ptr<FileContent> find(const ValueKey& key, std::shared_ptr<FileContent> (*make)());
    // Returns the file in use: another thread may have opened the same one meanwhile.
    std::shared_ptr<const ElfFile> note(Realm realm, const FileIdentity& identity, Entry entry);
    // These need the mutex.
    void use(const std::shared_ptr<const ElfFile>& file);
    std::uint64_t bytes_now() const;
    void drop_oldest(Dropped& dropped);
    std::size_t files_now() const { return kept_.size() + values_.size(); }
    void forget_the_gone(Dropped& dropped);

    const std::optional<SymbolCacheOptions> bounds_;  // nothing: of one ObjectFinder
    mutable std::mutex mutex_;
    std::map<std::pair<Realm, FileIdentity>, Entry> known_;
    std::map<const ElfFile*, Kept> kept_;
    Contents contents_;
    std::map<ValueKey, UsedValue> values_;
    std::vector<Place> places_;
    Realm last_realm_ = 0;
    std::uint64_t uses_ = 0;
    DwarfAlternates alternates_;
};

}  // namespace perfdata
