// SPDX-License-Identifier: MIT
#include "support/scene.hpp"

#include <algorithm>
#include <stdexcept>

namespace perfdata::test {

BpfTag tag_of(std::uint64_t number) {
    BpfTag tag{};
    for (std::size_t index = 0; index < tag.size(); ++index) {
        tag[index] = static_cast<std::byte>(number >> 8 * (tag.size() - 1 - index) & 0xff);
    }
    return tag;
}

std::string symbol_of(const BpfTag& tag, std::string_view name) {
    std::string text = "bpf_prog_";
    for (const auto byte : tag) {
        for (const auto digit : {std::to_integer<unsigned>(byte) / 16, std::to_integer<unsigned>(byte) % 16}) {
            text += "0123456789abcdef"[digit];
        }
    }
    return name.empty() ? text : text + "_" + std::string(name);
}

std::string Program::symbol(std::size_t index, bool live) const {
    const auto& function = functions[index];
    return symbol_of(tag_of(index == 0 && live ? tag : function.tag), function.name);
}

ProgramInfo info_of(const Program& program, std::endian order) {
    ProgramInfo info(order, program.id);
    const auto count = static_cast<std::uint32_t>(program.functions.size());
    std::vector<std::uint64_t> addresses;
    std::vector<std::uint32_t> sizes;
    Writer tags(order);
    for (const auto& function : program.functions) {
        addresses.push_back(function.address);
        sizes.push_back(function.size);
        tags.bytes(tag_of(function.tag));
    }
    info.bytes(info_field::tag, tag_of(program.tag));
    if (!program.functions.empty()) info.bytes(info_field::name, blob_of(program.functions[0].name.substr(0, 15)));
    info.array(BpfArray::jited_ksyms, count, array_u64(order, addresses));
    info.array(BpfArray::jited_func_lens, count, array_u32(order, sizes));
    info.array(BpfArray::prog_tags, count, tags.blob());
    return info;
}

Scene::Scene(std::endian order, std::size_t events, std::uint64_t type)
    : Scene(order, std::vector<Attr>(events, sampling_attr(type))) {}

Scene::Scene(std::endian order, const std::vector<Attr>& events) : order_(order), builder_(order) {
    for (std::size_t index = 0; index < events.size(); ++index) {
        builder_.event(events[index], {first_id + index});
        types_.push_back(events[index].sample_type);
    }
    // Without any record, a recording counts as interrupted and has no features.
    add(bare_record(order, static_cast<std::uint32_t>(RecordType::finished_init), 0, RecordHeader::bytes));
}

SampleValues Scene::values(Stamp at, std::uint32_t event) const {
    SampleValues made;
    const bool synthesized = at.time == 0 && at.pid == 0;
    made.identifier = made.id = synthesized ? 0 : first_id + event;
    made.pid = at.pid;
    made.tid = at.tid;
    made.time = at.time;
    made.cpu = at.cpu;
    made.stream_id = made.identifier;
    return made;
}

RecordFrame Scene::frame(Stamp at, std::uint32_t event) const {
    return {.order = order_, .trailer = trailer(order_, types_.at(event), values(at, event)), .misc = 0};
}

Scene& Scene::symbol(Stamp at, std::uint64_t address, std::uint32_t size, std::string_view name, std::uint32_t event,
                     std::uint16_t kind) {
    return add(encode(Ksymbol{{address}, size, kind, 0, name}, frame(at, event)));
}

Scene& Scene::symbol_gone(Stamp at, std::uint64_t address, std::uint32_t size, std::string_view name,
                          std::uint32_t event, std::uint16_t kind) {
    return add(encode(Ksymbol{{address}, size, kind, 1, name}, frame(at, event)));
}

Scene& Scene::event(Stamp at, BpfEvent::Kind kind, std::uint32_t id, std::uint64_t tag, std::uint32_t from_event) {
    return add(encode(BpfEvent{static_cast<std::uint16_t>(kind), 0, {id}, tag_of(tag)}, frame(at, from_event)));
}

Scene& Scene::known(const Program& program) {
    for (std::size_t index = 0; index < program.functions.size(); ++index) {
        const auto& function = program.functions[index];
        symbol({}, function.address, function.size, program.symbol(index, false));
    }
    return event({}, BpfEvent::Kind::load, program.id, program.tag);
}

Scene& Scene::loaded(Stamp at, const Program& program) {
    auto when = at;
    when.time -= program.functions.size();
    for (std::size_t index = 0; index < program.functions.size(); ++index, ++when.time) {
        const auto& function = program.functions[index];
        symbol(when, function.address, function.size, program.symbol(index, true));
    }
    return event(at, BpfEvent::Kind::load, program.id, program.tag);
}

Scene& Scene::unloaded(Stamp at, const Program& program) {
    auto when = at;
    when.time -= program.functions.size();
    for (std::size_t index = 0; index < program.functions.size(); ++index, ++when.time) {
        const auto& function = program.functions[index];
        symbol_gone(when, function.address, function.size, program.symbol(index, true));
    }
    return event(at, BpfEvent::Kind::unload, program.id, program.tag);
}

Scene& Scene::info(const ProgramInfo& info) {
    infos_.push_back(info.encode());
    return *this;
}

Scene& Scene::btf(std::uint32_t id, Blob blob) {
    btf_.push_back({id, std::move(blob)});
    return *this;
}

Scene& Scene::feature(Feature number, Blob payload) {
    builder_.feature(number, std::move(payload));
    return *this;
}

Scene& Scene::sample(std::uint64_t ip, std::uint64_t time, CpuMode mode, std::uint32_t event, std::uint64_t period) {
    auto made = values(live(time), event);
    made.ip = ip;
    made.period = period;
    const RecordFrame bare{.order = order_, .trailer = {}, .misc = static_cast<std::uint16_t>(mode)};
    return add(test::sample(types_.at(event), made, bare));
}

Scene& Scene::add(const Blob& record) {
    builder_.add(record);
    return *this;
}

Blob Scene::build() {
    if (!infos_.empty()) builder_.feature(Feature::bpf_prog_info, prog_info_feature(order_, infos_));
    if (!btf_.empty()) builder_.feature(Feature::bpf_btf, bpf_btf(order_, btf_));
    return builder_.build();
}

Recording Scene::open(const OpenOptions& options) {
    files_.push_back(build());
    auto recording = Recording::from_memory(files_.back(), options);
    return std::move(recording.value());
}

Timeline Scene::timeline(const OpenOptions& options) {
    const auto recording = open(options);
    auto built = Timeline::build(recording);
    return std::move(built.value());
}

const BpfLoad& load_of(const Timeline& timeline, std::uint32_t id) {
    const auto with_id = [&](const BpfLoad& load) { return load.id == ProgramId{id}; };
    if (std::ranges::count_if(timeline.loads(), with_id) != 1) throw std::runtime_error("not one load of this program");
    return *std::ranges::find_if(timeline.loads(), with_id);
}

std::string owner_of(const Timeline& timeline, std::uint64_t address, std::uint64_t time) {
    const auto place = timeline.code_at({address}, {time});
    return std::string(place ? timeline.code()[place->index].symbol : "-");
}

std::uint32_t program_at(const Timeline& timeline, std::uint64_t address, std::uint64_t time) {
    const auto place = timeline.code_at({address}, {time});
    if (!place) return 0;
    const auto& code = timeline.code()[place->index];
    return code.load ? timeline.loads()[*code.load].id.value : 0;
}

}  // namespace perfdata::test
