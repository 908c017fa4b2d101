// SPDX-License-Identifier: MIT
#include "stored_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "perfdata/core/small_algorithms.hpp"

#include "recording/stored/problems.hpp"
#include "stored_cgroups.hpp"

namespace perfdata {
namespace {

// Tags are numbers with their first byte on top.
BpfTag tag_of(std::uint64_t number) {
    BpfTag tag;
    for (std::size_t at = tag.size(); at-- > 0; number >>= 8) tag[at] = static_cast<std::byte>(number);
    return tag;
}

// Appends the integer in the host's order.
template <class Integer>
void append(std::vector<std::byte>& bytes, Integer value) {
    const auto at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

std::optional<std::pair<Time, Time>> Timeline::Restored::life_of_jit(std::uint32_t index) const {
    const auto& functions = frames.jit_functions();
    if (index >= functions.size()) return {};
    const auto& versions = model->versions;
    const auto version = std::ranges::lower_bound(versions, functions[index], {}, &stored::Version::function);
    if (version == versions.end() || version->function != functions[index]) return {};
    return std::pair(Time{version->from}, Time{version->until});
}

Timeline StoredTimeline::restore(const Shared<const stored::Model>& model, const Limits& limits, Timeline timeline,
                                 LookOut& look) {
    auto restored = Shared<Timeline::Restored>::make(model);
    StoredTimeline made(timeline, *restored, look);
    made.restore_infos();
    made.restore_loads();
    made.restore_code();
    made.restore_objects();
    made.restore_tasks();
    made.restore_completeness(limits);
    timeline.restored_ = Shared<const Timeline::Restored>(std::move(restored));
    return timeline;
}

// Views of the arrays are made once all bytes are there.
void StoredTimeline::restore_infos() {
    std::size_t size = 0;
    for (const auto& load : model_.loads) {
        size += sizeof(std::uint32_t) * load.info.map_ids.size() + sizeof(BpfTag) * load.info.function_tags.size();
    }
    auto& bytes = restored_.bytes;
    bytes.reserve(size);
    for (const auto& load : model_.loads) {
        look_();
        for (const auto id : load.info.map_ids) append(bytes, id);
        for (const auto tag : load.info.function_tags) {
            const auto of = tag_of(tag);
            bytes.insert(bytes.end(), of.begin(), of.end());
        }
    }
    std::size_t at = 0;
    const auto take = [&](BpfProgramInfo& info, BpfArray array, std::size_t count, std::size_t stride) {
        if (count == 0) return;
        const auto content = Bytes(bytes).subspan(at, count * stride);
        info.arrays[static_cast<std::size_t>(array)] = {BpfArrayState::present, 0, static_cast<std::uint32_t>(count),
                                                        stride, content};
        at += content.size();
    };
    restored_.infos.reserve(model_.loads.size());
    for (const auto& load : model_.loads) {
        look_();
        BpfProgramInfo info;
        info.type = load.info.type;
        info.id = {load.id};
        info.tag = tag_of(load.tag);
        info.jited_size = load.info.jited_size;
        info.xlated_size = load.info.xlated_size;
        info.load_time = load.info.load_time;
        info.created_by_uid = load.info.created_by_uid;
        info.name = model_.text(load.info.name);
        info.btf_id = load.info.btf_id;
        info.run_time_ns = load.info.run_time_ns;
        info.run_count = load.info.run_count;
        info.recursion_misses = load.info.recursion_misses;
        info.verified_instructions = load.info.verified_instructions;
        info.attach_btf_object_id = load.info.attach_btf_object_id;
        info.attach_btf_id = load.info.attach_btf_id;
        info.map_count = load.info.map_count;
        info.order = AnyOrder(std::endian::native);
        take(info, BpfArray::map_ids, load.info.map_ids.size(), sizeof(std::uint32_t));
        take(info, BpfArray::prog_tags, load.info.function_tags.size(), sizeof(BpfTag));
        restored_.infos.push_back(info);
    }
}

void StoredTimeline::restore_loads() {
    timeline_.loads_.reserve(model_.loads.size());
    for (std::size_t index = 0; index < model_.loads.size(); ++index) {
        look_();
        const auto& row = model_.loads[index];
        BpfLoad load;
        load.id = {row.id};
        load.tag = tag_of(row.tag);
        load.info = row.info.known ? &restored_.infos[index] : nullptr;
        load.loaded_at = {row.loaded_at};
        load.unloaded_at = {row.unloaded_at};
        load.symbol_name = model_.text(row.symbol_name);
        load.stored_count = row.functions;
        timeline_.loads_.push_back(std::move(load));
    }
}

void StoredTimeline::restore_code() {
    timeline_.code_.reserve(model_.codes.size());
    for (std::size_t index = 0; index < model_.codes.size(); ++index) {
        look_();
        const auto& row = model_.codes[index];
        Code code;
        code.kind = row.kind.as<CodeKind>();
        code.range = {{row.address}, row.size};
        code.from = {row.from};
        code.until = {row.until};
        code.symbol = model_.text(row.symbol);
        code.subprogram = row.subprogram;
        if (row.load) {
            code.load = row.load.number;
            timeline_.loads_[row.load.number].functions.push_back(static_cast<CodeIndex>(index));
        }
        timeline_.code_.push_back(code);
    }
    for (auto& load : timeline_.loads_) {
        std::ranges::sort(load.functions, {}, look_.by([&](CodeIndex index) {
            return std::pair(timeline_.code_[index].subprogram, index);
        }));
    }
}

void StoredTimeline::restore_objects() {
    timeline_.tasks_.objects_.reserve(model_.objects.size());
    for (const auto& row : model_.objects) {
        look_();
        Object object;
        object.path = model_.text(row.path);
        object.kind = row.kind.as<ObjectKind>();
        std::optional<BuildId> id;
        if (!row.build_id.empty()) {
            id.emplace();
            const auto size = std::min(row.build_id.size(), id->value.size());
            std::memcpy(id->value.data(), row.build_id.data(), size);
            id->size = static_cast<std::uint8_t>(size);
            timeline_.build_ids_.try_emplace(object.path, *id);
        }
        // The kernel's is known by its path alone.
        if (object.kind == ObjectKind::file) object.build_id = id;
        if (row.major != 0 || row.minor != 0 || row.inode != 0 || row.generation != 0) {
            object.inode = FileInode{row.major, row.minor, row.inode, row.generation};
        }
        timeline_.tasks_.objects_.push_back(std::move(object));
    }
}

void StoredTimeline::restore_tasks() {
    auto& tasks = timeline_.tasks_;
    const auto ids = stored_cgroup_ids(model_);
    for (std::size_t index = 0; index < ids.size(); ++index) {
        look_();
        const auto& row = model_.cgroups[index];
        if (row.path) tasks.cgroups_.emplace(ids[index], std::string(model_.text(row.path)));
    }
    std::set<std::uint32_t> comms;
    for (const auto& task : model_.tasks) {
        look_();
        if (task.comm && !task.further && comms.insert(task.comm.number).second) {
            tasks.comms_.emplace_back(model_.text(task.comm));
        }
    }
}

void StoredTimeline::restore_completeness(const Limits& limits) {
    const auto& facts = model_.facts;
    auto& completeness = timeline_.completeness_;
    completeness.bytes = {facts.bytes_total, facts.bytes_records, facts.bytes_outside, facts.bytes_unread};
    for (const auto& row : facts.records) completeness.records[row.type] = {row.decoded, row.skipped, row.damaged};
    completeness.lost_events = facts.lost_events;
    completeness.lost_samples = facts.lost_samples;
    completeness.filtered_samples = facts.filtered_samples;
    // The pass over the records counts all copies: whether they are unwound is known later.
    completeness.stacks_not_unwound = add_up_to_most(facts.stacks, facts.stacks_not_unwound);
    completeness.diagnostics = stored::log(model_, facts.diagnostics, limits.diagnostics);
    completeness.counts_losses = facts.counts_losses;
    for (std::uint32_t index = 0; index < model_.events.size(); ++index) {
        const auto& row = model_.events[index];
        if (!row.has_losses) continue;
        completeness.losses[index] = {std::string(model_.text(row.name)), row.counted, row.lost, row.filtered};
    }
}

}  // namespace perfdata
