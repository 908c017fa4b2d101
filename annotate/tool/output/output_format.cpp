// SPDX-License-Identifier: MIT
#include "output_format.hpp"

#include <algorithm>
#include <array>

namespace perfdata::tool {
namespace {

// Endings known to users of profilers and documents, and those of packed files: an output with such a name is not meant
// to be text.
constexpr std::array<Ending, 48> endings = {{
    {".txt", Format::text},
    {".json", Format::json},
    {".jsonl", Format::json_lines},
    {".ndjson", Format::json_lines},
    {".html", Format::html},
    {".htm", Format::html},
    {".elf", Format::elf},
    {".csv", Format::csv},
    {".tsv", {}},
    {".xml", {}},
    {".yaml", {}},
    {".yml", {}},
    {".pdf", {}},
    {".svg", {}},
    {".png", {}},
    {".jpg", {}},
    {".jpeg", {}},
    {".md", {}},
    {".xls", {}},
    {".xlsx", {}},
    {".ods", {}},
    {".db", {}},
    {".sqlite", {}},
    {".pb", {}},
    {".parquet", {}},
    {".pprof", Format::pprof},
    {".prof", Format::pprof},
    {".folded", Format::folded},
    {".collapsed", Format::folded},
    {".pb.gz", Format::pprof},
    {".profile.pb.gz", Format::profile},
    {".speedscope", Format::speedscope},
    {".speedscope.json", Format::speedscope},
    {".firefox.json", Format::firefox},
    {".callgrind", Format::callgrind},
    {".afdo", Format::autofdo},
    {".fdata", Format::bolt},
    {".tar.zst", Format::bundle},
    {".tzst", Format::bundle},
    {".tar", {}},
    {".tgz", {}},
    {".txz", {}},
    {".gz", {}},
    {".xz", {}},
    {".zst", {}},
    {".bz2", {}},
    {".zip", {}},
    {".7z", {}},
}};

// What valgrind calls its files (callgrind.out.PID), and KCachegrind's dialog lists.
constexpr Ending callgrind_files{"callgrind.out", Format::callgrind};

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string_view in_words(Format format) {
    switch (format) {
        case Format::text: return "text (.txt)";
        case Format::json: return "JSON (.json)";
        case Format::json_lines: return "JSON (.json, .jsonl)";
        case Format::html: return "HTML (.html)";
        case Format::lines: return "JSON by source line (--format lines)";
        case Format::csv: return "CSV (.csv)";
        case Format::csv_tables: return "CSV (--format csv with -o DIRECTORY or --table NAME)";
        case Format::elf: return "ELF (.elf)";
        case Format::raw: return "raw bytes (--format raw)";
        case Format::folded: return "folded stacks (.folded)";
        case Format::pprof: return "pprof (.pb.gz)";
        case Format::speedscope: return "speedscope (.speedscope.json)";
        case Format::firefox: return "Firefox's profiler (.firefox.json)";
        case Format::callgrind: return "callgrind (callgrind.out.NAME)";
        case Format::autofdo: return "AutoFDO (.afdo)";
        case Format::bolt: return "BOLT (.fdata)";
        case Format::bundle: return "a bundle (.tar.zst)";
        case Format::profile: return "a profile (.profile.pb.gz)";
    }
    return {};
}

}  // namespace

std::optional<Ending> known_ending(std::string_view name) {
    name.remove_prefix(std::min(name.size(), name.rfind('/') + 1));
    std::optional<Ending> found;
    for (const auto& ending : endings) {
        if (name.size() <= ending.text.size() || (found && found->text.size() > ending.text.size())) continue;
        const auto end = name.substr(name.size() - ending.text.size());
        if (std::ranges::equal(end, ending.text, {}, lower)) found = ending;
    }
    return !found && name.starts_with(callgrind_files.text) ? callgrind_files : found;
}

std::string_view option_word(Format format) {
    switch (format) {
        case Format::text: return "text";
        case Format::json:
        case Format::json_lines: return "json";
        case Format::html: return "html";
        case Format::lines: return "lines";
        case Format::csv:
        case Format::csv_tables: return "csv";
        case Format::elf: return "elf";
        case Format::raw: return "raw";
        case Format::folded: return "folded";
        case Format::pprof: return "pprof";
        case Format::speedscope: return "speedscope";
        case Format::firefox: return "firefox";
        case Format::callgrind: return "callgrind";
        case Format::autofdo: return "autofdo";
        case Format::bolt: return "bolt";
        case Format::bundle: return "bundle";
        case Format::profile: return "profile";
    }
    return {};
}

std::string formats_in_words(const std::vector<Format>& formats) {
    // Beside bundles the others are of --check.
    const bool bundles = formats.size() > 1 && formats.front() == Format::bundle;
    std::string words;
    for (std::size_t index = 0; index < formats.size(); ++index) {
        const bool last = index + 1 == formats.size();
        if (index != 0) words += bundles && index == 1 ? "; with --check " : last ? " or " : ", ";
        words += in_words(formats[index]);
    }
    return words;
}

}  // namespace perfdata::tool
