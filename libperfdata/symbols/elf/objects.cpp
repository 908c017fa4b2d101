// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/objects.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/parallel.hpp"
#include "perfdata/symbols/elf/demangle/demangle.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "file_store.hpp"
#include "file_symbols.hpp"
#include "recording/look_out.hpp"
#include "symbols/once.hpp"

namespace perfdata {

namespace {

// Returns an identifier that every mangled form of the name contains; empty if none is known. The ABI abbreviates
// operators, closures, thunks, and types of std.
std::string_view part_of_mangled(std::string_view name) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
    };
    const auto path =
        name.substr(0, name.find_first_of("<("));  // without arguments, which contain identifiers and "::" too
    if (name.starts_with("std::") || !std::ranges::all_of(path, is_plain)) return {};
    const auto last = path.substr(path.rfind(':') + 1);
    return last == "operator" ? std::string_view() : last;
}

}  // namespace

struct ObjectSymbols::Object {
    explicit Object(RecordedObject object) : recorded(std::move(object)) {}

    RecordedObject recorded;

    // Written once, by seek().
    Once sought;
    std::expected<FoundObject, SymbolMiss> found = std::unexpected(SymbolMiss::not_found);
    // Written once, by Table::choose().
    std::shared_ptr<FileSymbols> content;         // of the found file
    std::shared_ptr<const ElfFile> content_file;  // which it is read of: the first of the copies with its debug file
    // Written once, by load().
    Once loaded;
    std::uint64_t text_offset = 0;  // of a relocatable file's text

    std::expected<const ElfSymbols*, SymbolMiss> symbols() const {
        if (!found) return std::unexpected(found.error());
        if (!content->symbols) return std::unexpected(content->symbols.error());
        return &*content->symbols;
    }
};

struct ObjectSymbols::Table {
    ObjectFinder finder;
    Options options;
    mutable std::shared_mutex mutex{};
    std::deque<Object> objects{};  // a deque: they do not move
    // Objects by number, for those who have one: each name of a frame asks several times, and a lock for each takes a
    // sixth of the time of naming places on two threads. An array is replaced when it is full, and freed in the end.
    // Whoever has a number got it after its object was put into the array.
    std::atomic<Object* const*> by_number = nullptr;
    std::vector<std::unique_ptr<Object* []>> arrays {};
    std::size_t room = 0;                                                                 // of the last array
    std::map<std::pair<std::string, std::string>, FileIndex, std::less<>> by_identity{};  // path and build id
    // By the debug file, or by the file if it has none. The objects keep these open. Files that have one debug file
    // have one build id: all but the first are copies of it. Any number of them may have one large debug file.
    // Still, not all may have the same symbols: who is stripped of section headers has no stubs. So the first copy says
    // what all have, and is what the store knows the content by, whoever reads it.
    struct Read {
        std::shared_ptr<FileSymbols> symbols;
        std::shared_ptr<const ElfFile> file;
    };
    std::map<const ElfFile*, Read> contents{};

    // Adds an object. Call it under the lock.
    FileIndex add(const RecordedObject& recorded) {
        const auto number = objects.size();
        if (number == room) {
            constexpr std::size_t least = 64;
            const auto larger = std::max(least, 2 * room);
            auto& array = arrays.emplace_back(std::make_unique<Object*[]>(larger));
            std::copy_n(by_number.load(), number, array.get());
            by_number = array.get();
            room = larger;
        }
        objects.emplace_back(recorded);
        arrays.back()[number] = &objects.back();
        return {static_cast<std::uint32_t>(number)};
    }

    // Chooses what the symbols of a sought object are read of.
    void choose(Object& object) {
        if (!object.found) return;
        const auto& found = *object.found;
        const std::unique_lock lock(mutex);
        if (object.content) return;
        auto& one = contents[found.debug ? found.debug.get() : found.file.get()];
        if (!one.symbols) one = {finder.store().content<FileSymbols>({found.file, found.debug}), found.file};
        object.content_file = one.file;
        object.content = one.symbols;
    }
};

ObjectSymbols::ObjectSymbols(ObjectFinder finder) : ObjectSymbols(std::move(finder), Options{}) {}

ObjectSymbols::ObjectSymbols(ObjectFinder finder, Options options)
    : table_(new Table{.finder = std::move(finder), .options = options}) {}

ObjectSymbols::~ObjectSymbols() = default;
ObjectSymbols::ObjectSymbols(ObjectSymbols&&) noexcept = default;
ObjectSymbols& ObjectSymbols::operator=(ObjectSymbols&&) noexcept = default;

