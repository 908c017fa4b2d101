// SPDX-License-Identifier: MIT
#include "perfdata/recording/bpf_features.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "perfdata/wire/feature/bpf_prog_reader.hpp"
#include "perfdata/wire/feature/btf_reader.hpp"

namespace perfdata {
namespace {

using Index = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The index is sorted by id, then by place in the file: the first entry of an id wins.
template <class T>
const T* look_up(const Index& index, const std::vector<T>& entries, std::uint32_t id) {
    const auto found = std::ranges::lower_bound(index, std::pair<std::uint32_t, std::uint32_t>(id, 0));
    return found != index.end() && found->first == id ? &entries[found->second] : nullptr;
}

// open(...) returns the payload of a feature that the recording has; damage goes to the log.
std::optional<Cursor> open(const Recording& recording, Feature feature, std::string_view where,
                           std::vector<std::byte>& bytes, DiagnosticLog& log) {
    const auto* section = recording.feature(feature);
    if (section == nullptr || !section->inside_file) return {};
    auto content = recording.read_feature(feature);
    if (!content) {
        log.add(std::move(content.error()));
        return {};
    }
    bytes = std::move(*content);
    return Cursor(bytes, recording.order(), {.where = where, .offset = section->section.offset});
}

}  // namespace

BpfFeatures BpfFeatures::read(const Recording& recording) {
    BpfFeatures features;
    features.diagnostics_ = DiagnosticLog(recording.limits().diagnostics);
    features.read_programs(recording);
    features.read_btf(recording);
    return features;
}

void BpfFeatures::read_programs(const Recording& recording) {
    constexpr std::string_view where = "feature BPF_PROG_INFO";
    const auto in = open(recording, Feature::bpf_prog_info, where, program_bytes_, diagnostics_);
    if (!in) return;
    BpfProgramReader reader(*in);
    for (;;) {
        auto program = reader.next();
        if (!program) {
            diagnostics_.add(std::move(program.error()));
            break;
        }
        if (!*program) break;
        if (programs_.size() == recording.limits().bpf_programs) {
            diagnostics_.add({ErrorCode::limit, (*program)->offset, std::string(where), "too many programs"});
            break;
        }
        for (std::size_t which = 0; which < bpf_array_count; ++which) {
            const auto& array = (*program)->arrays[which];
            if (array.state != BpfArrayState::damaged) continue;
            diagnostics_.add({ErrorCode::malformed, (*program)->offset, std::string(where),
                              "program " + std::to_string((*program)->id.value) + ": " +
                                  std::string(to_string(static_cast<BpfArray>(which))) + " (" +
                                  std::to_string(array.count) + " x " + std::to_string(array.stride) +
                                  " bytes at offset " + std::to_string(array.offset) +
                                  ") does not lie inside the program's data"});
        }
        programs_.push_back(std::move(**program));
    }
    // The first of several entries with one id counts.
    std::set<std::uint32_t> seen;
    std::erase_if(programs_, [&](const BpfProgramInfo& program) { return !seen.insert(program.id.value).second; });
    for (const auto& program : programs_) {
        program_by_id_.emplace_back(program.id.value, static_cast<std::uint32_t>(program_by_id_.size()));
    }
    std::ranges::sort(program_by_id_);
}

void BpfFeatures::read_btf(const Recording& recording) {
    const auto in = open(recording, Feature::bpf_btf, "feature BPF_BTF", btf_bytes_, diagnostics_);
    if (!in) return;
    BtfReader reader(*in);
    for (;;) {
        auto blob = reader.next();
        if (!blob) {
            diagnostics_.add(std::move(blob.error()));
            break;
        }
        if (!*blob) break;
        if (btf_.size() == recording.limits().bpf_programs) {
            diagnostics_.add({ErrorCode::limit, (*blob)->offset, "feature BPF_BTF", "too many BTF blobs"});
            break;
        }
        btf_by_id_.emplace_back((*blob)->id, static_cast<std::uint32_t>(btf_.size()));
        btf_.push_back(**blob);
    }
    std::ranges::sort(btf_by_id_);
}

const BpfProgramInfo* BpfFeatures::program(ProgramId id) const {
    return look_up(program_by_id_, programs_, id.value);
}

const BtfBlob* BpfFeatures::btf(std::uint32_t id) const {
    return look_up(btf_by_id_, btf_, id);
}

BpfFeatures::BpfFeatures() = default;
BpfFeatures::BpfFeatures(BpfFeatures&&) noexcept = default;
BpfFeatures& BpfFeatures::operator=(BpfFeatures&&) noexcept = default;
BpfFeatures::~BpfFeatures() = default;

std::span<const BpfProgramInfo> BpfFeatures::programs() const {
    return programs_;
}

std::span<const BtfBlob> BpfFeatures::btf() const {
    return btf_;
}

}  // namespace perfdata
