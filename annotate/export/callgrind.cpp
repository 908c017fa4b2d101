// SPDX-License-Identifier: MIT
#include "callgrind.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "call_costs.hpp"
#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::size_t callgrind_block = std::size_t{64} << 10;
constexpr std::string_view unknown_file = "???";  // as valgrind calls it

// callgrind_name(text) returns printable ASCII. Readers strip spaces at the beginning, and an empty name refers to an
// earlier one.
std::string callgrind_name(std::string_view text) {
    constexpr auto least_other = '\x7f';
    std::string name;
    for (const char byte : shown(text)) {
        if (byte < ' ' || byte >= least_other || (byte == ' ' && name.empty())) {
            fmt::format_to(std::back_inserter(name), "\\x{:02x}", static_cast<unsigned char>(byte));
        } else {
            name += byte;
        }
    }
    return name.empty() ? std::string("\\x20") : name;
}

// event_word(name) returns what readers take for one word: a letter, then letters, digits and underscores.
std::string event_word(std::string_view name) {
    constexpr std::size_t most = 60;
    const auto is_letter = [](char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); };
    std::string word;
    for (const char byte : name.substr(0, most)) {
        if (is_letter(byte) || (byte >= '0' && byte <= '9')) {
            word += byte;
        } else if (!word.empty() && word.back() != '_') {
            word += '_';
        }
    }
    while (!word.empty() && word.back() == '_') word.pop_back();
    if (word.empty()) return "event";
    return is_letter(word.front()) ? word : "event_" + word;
}

// EventWords gives each event words of its own.
class EventWords {
  public:
    struct Pair {
        std::string periods, samples;
    };
    Pair add(std::string_view name) {
        const auto word = event_word(name);
        auto& number = numbers_[word];
        for (;;) {
            ++number;
            const auto own = number == 1 ? word : fmt::format("{}_{}", word, number);
            const auto samples = own + "_samples";
            if (used_.contains(own) || used_.contains(samples)) continue;
            used_.insert(own);
            used_.insert(samples);
            return {own, samples};
        }
    }

  private:
    std::map<std::string, std::uint64_t> numbers_;
    std::set<std::string> used_;
};

// NumberedNames writes a name in full where it comes first, and then its number alone.
class NumberedNames {
  public:
    void put(std::string& line, std::uint32_t number, std::string_view name) {
        if (number >= written_.size()) written_.resize(std::size_t{number} + 1);
        fmt::format_to(std::back_inserter(line), "({})", number + 1);
        if (!written_[number]) {
            line += ' ';
            line += callgrind_name(name);
        }
        line += '\n';
        written_[number] = true;
    }

  private:
    std::vector<bool> written_;
};

class CallgrindWriter {
  public:
    CallgrindWriter(const Exported& exported, const CallgrindOptions& options, const Sink& sink)
        : exported_(exported),
          options_(options),
          sink_(sink),
          events_(std::span(exported.events).first(std::min(exported.events.size(), most_callgrind_events))),
          costs_(exported, events_.size()) {
        for (const auto& function : exported.functions) file_of_function_.push_back(file(function.file));
        lowest_.assign(exported.functions.size(), ~std::uint64_t{0});
        for (const auto& place : exported.places) {
            auto& lowest = lowest_[place.function];
            lowest = std::min(lowest, place.address);
            file_of_place_.push_back(place.file.empty() ? file_of_function_[place.function] : file(place.file));
        }
        unknown_ = file({});
    }

    void write() {
        write_head();
        const auto calls = costs_.calls();
        const auto of_commands = std::ranges::lower_bound(calls, costs_.places(), {}, &CallCosts::Call::place);
        const auto first_of_commands = static_cast<std::size_t>(of_commands - calls.begin());
        write_commands(first_of_commands);
        write_functions(first_of_commands);
        block_ += "\ntotals:";
        put_totals();
        flush();
    }

  private:
    // Lines of one function: places with costs or calls.
    struct Spot {
        std::uint32_t place = 0;
        std::size_t first_call = 0, end_call = 0;  // indices in costs_.calls()
    };

    std::uint32_t file(std::string_view name) {
        if (name.empty()) name = unknown_file;
        const auto [entry, is_new] = file_numbers_.try_emplace(name, static_cast<std::uint32_t>(files_.size()));
        if (is_new) files_.push_back(name);
        return entry->second;
    }

    void write_head() {
        block_ =
            "# callgrind format\n"
            "version: 1\n"
            "creator: perfdata\n"
            "# All threads together. calls= counts samples whose call chain has the call, not calls of the program.\n"
            "# A call of a function that is in the chain already (recursion) costs nothing: its first call has the "
            "cost.\n"
            "# What is inlined is a function of its own. Commands call the outermost functions.\n"
            "positions: instr line\n";
        if (const auto left_out = exported_.events.size() - events_.size(); left_out != 0) {
            fmt::format_to(std::back_inserter(block_), "# Left out: {}, for which readers have no room.\n",
                           how_many(left_out, "further event"));
        }
        EventWords words;
        std::string all = "events:";
        for (const auto& event : events_) {
            const auto [periods, samples] = words.add(event.name);
            const auto name = callgrind_name(event.name);
            fmt::format_to(std::back_inserter(block_), "event: {} : samples of {}\n", samples, name);
            all += ' ';
            all += samples;
            if (!options_.periods) continue;
            fmt::format_to(std::back_inserter(block_), "event: {} : {}{}\n", periods, name,
                           event.nanoseconds ? ", nanoseconds" : "");
            all += ' ';
            all += periods;
        }
        // Readers expect at least one column.
        if (exported_.events.empty()) all += " samples";
        block_ += all;
        block_ += "\nsummary:";
        put_totals();
    }

