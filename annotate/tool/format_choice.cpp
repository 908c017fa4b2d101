// SPDX-License-Identifier: MIT
// Which format an output gets: as an option says, or its ending, or the command's first one.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

#include "tool.hpp"

namespace perfdata::tool {
namespace {

bool holds(const std::vector<Format>& formats, Format format) {
    const auto is_meant = [&](Format other) {
        return other == format || (format == Format::json && other == Format::json_lines) ||
               (format == Format::csv && other == Format::csv_tables);
    };
    return std::ranges::any_of(formats, is_meant);
}

// Returns which command makes files with such an ending, as a clause.
std::string_view made_elsewhere(const Ending& ending) {
    if (!ending.format) return {};
    switch (*ending.format) {
        case Format::html: return ", which perfdata annotate makes";
        case Format::elf: return ", which perfdata extract makes";
        case Format::folded:
        case Format::pprof:
        case Format::speedscope:
        case Format::firefox:
        case Format::callgrind:
        case Format::autofdo:
        case Format::bolt: return ", which perfdata export makes";
        case Format::bundle: return ", which perfdata collect makes";
        case Format::profile: return ", which perfdata profile makes";
        default: return {};
    }
}

}  // namespace

void Common::choose_format(const CLI::App& command) {
    const bool as_json = json && !summary_;
    const auto contradicts = [&](bool asked, Format other) {
        return asked && !format.empty() && format != option_word(other);
    };
    if (contradicts(as_json, Format::json) || contradicts(stdio_, Format::text)) {
        throw CLI::ValidationError(
            "--format", fmt::format("{}: {} asks for another format", format, as_json ? "--json" : "--stdio"));
    }
    if (stdio_) format = option_word(Format::text);
    const bool given = !format.empty();
    // The name of a device, FIFO or descriptor implies no format.
    auto ending = place && place->is_file() ? known_ending(output) : std::nullopt;
    // A bundle is packed with zstd.
    const bool bundles = formats_.front() == Format::bundle;
    if (bundles && ending && ending->text == ".zst") ending->format = Format::bundle;
    // A profile is one of pprof, with more in it.
    const bool profiles = formats_.front() == Format::profile;
    if (profiles && ending && ending->format == Format::pprof) ending->format = Format::profile;
    if (as_json) {
        format = option_word(Format::json);
    } else if (!given && ending) {
        if (!ending->format || !holds(formats_, *ending->format)) {
            throw CLI::ValidationError(
                "--output", fmt::format("{}: perfdata {} has no format for {}{}; choose by the ending{}: {}", output,
                                        command.get_name(), ending->text, made_elsewhere(*ending),
                                        command.get_option_no_throw("--format") != nullptr ? " or with --format" : "",
                                        formats_in_words(formats_)));
        }
        format = option_word(*ending->format);
    } else if (!given) {
        format = option_word(formats_.front());
    }
    if (!given && !ending && !as_json && place && place->is_file() && !quiet) note_default();
    const auto is = [&](Format other) { return format == option_word(other); };
    const auto agrees_with = [&](Format meant) {
        // These are JSON, too.
        const bool as_lines = is(Format::lines) || is(Format::speedscope) || is(Format::firefox);
        return is(meant) || (meant == Format::json && as_lines);
    };
    const bool agrees = !ending || (ending->format && agrees_with(*ending->format));
    if (!agrees && !quiet) {
        complain(fmt::format("note: {} gets {}, as {} says, whatever its ending", output, format,
                             as_json  ? "--json"
                             : stdio_ ? "--stdio"
                                      : "--format"));
    }
    if (!summary_) json = format == option_word(Format::json);
}

void Common::note_default() const {
    const auto ending = std::filesystem::path(output).extension().string();
    if (ending.size() <= 1) return;
    if (formats_.front() == Format::folded) {
        complain(fmt::format("note: {} gets folded stacks; --format chooses another format", output));
    } else if (formats_.front() == Format::elf && ending != ".o" && ending != ".so") {
        complain(fmt::format("note: {} gets an ELF file; --format raw writes the bytes of the code alone", output));
    }
}

}  // namespace perfdata::tool