FileIndex ObjectSymbols::add(const RecordedObject& object) {
    const std::pair key(object.path, std::string(as_text(object.build_id.bytes())));
    const std::unique_lock lock(table_->mutex);
    const auto known = table_->by_identity.find(key);
    if (known != table_->by_identity.end()) return known->second;
    return table_->by_identity[key] = table_->add(object);
}

ObjectSymbols::Object& ObjectSymbols::object(FileIndex index) const {
    return *table_->by_number.load(std::memory_order_acquire)[index.value];
}

const RecordedObject& ObjectSymbols::recorded(FileIndex index) const {
    return object(index).recorded;
}

const ObjectFinder& ObjectSymbols::finder() const {
    return table_->finder;
}

std::size_t ObjectSymbols::size() const {
    const std::shared_lock lock(table_->mutex);
    return table_->objects.size();
}

void ObjectSymbols::load(Object& object) const {
    if (!object.loaded.done()) load(object, LookOut());
}

void ObjectSymbols::seek(Object& object, const LookOut& look) const {
    object.sought([&] { object.found = table_->finder.find(object.recorded, look); }, look);
}

void ObjectSymbols::load(Object& object, const LookOut& look) const {
    const auto read = [&] {
        seek(object, look);
        if (!object.found) return;
        table_->choose(object);
        const auto& limits = table_->finder.options().limits;
        const auto read_symbols = [&] {
            object.content->load(*object.content_file, object.found->debug.get(), limits, look.watch());
        };
        object.content->loaded(read_symbols, look);
        table_->finder.store().trim();
        const auto& file = *object.found->file;
        if (file.type() == ElfFile::Type::relocatable) {
            if (const auto* text = file.section(".text")) object.text_offset = text->offset;
        }
    };
    object.loaded(read, look);
}

std::expected<const FoundObject*, SymbolMiss> ObjectSymbols::found(FileIndex index) const {
    return found(index, LookOut());
}

std::expected<const FoundObject*, SymbolMiss> ObjectSymbols::found(FileIndex index, const LookOut& look) const {
    auto& one = object(index);
    load(one, look);
    if (!one.found) return std::unexpected(one.found.error());
    return &*one.found;
}

std::expected<std::uint64_t, SymbolMiss> ObjectSymbols::vaddr(FileIndex index, std::uint64_t file_offset) const {
    auto& one = object(index);
    load(one);
    if (!one.found) return std::unexpected(one.found.error());
    const auto vaddr = one.found->file->vaddr(file_offset + one.text_offset);
    if (!vaddr) return std::unexpected(SymbolMiss::outside_file);
    return *vaddr;
}

std::expected<NameAndOffset, SymbolMiss> ObjectSymbols::name(FileIndex index, std::uint64_t file_offset) const {
    auto& one = object(index);
    load(one);
    const auto symbols = one.symbols();
    if (!symbols) return std::unexpected(symbols.error());
    const auto vaddr = one.found->file->vaddr(file_offset + one.text_offset);
    if (!vaddr) return std::unexpected(SymbolMiss::outside_file);
    const auto found = (*symbols)->find(*vaddr);
    // The damaged table may have contained it.
    if (!found) return std::unexpected((*symbols)->damage() ? SymbolMiss::unreadable : SymbolMiss::between_symbols);

    NameAndOffset result{found->symbol.name, found->offset, found->symbol.size, found->symbol.value};
    if (table_->options.demangle && is_mangled(result.name)) {
        const std::scoped_lock lock(one.content->demangling);
        auto& names = one.content->demangled;
        auto place = names.find(found->index);
        if (place == names.end()) {
            auto name = demangle(result.name).value_or(std::string(result.name));  // memory may run out
            place = names.emplace(found->index, std::move(name)).first;
            one.content->note_name(place->second);
        }
        result.name = place->second;
    }
    return result;
}

std::expected<std::uint64_t, SymbolMiss> ObjectSymbols::distance(FileIndex index, std::uint64_t file_offset) const {
    auto& one = object(index);
    load(one);
    const auto symbols = one.symbols();
    if (!symbols) return std::unexpected(symbols.error());
    const auto vaddr = one.found->file->vaddr(file_offset + one.text_offset);
    if (!vaddr) return std::unexpected(SymbolMiss::outside_file);
    const auto distance = (*symbols)->distance(*vaddr);
    if (!distance) return std::unexpected(SymbolMiss::between_symbols);
    return *distance;
}

