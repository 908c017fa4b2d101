// SPDX-License-Identifier: MIT
#include "bundle/bundle_writer.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"
#include "perfdata/symbols/elf/find/archived_files.hpp"

#include "format/json_writer.hpp"

namespace perfdata {
namespace {

constexpr std::string_view bundle_index_name = "bundle.json";
constexpr std::uint32_t bundle_index_version = 1;

void write_bundle_counts(JsonWriter& json, std::string_view name,
                         const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
    json.key(name);
    json.begin_object();
    for (const auto& [kind, count] : counts) json.member(kind, count);
    json.end_object();
}

std::string bundle_index_text(const BundleIndex& index, std::span<const BundleContent> members,
                              std::span<const std::string> hashes) {
    std::string text;
    const Sink sink = [&](std::string_view part) { text += part; };
    JsonWriter json(sink);
    json.begin_object();
    json.member("perfdata_bundle", bundle_index_version);
    json.member("recording", index.recording);
    json.key("members");
    json.begin_array();
    for (std::size_t at = 0; at < members.size(); ++at) {
        const auto& [member, content] = members[at];
        json.begin_object();
        json.member("name", member.name);
        json.member("size", content->size());
        json.member("sha256", hashes[at]);
        json.member("kind", member.kind);
        if (!member.path.empty()) json.member("path", member.path);
        if (!member.build_id.empty()) json.member("build_id", member.build_id);
        if (!member.recorded.empty() && member.recorded != member.path) json.member("recorded", member.recorded);
        if (member.samples) json.member("samples", *member.samples);
        json.end_object();
    }
    json.end_array();
    json.key("missing");
    json.begin_array();
    for (const auto& missing : index.missing) {
        json.begin_object();
        json.member("kind", missing.kind);
        json.member("path", missing.path);
        if (!missing.build_id.empty()) json.member("build_id", missing.build_id);
        json.member("why", missing.why);
        if (!missing.reason.empty()) json.member("reason", missing.reason);
        if (missing.samples) json.member("samples", *missing.samples);
        json.end_object();
    }
    json.end_array();
    write_bundle_counts(json, "left_out", index.left_out);
    json.member("debug", index.debug);
    json.member("sources", index.sources);
    if (!index.anonymized.empty()) write_bundle_counts(json, "anonymized", index.anonymized);
    json.end_object();
    json.finish();
    return text;
}

}  // namespace

Result<void> write_bundle(std::vector<BundleContent> recording, std::vector<BundleContent> others,
                          const BundleIndex& index, const Sink& sink, const Watch& watch, const MemberHashes& known) {
    if (!ArchivedFiles::available())
        return pack_members(
            {}, [](Bytes) {}, watch);  // says why
    const auto name_of = [](const BundleContent& content) -> const std::string& { return content.member.name; };
    if (!recording.empty()) std::ranges::sort(recording.begin() + 1, recording.end(), {}, name_of);
    std::ranges::sort(others, {}, name_of);
    auto members = std::move(recording);
    members.insert(members.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));

    std::vector<std::string_view> names{bundle_index_name};
    for (const auto& content : members) names.push_back(content.member.name);
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
        return fail(ErrorCode::malformed, Error::no_offset, std::string(*twice), "would be in the bundle twice");
    }

    std::uint64_t all = 0, done = 0;
    for (const auto& content : members) all += content.content->size();
    std::vector<std::string> hashes;
    for (const auto& [member, content] : members) {
        Watch part{watch.stop, {}};
        if (watch.progress)
            part.progress = [&](std::uint64_t read, std::uint64_t) { watch.progress(done + read, all); };
        auto hash = sha256_of(*content, part);
        if (!hash) {
            if (hash.error().where.empty()) hash.error().where = member.name;
            return fail(std::move(hash.error()));
        }
        if (const auto was = known.find(member.name); was != known.end() && was->second != *hash) {
            return fail(ErrorCode::mismatch, Error::no_offset, member.name, "has changed while it was packed");
        }
        hashes.push_back(std::move(*hash));
        done += content->size();
    }

    // The index stands second, so that it is found without a look at the rest, however many files a directory has.
    const auto text = bundle_index_text(index, members, hashes);
    std::vector<PackedMember> packed;
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (at == 1) packed.push_back({std::string(bundle_index_name), memory_source(as_bytes(text))});
        packed.push_back({members[at].member.name, members[at].content, hashes[at]});
    }
    if (members.size() <= 1) packed.push_back({std::string(bundle_index_name), memory_source(as_bytes(text))});
    const Callback<void(Bytes)> put = [&](Bytes bytes) { sink(as_text(bytes)); };
    return pack_members(packed, put, watch);
}

}  // namespace perfdata