    void put_totals() {
        for (const auto& total : std::span(exported_.totals).first(events_.size())) {
            fmt::format_to(std::back_inserter(block_), " {}", total.hits);
            if (options_.periods) fmt::format_to(std::back_inserter(block_), " {}", total.periods);
        }
        block_ += exported_.totals.empty() ? " 0\n" : "\n";
    }

    void write_commands(std::size_t call) {
        const auto calls = costs_.calls();
        const auto object = static_cast<std::uint32_t>(exported_.objects.size());
        while (call < calls.size()) {
            const auto place = calls[call].place;
            const auto command = static_cast<std::uint32_t>(place - costs_.places());
            begin_function(object, "[commands]", unknown_);
            block_ += "fn=";
            function_names_.put(block_, static_cast<std::uint32_t>(exported_.functions.size()) + command,
                                fmt::format("command {}", costs_.commands()[command]));
            for (; call < calls.size() && calls[call].place == place; ++call) put_call(call, 0, 0);
        }
    }

    void write_functions(std::size_t end_of_calls) {
        const auto calls = costs_.calls();
        std::vector<Spot> spots;
        std::size_t call = 0;
        for (std::uint32_t place = 0; place < exported_.places.size(); ++place) {
            const auto first = call;
            while (call < end_of_calls && calls[call].place == place) ++call;
            if (call != first || !costs_.of_place(place).empty()) spots.push_back({place, first, call});
        }
        // The function's own file comes first.
        std::ranges::sort(spots, {}, [&](const Spot& spot) {
            const auto& at = exported_.places[spot.place];
            const auto file = file_of_place_[spot.place];
            const bool other = file != file_of_function_[at.function];
            return std::tuple(at.function, other, file, at.address, at.line, spot.place);
        });
        for (std::size_t first = 0; first < spots.size();) {
            const auto function = exported_.places[spots[first].place].function;
            auto end = first;
            while (end < spots.size() && exported_.places[spots[end].place].function == function) ++end;
            write_function(function, std::span(spots).subspan(first, end - first));
            first = end;
        }
    }

    void begin_function(std::uint32_t object, std::string_view object_name, std::uint32_t file) {
        block_ += "\nob=";
        object_names_.put(block_, object, object_name);
        block_ += "fl=";
        file_names_.put(block_, file, files_[file]);
    }

    void write_function(std::uint32_t number, std::span<const Spot> spots) {
        const auto& function = exported_.functions[number];
        auto file = file_of_function_[number];
        begin_function(function.object, exported_.objects[function.object].path, file);
        block_ += "fn=";
        function_names_.put(block_, number, function.name);
        for (const auto& spot : spots) {
            const auto& place = exported_.places[spot.place];
            if (const auto own = file_of_place_[spot.place]; own != file) {
                file = own;
                block_ += "fi=";
                file_names_.put(block_, file, files_[file]);
            }
            if (const auto costs = costs_.of_place(spot.place); !costs.empty()) {
                put_costs(place.address, place.line, costs);
            }
            for (auto call = spot.first_call; call < spot.end_call; ++call) put_call(call, place.address, place.line);
        }
    }

    void put_call(std::size_t call, std::uint64_t address, std::uint32_t line) {
        const auto costs = costs_.of_call(call);
        if (costs.empty()) return;
        const auto callee = costs_.calls()[call].function;
        const auto& function = exported_.functions[callee];
        block_ += "cob=";
        object_names_.put(block_, function.object, exported_.objects[function.object].path);
        block_ += "cfi=";
        file_names_.put(block_, file_of_function_[callee], files_[file_of_function_[callee]]);
        block_ += "cfn=";
        function_names_.put(block_, callee, function.name);
        std::uint64_t passed = 0;
        for (const auto& cost : costs) passed += cost.passed;
        fmt::format_to(std::back_inserter(block_), "calls={} {:#x} {}\n", passed, lowest_[callee], function.line);
        put_costs(address, line, costs);
    }

    // Zeros at the end may be left out.
    void put_costs(std::uint64_t address, std::uint32_t line, std::span<const ColumnCost> costs) {
        fmt::format_to(std::back_inserter(block_), "{:#x} {}", address, line);
        std::uint32_t column = 0;
        bool wrote = false;
        for (const auto& cost : costs) {
            if (cost.count == EventCount()) continue;
            for (; column < cost.column; ++column) block_ += options_.periods ? " 0 0" : " 0";
            fmt::format_to(std::back_inserter(block_), " {}", cost.count.hits);
            if (options_.periods) fmt::format_to(std::back_inserter(block_), " {}", cost.count.periods);
            ++column;
            wrote = true;
        }
        block_ += wrote ? "\n" : " 0\n";
        if (block_.size() >= callgrind_block) flush();
    }

    void flush() {
        sink_(block_);
        block_.clear();
    }

    const Exported& exported_;
    const CallgrindOptions& options_;
    const Sink& sink_;
    std::span<const ExportEvent> events_;  // that are written
    CallCosts costs_;
    std::map<std::string_view, std::uint32_t> file_numbers_;  // a tree: log n each
    std::vector<std::string_view> files_;
    std::vector<std::uint32_t> file_of_function_, file_of_place_;
    std::uint32_t unknown_ = 0;          // the file "???"
    std::vector<std::uint64_t> lowest_;  // by function: the lowest address that is known
    NumberedNames object_names_, file_names_, function_names_;
    std::string block_;
};

}  // namespace

void write_callgrind(const Exported& exported, const CallgrindOptions& options, const Sink& sink) {
    CallgrindWriter(exported, options, sink).write();
}

}  // namespace perfdata
