// SPDX-License-Identifier: MIT
#include "collect_inputs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"
#include "perfdata/wire/file_header.hpp"

#include "collect_recording.hpp"
#include "tool/output/made_permissions.hpp"

namespace perfdata::tool {
namespace {

std::unexpected<Error> has_changed(const std::string& path, const char* what) {
    return fail(ErrorCode::mismatch, Error::no_offset, path, std::string(what) + " while it was packed: collect again");
}

bool is_file(const platform::FileStatus& name, const FileState& file) {
    return name.device == file.device && name.inode == file.inode;
}

bool is_written(const platform::FileStatus& was, const platform::FileStatus& now) {
    return was.size != now.size || was.seconds != now.seconds || was.nanoseconds != now.nanoseconds;
}

}  // namespace

Result<CollectInputs> CollectInputs::of(const Recording& recording, std::vector<BundleContent> files) {
    CollectInputs inputs;
    inputs.path_ = recording.path();
    inputs.bundle_ = recording.bundle();
    inputs.files_ = std::move(files);
    auto head = read_part(*inputs.files_.front().content, 0, FileHeader::bytes);
    if (!head) return fail(std::move(head.error()));
    inputs.head_ = std::move(*head);
    const auto name = inputs.path_ == "-" ? std::unexpected(0) : platform::status(inputs.path_);
    if (name && (name->is_regular() || name->is_directory())) inputs.name_ = *name;
    return inputs;
}

Result<void> CollectInputs::hash(const Watch& watch) {
    if (bundle_) return {};
    for (const auto& [member, content] : files_) {
        const auto state = file_state(*content);
        if (!state) continue;  // a copy of what was read from a pipe, or unpacked
        if (state->change != FileState::Change::none) return has_changed(state->path, "has changed");
        auto hash = sha256_of(*content, watch);
        if (!hash) return fail(std::move(hash.error()));
        hashes_.insert_or_assign(member.name, std::move(*hash));
    }
    return {};
}

Result<void> CollectInputs::check_hashes(const Watch& watch) const {
    for (const auto& [member, content] : files_) {
        const auto known = hashes_.find(member.name);
        if (known == hashes_.end()) continue;
        const auto hash = sha256_of(*content, watch);
        if (!hash) return fail(hash.error());
        const auto state = file_state(*content);
        if (*hash != known->second) return has_changed(state ? state->path : path_, "has changed");
    }
    return {};
}

std::uint32_t CollectInputs::bundle_permissions(const Needed& needed) const {
    const auto is_everybodys = [](const BundleContent& file) { return everybody_may_read(*file.content); };
    const bool everybodys =
        bundle_ ? everybody_may_read(bundle_->source()) : std::ranges::all_of(files_, is_everybodys);
    const auto is_restricted = [&](const NeededFile& file) {
        const std::string_view kind = file.member.kind;
        if (kind == "kallsyms" || kind == "kcore" || kind == "vmlinux" || kind == "source" || kind == "perf_map") {
            return true;
        }
        if (bundle_) return false;  // what it has was judged when it was packed
        const auto& read = file.read_from ? *file.read_from : *file.content;
        return !is_own_vdso(read) && !everybody_may_read(read);
    };
    const bool restricted =
        std::ranges::any_of(needed.files, is_restricted) ||
        std::ranges::any_of(files_, [](const BundleContent& file) { return file.member.name.contains("/kcore_dir/"); });
    return made_permissions(everybodys && !restricted);
}

Result<void> CollectInputs::check_recording() const {
    if (bundle_) {
        const auto now = name_ ? platform::status(path_) : std::unexpected(0);
        if (now && now->is_same_file(*name_) && is_written(*name_, *now)) return has_changed(path_, "has changed");
        return {};
    }
    const bool directory = name_ && name_->is_directory();
    for (const auto& [member, content] : files_) {
        const auto state = file_state(*content);
        if (!state) continue;
        if (state->change == FileState::Change::changed) return has_changed(state->path, "has changed");
        if (!directory) continue;
        // Names of the kernel are read from the directory, by name.
        const auto now = platform::status(state->path);
        if (!now || !is_file(*now, *state)) return has_changed(state->path, "was replaced");
    }
    const auto main = file_state(*files_.front().content);
    if (main && main->change == FileState::Change::grown) {
        // The recorder completes the header when it ends: then there is more than was looked at.
        const auto head = read_part(*files_.front().content, 0, FileHeader::bytes);
        if (!head) return fail(head.error());
        if (*head != head_) return has_changed(main->path, "was completed");
    }
    return {};
}

Result<void> CollectInputs::check(const Needed& needed) const {
    if (auto same = check_recording(); !same) return same;
    for (const auto& file : needed.files) {
        const auto state = file_state(file.read_from ? *file.read_from : *file.content);
        if (state && state->change != FileState::Change::none &&
            (file.member.kind != "jitdump" || state->change == FileState::Change::changed)) {
            return has_changed(file.from, "has changed");
        }
    }
    return {};
}

std::vector<std::string> CollectInputs::notes() const {
    std::vector<std::string> notes;
    for (const auto& [member, content] : files_) {
        const auto state = file_state(*content);
        if (state && state->change == FileState::Change::grown) {
            notes.push_back(state->path + " has grown: what it had when it was opened is packed");
        }
    }
    const auto main = bundle_ ? std::nullopt : file_state(*files_.front().content);
    if (main && name_ && name_->is_regular()) {
        const auto now = platform::status(path_);
        if (!now || !is_file(*now, *main)) {
            notes.push_back(path_ + " was replaced: the file that had this name before is packed");
        }
    }
    return notes;
}

}  // namespace perfdata::tool