std::vector<Error> ObjectSymbols::damage() const {
    std::vector<Error> damage;
    std::set<const FileSymbols*> seen;
    for (std::uint32_t number = 0; number < size(); ++number) {
        const auto& one = object({number});
        if (!one.loaded.done() || !one.found || !one.content->damage || !seen.insert(one.content.get()).second)
            continue;
        auto error = *one.content->damage;
        error.where = one.found->path + ": " + error.where;
        damage.push_back(std::move(error));
    }
    return damage;
}

std::vector<FileIndex> ObjectSymbols::with_function(std::string_view name, const StopToken& stop) const {
    std::vector<FileIndex> found;
    try {
        LookOut look({stop, {}});
        find_function(name, found, look);
    } catch (const Stopped&) {
    }
    return found;
}

std::vector<bool> ObjectSymbols::may_have_function(std::span<const FileIndex> files,
                                                   std::span<const std::string> names) const {
    LookOut nobody;
    std::map<const ElfSymbols*, bool> looked_at;  // one file may have any number of names
    std::vector<bool> may;
    for (const auto index : files) {
        const auto& one = object(index);
        may.push_back(!one.loaded.done());
        if (may.back()) continue;
        const auto symbols = one.symbols();
        if (!symbols) continue;
        const auto [has, first] = looked_at.try_emplace(*symbols, false);
        if (first) {
            has->second = std::ranges::any_of(
                names, [&](const std::string& name) { return has_function(**symbols, name, nobody); });
        }
        may.back() = has->second;
    }
    return may;
}

bool ObjectSymbols::has_function(const ElfSymbols& symbols, std::string_view name, LookOut& look) const {
    const auto identifier = part_of_mangled(name);  // names without it need no demangling
    const auto is_called = [&](std::string_view symbol) {
        look();
        if (symbol == name) return true;
        if (!table_->options.demangle || !is_mangled(symbol) || symbol.find(identifier) == std::string_view::npos) {
            return false;
        }
        for (std::size_t at = 0; at < symbol.size(); at += 2) look();  // it takes microseconds
        return demangle(symbol) == name;
    };
    for (std::size_t at = 0; at < symbols.size(); ++at) {
        if (is_called(symbols.symbol(at).name)) return true;
    }
    return false;
}

void ObjectSymbols::find_function(std::string_view name, std::vector<FileIndex>& found, LookOut& look) const {
    std::map<const ElfSymbols*, bool> looked_at;  // one file may have any number of names
    for (std::uint32_t number = 0; number < size(); ++number) {
        const auto& one = object({number});
        if (!one.loaded.done()) continue;
        const auto symbols = one.symbols();
        if (!symbols) continue;
        const auto [has, first] = looked_at.try_emplace(*symbols, false);
        if (first) has->second = has_function(**symbols, name, look);
        if (has->second) found.push_back({number});
    }
}

void ObjectSymbols::load_all(std::span<const FileIndex> objects, unsigned jobs, const StopToken& stop,
                             const Progress& progress) const {
    std::mutex telling;
    std::size_t loaded = 0;
    Watch watch{stop, {}};
    if (progress) {
        // Within a file it is told again what it knows, so that it can stop.
        watch.progress = [&](std::uint64_t, std::uint64_t) {
            // Whoever tells may wait for what this thread holds. What this one would tell is known.
            const std::unique_lock lock(telling, std::try_to_lock);
            if (lock) progress(loaded, objects.size());
        };
    }
    const LookOut look(watch);
    // Calls step(object) for each on the threads. Returns false once it is time to stop.
    const auto with_each = [&](const auto& step) {
        std::atomic<std::size_t> next = 0;
        std::atomic<bool> stopped = false;
        const auto work = [&] {
            for (auto at = next.fetch_add(1); at < objects.size(); at = next.fetch_add(1)) {
                if (stop.stop_requested()) stopped = true;
                if (stopped) return;
                try {
                    step(object(objects[at]));
                } catch (const Stopped&) {
                    stopped = true;
                }
            }
        };
        on_threads(std::min<std::size_t>(jobs, objects.size()), work);
        return !stopped;
    };
    // Whose file is read for all copies of it must not depend on which thread is first.
    if (!with_each([&](Object& one) { seek(one, look); })) return;
    for (const auto index : objects) table_->choose(object(index));
    with_each([&](Object& one) {
        load(one, look);
        if (!progress) return;
        const std::scoped_lock lock(telling);
        progress(++loaded, objects.size());
    });
}

}  // namespace perfdata
