// SPDX-License-Identifier: MIT
// kallsyms and perf maps: lines of an address and a name.
#include <algorithm>
#include <functional>
#include <optional>

#include "bundle/anonymize/byte_writer.hpp"
#include "bundle/anonymize/file_rewriters.hpp"
#include "bundle/anonymize/words.hpp"
#include "recording/pulse.hpp"
#include "recording/spool.hpp"

namespace perfdata {
namespace {

constexpr std::string_view text_copy = "anonymized names";
constexpr std::size_t longest_line = 1 << 16;

bool is_address(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return !text.empty() && text.size() <= 16 &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// take_word(line) returns what is in front of the first space, and takes both off the line.
std::string_view take_word(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

using RewriteLine = std::function<std::optional<std::string>(std::string_view line)>;

// rewrite_lines(file, rewrite, ...) writes what rewrite() makes of each line. Lines without a result, and those of more
// than 64 KiB, are counted as unreadable.
Result<std::shared_ptr<const Source>> rewrite_lines(const Source& file, const RewriteLine& rewrite, Tally& tally,
                                                    const Watch& watch) {
    auto spool = Spool::create(std::string(text_copy), ~std::uint64_t{0});
    if (!spool) return fail(std::move(spool.error()));
    Pulse pulse(watch, file.size());
    std::string waiting, made;
    bool too_long = false;
    constexpr std::size_t block = std::size_t{256} << 10;
    std::vector<std::byte> buffer(block);
    const auto take = [&](std::string_view line) {
        if (std::exchange(too_long, false) || line.size() > longest_line) return tally.add(Told::unreadable_lines);
        if (line.empty()) return;
        const auto fresh = rewrite(line);
        if (!fresh) return tally.add(Told::unreadable_lines);
        made += *fresh;
        made += '\n';
    };
    for (std::uint64_t at = 0;;) {
        const auto got = file.read_at(at, buffer);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        at += *got;
        auto rest = as_text(Bytes(buffer).first(*got));
        for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
            if (!pulse.go_on(end + 1)) return fail(pulse.stopped(std::string(text_copy)));
            waiting += rest.substr(0, end);
            take(waiting);
            waiting.clear();
            rest.remove_prefix(end + 1);
        }
        if (waiting.size() + rest.size() > longest_line) {
            too_long = true;
            waiting.clear();
        } else {
            waiting += rest;
        }
        if (auto written = spool->append(as_bytes(made)); !written) return fail(std::move(written.error()));
        made.clear();
    }
    if (too_long || !waiting.empty()) take(waiting);
    if (auto written = spool->append(as_bytes(made)); !written) return fail(std::move(written.error()));
    return std::move(*spool).finish();
}

}  // namespace

//     <address> <type> <name>[\t[<module>]]
Result<std::shared_ptr<const Source>> anonymous_kallsyms(const Source& file, const Names& names, Tally& tally,
                                                         const Watch& watch) {
    return rewrite_lines(
        file,
        [&](std::string_view line) -> std::optional<std::string> {
            const auto address = take_word(line), type = take_word(line);
            if (!is_address(address) || type.size() != 1 || type[0] < '!' || type[0] > '~') return {};
            const auto tab = std::min(line.find('\t'), line.size());
            const auto name = line.substr(0, tab);
            auto module = line.substr(std::min(tab + 1, line.size()));
            if (name.empty() || name.find(' ') != std::string_view::npos) return {};
            auto fresh = names.symbol(name);
            if (fresh != name) tally.add(Told::hashed_symbols);
            // Marks of assemblers, which no tool takes for symbols.
            if (name[0] == '$' || name.starts_with(".L") || name.starts_with("L0")) fresh = "$" + fresh;
            auto made = std::string(address) + " " + std::string(type) + " " + fresh;
            if (module.empty()) return made;
            if (module.size() < 2 || !module.starts_with('[') || !module.ends_with(']')) return {};
            module = module.substr(1, module.size() - 2);
            return made + "\t[" + names.module(module) + "]";
        },
        tally, watch);
}

//     <start> <size> <name>
Result<std::shared_ptr<const Source>> anonymous_perf_map(const Source& file, const Names& names, Tally& tally,
                                                         const Watch& watch) {
    return rewrite_lines(
        file,
        [&](std::string_view line) -> std::optional<std::string> {
            const auto start = take_word(line), size = take_word(line);
            if (!is_address(start) || !is_address(size) || line.empty()) return {};
            tally.add(Told::hashed_symbols);
            return std::string(start) + " " + std::string(size) + " " + names.symbol(line);
        },
        tally, watch);
}

}  // namespace perfdata
