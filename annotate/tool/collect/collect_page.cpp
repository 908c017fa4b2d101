// SPDX-License-Identifier: MIT
#include "collect_page.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perfdata/recording/left_out.hpp"

#include "format/json_writer.hpp"
#include "format/text_writer.hpp"
#include "format/words.hpp"

namespace perfdata::tool {
namespace {

std::uint64_t bytes_of(const CollectPage& page) {
    std::uint64_t sum = 0;
    for (const auto& [member, content] : page.files) sum += content->size();
    for (const auto& file : page.needed.files) sum += file.content->size();
    return sum;
}

void write_by(JsonWriter& json, const NeededBy& by) {
    if (by.samples_known) json.member("samples", by.samples);
    if (by.commands_known)
        json.array("commands", by.commands, [](const std::string& command) { return std::string_view(command); });
}

void write_file(JsonWriter& json, const BundleMember& member, const Source& content) {
    json.member("name", member.name);
    json.member("kind", member.kind);
    json.member("size", content.size());
    if (!member.path.empty()) json.name("path", member.path);
    if (!member.recorded.empty() && member.recorded != member.path) json.name("recorded", member.recorded);
    if (!member.build_id.empty()) json.member("build_id", member.build_id);
}

}  // namespace

std::string missing_text(const NeededMissing& missing) {
    auto text = fmt::format("{}: {}", missing.path, missing.text);
    if (const auto& by = missing.by; by.samples != 0) {
        text += fmt::format(" ({} need{} it", how_many(by.samples, "sample"), by.samples == 1 ? "s" : "");
        if (!by.commands.empty()) {
            text +=
                fmt::format(", {} {}", by.commands.size() == 1 ? "command" : "commands", fmt::join(by.commands, ", "));
        }
        text += ')';
    }
    if (!missing.remedy.empty()) text += "; " + missing.remedy;
    return text;
}

std::string left_out_text(const NeededLeftOut& left_out) {
    auto text = perfdata::left_out_text(left_out.number, left_out.what);
    const auto& examples = left_out.examples;
    if (examples.empty()) return text;
    constexpr std::size_t few = 3;
    const auto shown = std::min(few, examples.size());
    return fmt::format("{} ({}{})", text,
                       fmt::join(examples.begin(), examples.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       left_out.number > shown ? ", ..." : "");
}

void write_collect_text(const CollectPage& page, bool color, const Sink& sink) {
    TextWriter out(color);
    out.styled(TextStyle::title,
               fmt::format("# {}: {} in a bundle, {} bytes before they are packed", printable(page.recording),
                           how_many(page.files.size() + page.needed.files.size(), "file"), bytes_of(page)));
    out.put("\n# ");
    out.print("{:<9} {:>12} {:>10}  {}\n", "kind", "bytes", "samples", "file");
    for (const auto& [member, content] : page.files) {
        out.print("  {:<9} {:>12} {:>10}  {}\n", member.kind, content->size(), "", printable(member.name));
        out.hand_out(sink);
    }
    for (const auto& file : page.needed.files) {
        // What was recorded is what users know; where it is here may be a cache that names it by its build id.
        const auto& recorded = file.member.recorded.empty() ? file.member.path : file.member.recorded;
        const auto where =
            recorded.empty() || recorded == file.from ? file.from : fmt::format("{} (from {})", recorded, file.from);
        out.print("  {:<9} {:>12} {:>10}  {}\n", file.member.kind, file.content->size(),
                  file.by.samples_known ? std::to_string(file.by.samples) : "", printable(where));
        out.hand_out(sink);
    }
    if (page.needed.missing.empty()) {
        out.put("# nothing is missing\n");
    } else {
        out.styled(TextStyle::title,
                   fmt::format("# {} missing", page.needed.missing.size() == 1
                                                   ? "1 file is"
                                                   : fmt::format("{} files are", page.needed.missing.size())));
        out.put("\n");
    }
    for (const auto& missing : page.needed.missing) {
        out.print("  {:<9} {}\n", missing.kind, printable(missing_text(missing)));
        out.hand_out(sink);
    }
    if (!page.needed.left_out.empty()) out.put("# left out\n");
    for (const auto& one : page.needed.left_out) out.print("  {}\n", printable(left_out_text(one)));
    out.hand_out(sink);
}

void write_collect_json(const CollectPage& page, const Sink& sink) {
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.collect/1");
    json.name("recording", page.recording);
    json.member("bytes", bytes_of(page));
    json.key("files");
    json.begin_array();
    for (const auto& [member, content] : page.files) {
        json.begin_object();
        write_file(json, member, *content);
        json.end_object();
    }
    for (const auto& file : page.needed.files) {
        json.begin_object();
        write_file(json, file.member, *file.content);
        json.name("from", file.from);
        write_by(json, file.by);
        json.end_object();
    }
    json.end_array();
    json.key("missing");
    json.begin_array();
    for (const auto& missing : page.needed.missing) {
        json.begin_object();
        json.member("kind", missing.kind);
        json.name("path", missing.path);
        if (!missing.build_id.empty()) json.member("build_id", missing.build_id);
        json.member("why", missing.why);
        json.member("reason", missing.text);
        if (!missing.remedy.empty()) json.member("remedy", missing.remedy);
        write_by(json, missing.by);
        json.end_object();
    }
    json.end_array();
    json.key("left_out");
    json.begin_array();
    for (const auto& one : page.needed.left_out) {
        json.begin_object();
        json.member("what", one.what);
        json.member("number", one.number);
        json.array("examples", one.examples, [](const std::string& example) { return std::string_view(example); });
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.finish();
}

}  // namespace perfdata::tool
