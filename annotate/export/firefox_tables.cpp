// SPDX-License-Identifier: MIT
#include "firefox_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "samples_by.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t lib_room = std::uint64_t{1} << 31;
constexpr std::uint32_t deepest_inlined = 255;

// Lowest and greatest address of an object.
struct LibRange {
    std::uint64_t least = ~std::uint64_t{0}, most = 0;

    void add(std::uint64_t address) {
        least = std::min(least, address);
        most = std::max(most, address);
    }
};

std::uint64_t base_of(const LibRange& range) {
    const auto rounded = range.least & ~(lib_room - 1);
    return range.most < range.least || range.most - rounded < lib_room ? rounded : range.least;
}

}  // namespace

// Texts that the document would show alike are the same.
std::uint32_t FirefoxStrings::number(std::string_view text) {
    const auto [entry, is_new] = numbers_.try_emplace(utf8(Shortened(text)), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(entry->first);
    return entry->second;
}

// The first 16 bytes are the GUID's fields in the object's byte order: 4, 2 and 2 bytes, and 8 single ones.
std::string breakpad_id(std::string_view build_id, std::endian order) {
    std::string digits(build_id.substr(0, 32));
    digits.resize(32, '0');
    for (auto& digit : digits) {
        if (digit >= 'a' && digit <= 'f') digit = static_cast<char>(digit - 'a' + 'A');
    }
    if (order == std::endian::little) {
        constexpr std::array<std::size_t, 8> from{3, 2, 1, 0, 5, 4, 7, 6};
        const auto bytes = digits;
        for (std::size_t to = 0; to < from.size(); ++to) digits.replace(2 * to, 2, bytes, 2 * from[to], 2);
    }
    return digits + '0';
}

FirefoxTables::FirefoxTables(const Exported& exported) {
    add_libs(exported);
    add_frames(exported);
    add_sources(exported);
    add_threads(exported);
    choose_main_threads(exported);
    find_times(exported);
}

std::optional<std::uint64_t> FirefoxTables::address_in(std::uint32_t object, std::uint64_t address) const {
    const auto base = libs[object].base;
    if (address < base || address - base >= lib_room) return {};
    return address - base;
}

void FirefoxTables::add_libs(const Exported& exported) {
    std::vector<LibRange> ranges(exported.objects.size());
    for (const auto& place : exported.places) ranges[place.object].add(place.address);
    for (const auto& function : exported.functions) {
        if (function.begin) ranges[function.object].add(*function.begin);
    }
    for (std::size_t number = 0; number < exported.objects.size(); ++number) {
        const auto& id = exported.objects[number].build_id;
        libs.push_back({base_of(ranges[number]), breakpad_id(id, exported.recording.byte_order), id});
    }
}

// Which code contains an inlined place, its callers say: they have lower numbers.
void FirefoxTables::add_frames(const Exported& exported) {
    const auto& nodes = exported.nodes;
    frames.resize(exported.places.size());
    for (std::uint32_t place = 0; place < frames.size(); ++place) frames[place].container = place;
    for (const auto& node : nodes) {
        if (!exported.places[node.place].inlined || node.caller == ExportNode::none) continue;
        const auto& caller = frames[nodes[node.caller].place];
        auto& frame = frames[node.place];
        frame.container = caller.container;
        frame.depth = std::min(caller.depth + 1, deepest_inlined);
    }
    std::vector<std::optional<std::uint32_t>> symbol_of(exported.functions.size());
    for (auto& frame : frames) {
        const auto number = exported.places[frame.container].function;
        const auto& function = exported.functions[number];
        if (!function.begin || !address_in(function.object, *function.begin)) continue;
        if (!symbol_of[number]) {
            symbol_of[number] = static_cast<std::uint32_t>(symbols.size());
            symbols.push_back(number);
        }
        frame.symbol = symbol_of[number];
    }
}

void FirefoxTables::add_sources(const Exported& exported) {
    std::map<std::string_view, std::uint32_t, BeforeText> numbers;
    source_of_function.resize(exported.functions.size());
    for (std::size_t number = 0; number < exported.functions.size(); ++number) {
        const auto file = exported.functions[number].file;
        if (file.empty()) continue;
        const auto [entry, is_new] = numbers.try_emplace(file, static_cast<std::uint32_t>(sources.size()));
        if (is_new) sources.push_back(file);
        source_of_function[number] = entry->second;
    }
}

void FirefoxTables::add_threads(const Exported& exported) {
    const auto key = [](const ExportSample& sample) { return std::pair(sample.task, sample.column); };
    const SamplesBy samples(exported.samples, key);
    for (std::size_t at = 0; at < samples.size();) {
        const auto& first = samples[at];
        const auto numbers = samples.of(at, key(first));
        threads.push_back({first.task, first.column, {numbers.begin(), numbers.end()}, false, first.task});
        at += numbers.size();
    }
}

// The profiler shows a process by its main thread. It forgets all but one of those that say so.
void FirefoxTables::choose_main_threads(const Exported& exported) {
    std::map<std::uint32_t, FirefoxThread*> main_of, any_of;  // by pid
    for (auto& thread : threads) {
        const auto& task = exported.tasks[thread.task];
        any_of.try_emplace(task.pid.value, &thread);
        if (task.further || task.pid.value != task.tid.value) continue;
        auto& main = main_of.try_emplace(task.pid.value, &thread).first->second;
        if (thread.samples.size() > main->samples.size()) main = &thread;
    }
    for (const auto& [pid, main] : main_of) main->main = true;
    for (auto& thread : threads) {
        const auto pid = exported.tasks[thread.task].pid.value;
        const auto main = main_of.find(pid);
        thread.process = main == main_of.end() ? any_of.at(pid)->task : main->second->task;
    }
}

void FirefoxTables::find_times(const Exported& exported) {
    const auto timed =
        std::ranges::find_if(exported.samples, [](const auto& sample) { return sample.nanoseconds != 0; });
    if (timed == exported.samples.end()) return;
    first_nanoseconds = timed->nanoseconds;
    const auto busiest =
        std::ranges::max_element(threads, {}, [](const FirefoxThread& thread) { return thread.samples.size(); });
    std::vector<std::uint64_t> steps;
    for (std::size_t at = 1; at < busiest->samples.size(); ++at) {
        const auto before = exported.samples[busiest->samples[at - 1]].nanoseconds;
        if (before != 0) steps.push_back(exported.samples[busiest->samples[at]].nanoseconds - before);
    }
    if (steps.empty()) return;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
    std::ranges::nth_element(steps, middle);
    interval = *middle;
}

}  // namespace perfdata
