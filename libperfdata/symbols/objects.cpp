// SPDX-License-Identifier: MIT
#include "perfdata/symbols/objects.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "perfdata/core/parallel.hpp"
#include "perfdata/symbols/demangle.hpp"
#include "perfdata/symbols/elf_symbols.hpp"

#include "once.hpp"

namespace perfdata {

struct ObjectSymbols::Object {
    explicit Object(RecordedObject object) : recorded(std::move(object)) {}

    RecordedObject recorded;

    // Written once, by load().
    Once loaded;
    std::expected<FoundObject, SymbolMiss> found = std::unexpected(SymbolMiss::not_found);
    std::expected<ElfSymbols, SymbolMiss> symbols = std::unexpected(SymbolMiss::not_found);
    std::uint64_t text_offset = 0;  // of a relocatable file's text

    // Names that had to be demangled, by symbol; made when they are asked for.
    std::mutex demangling;
    std::map<std::size_t, std::string> demangled;
};

struct ObjectSymbols::Table {
    ObjectFinder finder;
    Options options;
    mutable std::shared_mutex mutex;
    std::deque<Object> objects;                                                         // does not move them
    std::map<std::pair<std::string, std::string>, FileIndex, std::less<>> by_identity;  // path and build id
};

ObjectSymbols::ObjectSymbols(ObjectFinder finder) : ObjectSymbols(std::move(finder), Options{}) {}

ObjectSymbols::ObjectSymbols(ObjectFinder finder, Options options)
    : table_(new Table{std::move(finder), options, {}, {}, {}}) {}

ObjectSymbols::~ObjectSymbols() = default;
ObjectSymbols::ObjectSymbols(ObjectSymbols&&) noexcept = default;
ObjectSymbols& ObjectSymbols::operator=(ObjectSymbols&&) noexcept = default;

FileIndex ObjectSymbols::add(const RecordedObject& object) {
    const std::pair key(object.path, std::string(as_text(object.build_id.bytes())));
    const std::unique_lock lock(table_->mutex);
    const auto [place, added] = table_->by_identity.try_emplace(key);
    if (added) {
        place->second = {static_cast<std::uint32_t>(table_->objects.size())};
        table_->objects.emplace_back(object);
    }
    return place->second;
}

ObjectSymbols::Object& ObjectSymbols::object(FileIndex index) const {
    const std::shared_lock lock(table_->mutex);
    return table_->objects[index.value];
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
    object.loaded([&] {
        object.found = table_->finder.find(object.recorded);
        if (!object.found) {
            object.symbols = std::unexpected(object.found.error());
            return;
        }
        const auto& file = *object.found->file;
        auto symbols = ElfSymbols::load(file, object.found->debug.get(), table_->finder.options().limits);
        if (symbols) {
            object.symbols = std::move(*symbols);
        } else {
            const bool none = symbols.error().code == ErrorCode::missing;
            object.symbols = std::unexpected(none ? SymbolMiss::no_symbols : SymbolMiss::unreadable);
        }
        if (file.type() == ElfFile::Type::relocatable) {
            if (const auto* text = file.section(".text")) object.text_offset = text->offset;
        }
    });
}

std::expected<const FoundObject*, SymbolMiss> ObjectSymbols::found(FileIndex index) const {
    auto& one = object(index);
    load(one);
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
    if (!one.symbols) return std::unexpected(one.symbols.error());
    const auto vaddr = one.found->file->vaddr(file_offset + one.text_offset);
    if (!vaddr) return std::unexpected(SymbolMiss::outside_file);
    const auto found = one.symbols->find(*vaddr);
    if (!found) return std::unexpected(SymbolMiss::between_symbols);

    NameAndOffset result{found->symbol.name, found->offset, found->symbol.size, found->symbol.value};
    if (table_->options.demangle && is_mangled(result.name)) {
        const std::scoped_lock lock(one.demangling);
        const auto [place, added] = one.demangled.try_emplace(found->index);
        if (added) place->second = demangle(result.name).value_or(std::string(result.name));
        result.name = place->second;
    }
    return result;
}

std::expected<std::uint64_t, SymbolMiss> ObjectSymbols::distance(FileIndex index, std::uint64_t file_offset) const {
    auto& one = object(index);
    load(one);
    if (!one.symbols) return std::unexpected(one.symbols.error());
    const auto vaddr = one.found->file->vaddr(file_offset + one.text_offset);
    if (!vaddr) return std::unexpected(SymbolMiss::outside_file);
    const auto distance = one.symbols->distance(*vaddr);
    if (!distance) return std::unexpected(SymbolMiss::between_symbols);
    return *distance;
}

std::vector<FileIndex> ObjectSymbols::with_function(std::string_view name) const {
    // A mangled name holds the last identifier as it is.
    const auto short_name = name.substr(name.rfind(':') + 1);
    const auto identifier = short_name.substr(0, short_name.find_first_of("<( "));
    const auto is_called = [&](std::string_view symbol) {
        if (symbol == name) return true;
        return table_->options.demangle && is_mangled(symbol) && symbol.find(identifier) != std::string_view::npos &&
               demangle(symbol) == name;
    };
    std::vector<FileIndex> found;
    for (std::uint32_t number = 0; number < size(); ++number) {
        const auto& one = object({number});
        if (!one.loaded.done() || !one.symbols) continue;
        for (std::size_t at = 0; at < one.symbols->size(); ++at) {
            if (!is_called(one.symbols->symbol(at).name)) continue;
            found.push_back({number});
            break;
        }
    }
    return found;
}

void ObjectSymbols::load_all(std::span<const FileIndex> objects, unsigned jobs) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (auto at = next.fetch_add(1); at < objects.size(); at = next.fetch_add(1)) load(object(objects[at]));
    };
    on_threads(std::min<std::size_t>(jobs, objects.size()), work);
}

}  // namespace perfdata
