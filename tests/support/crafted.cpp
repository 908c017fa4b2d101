// SPDX-License-Identifier: MIT
#include "support/crafted.hpp"

#include <algorithm>

#include "perfdata/wire/sample/part.hpp"

#include "support/payload.hpp"
#include "support/samples.hpp"

namespace perfdata::test {
namespace {

void read_values(Writer& body, Random& random, std::uint64_t format) {
    const auto has = [&](std::uint64_t bit) { return (format & bit) != 0; };
    const bool group = has(read_bit::group);
    const std::size_t count = group ? random.size(4) : 1;
    body.u64(group ? count : random.u64());
    if (has(read_bit::time_enabled)) body.u64(random.u64());
    if (has(read_bit::time_running)) body.u64(random.u64());
    for (std::size_t index = 0; index < count; ++index) {
        if (group) body.u64(random.u64());
        if (has(read_bit::id)) body.u64(random.u64());
        if (has(read_bit::lost)) body.u64(random.u64());
    }
}

void words(Writer& body, Random& random, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) body.u64(random.u64());
}

void counted_words(Writer& body, Random& random, std::size_t words_each) {
    const auto count = random.size(6);
    body.u64(count);
    words(body, random, count * words_each);
}

void fixed_text(Writer& body, std::string text, std::size_t size) {
    text.resize(size);
    body.text(text);
}

void cpu_map(Writer& body, Random& random) {
    const auto count = static_cast<std::uint16_t>(random.below(9));
    switch (random.below(4)) {
        case 0:
            body.u16(0).u16(count);
            for (unsigned index = 0; index < count; ++index) body.u16(random.u16());
            break;
        case 1:
            body.u16(1).u16(count).u16(4);
            for (unsigned index = 0; index < count; ++index) body.u32(random.u32());
            break;
        case 2:
            body.u16(1).u16(count).u16(8).zeros(4);
            words(body, random, count);
            break;
        default: body.u16(2).u8(1).u8(0).u16(3).u16(static_cast<std::uint16_t>(3 + count));
    }
    body.align(8);
}

void map_head(Writer& body, Random& random) {
    body.u32(random.u32()).u32(random.u32());
    words(body, random, 3);
}

// Writes the body of a kernel record; `misc` receives the bits that select its form.
bool kernel_body(RecordType type, Random& random, Writer& body, std::uint16_t& misc, std::uint64_t read_format) {
    switch (type) {
        case RecordType::mmap:
            map_head(body, random);
            body.padded_text(random.text(40));
            return true;
        case RecordType::lost:
        case RecordType::itrace_start:
        case RecordType::switch_cpu_wide:
        case RecordType::lost_samples:
        case RecordType::aux_output_hw_id:
        case RecordType::context_switch:
            if (type == RecordType::lost) words(body, random, 2);
            if (type == RecordType::lost_samples || type == RecordType::aux_output_hw_id) words(body, random, 1);
            if (type == RecordType::itrace_start || type == RecordType::switch_cpu_wide) {
                body.u32(random.u32()).u32(random.u32());
            }
            return true;
        case RecordType::comm: body.u32(random.u32()).u32(random.u32()).padded_text(random.text(15)); return true;
        case RecordType::exit:
        case RecordType::fork:
            body.u32(random.u32()).u32(random.u32()).u32(random.u32()).u32(random.u32()).u64(random.u64());
            return true;
        case RecordType::throttle:
        case RecordType::unthrottle:
        case RecordType::aux: words(body, random, 3); return true;
        case RecordType::read:
            body.u32(random.u32()).u32(random.u32());
            read_values(body, random, read_format);
            return true;
        case RecordType::mmap2:
            map_head(body, random);
            if (random.one_in(2)) {
                misc |= 1u << 14;
                body.u8(static_cast<std::uint8_t>(random.below(24))).u8(0).u16(0).bytes(random.bytes(20));
            } else {
                body.u32(random.u32()).u32(random.u32()).u64(random.u64()).u64(random.u64());
            }
            body.u32(random.u32()).u32(random.u32()).padded_text(random.text(40));
            return true;
        case RecordType::namespaces:
            body.u32(random.u32()).u32(random.u32());
            counted_words(body, random, 2);
            return true;
        case RecordType::ksymbol:
            body.u64(random.u64()).u32(random.u32()).u16(random.u16()).u16(random.u16()).padded_text(random.text(60));
            return true;
        case RecordType::bpf_event:
            body.u16(random.u16()).u16(random.u16()).u32(random.u32()).bytes(random.bytes(8));
            return true;
        case RecordType::cgroup: body.u64(random.u64()).padded_text(random.text(30)); return true;
        case RecordType::text_poke: {
            const auto old_size = random.size(8);
            const auto new_size = random.size(300);
            body.u64(random.u64()).u16(static_cast<std::uint16_t>(old_size)).u16(static_cast<std::uint16_t>(new_size));
            // Header and fixed fields take 20 bytes, so the text begins inside a word.
            body.bytes(random.bytes(old_size + new_size)).zeros((8 - (4 + old_size + new_size) % 8) % 8);
            return true;
        }
        case RecordType::callchain_deferred:
            body.u64(random.u64());
            counted_words(body, random, 1);
            return true;
        default: return false;
    }
}

void tool_body(RecordType type, Random& random, Writer& body, std::uint16_t& misc) {
    switch (type) {
        case RecordType::header_event_type:
            body.u64(random.u64());
            fixed_text(body, random.text(40), 64);
            return;
        case RecordType::header_build_id:
            if (random.one_in(2)) misc |= 1u << 15;
            body.u32(random.u32()).bytes(random.bytes(20)).u8(16).zeros(3).text(random.text(40)).zeros(1).align(8);
            return;
        case RecordType::id_index: {
            const auto count = random.size(6);
            body.u64(count);
            words(body, random, count * (random.one_in(2) ? 4 : 6));
            return;
        }
        case RecordType::auxtrace_info: body.u32(random.u32()).u32(0).u64(1).u64(random.u64()); return;
        case RecordType::auxtrace_error: {
            const auto format = static_cast<std::uint32_t>(random.below(3));
            for (int field = 0; field < 5; ++field) body.u32(random.u32());
            body.u32(format).u64(random.u64());
            if (format >= 1) body.u64(random.u64());
            if (format < 2) {
                body.padded_text(random.text(40));
            } else {
                fixed_text(body, random.text(63), 64);
                body.u32(random.u32()).u32(random.u32());
            }
            return;
        }
        case RecordType::thread_map: {
            const auto count = random.size(5);
            body.u64(count);
            for (std::size_t index = 0; index < count; ++index) {
                body.u64(random.u64());
                fixed_text(body, random.text(16), 16);
            }
            return;
        }
        case RecordType::cpu_map: cpu_map(body, random); return;
        case RecordType::stat_config: counted_words(body, random, 2); return;
        case RecordType::stat:
            body.u64(random.u64()).u32(random.u32()).u32(random.u32());
            words(body, random, 3);
            return;
        case RecordType::stat_round: words(body, random, 2); return;
        case RecordType::time_conv:
            words(body, random, 3);
            if (random.one_in(2)) return;
            words(body, random, 2);
            body.u8(1).u8(0).zeros(6);
            return;
        case RecordType::bpf_metadata: {
            fixed_text(body, random.text(100), 512);
            const auto count = random.size(4);
            body.u64(count);
            for (std::size_t index = 0; index < count; ++index) {
                fixed_text(body, random.text(63), 64);
                fixed_text(body, random.text(200), 256);
            }
            return;
        }
        case RecordType::schedstat_cpu:
            body.u64(random.u64()).u32(random.u32()).u16(static_cast<std::uint16_t>(15 + random.below(3))).zeros(2);
            for (int field = 0; field < 6; ++field) body.u32(random.u32());
            words(body, random, 3);
            return;
        case RecordType::schedstat_domain:
            body.u64(random.u64()).u32(random.u32()).u16(static_cast<std::uint16_t>(15 + random.below(3)));
            body.u16(random.u16());
            for (int field = 0; field < 46; ++field) body.u32(random.u32());
            return;
        default: return;
    }
}

constexpr RecordType kernel_types[] = {RecordType::mmap,
                                       RecordType::lost,
                                       RecordType::comm,
                                       RecordType::exit,
                                       RecordType::throttle,
                                       RecordType::unthrottle,
                                       RecordType::fork,
                                       RecordType::read,
                                       RecordType::mmap2,
                                       RecordType::aux,
                                       RecordType::itrace_start,
                                       RecordType::lost_samples,
                                       RecordType::context_switch,
                                       RecordType::switch_cpu_wide,
                                       RecordType::namespaces,
                                       RecordType::ksymbol,
                                       RecordType::bpf_event,
                                       RecordType::cgroup,
                                       RecordType::text_poke,
                                       RecordType::aux_output_hw_id,
                                       RecordType::callchain_deferred};

constexpr RecordType tool_types[] = {
    RecordType::header_event_type, RecordType::header_build_id, RecordType::id_index,
    RecordType::auxtrace_info,     RecordType::auxtrace_error,  RecordType::thread_map,
    RecordType::cpu_map,           RecordType::stat_config,     RecordType::stat,
    RecordType::stat_round,        RecordType::time_conv,       RecordType::bpf_metadata,
    RecordType::schedstat_cpu,     RecordType::schedstat_domain};

// Zeroes fields behind the end of the writer's attr.
Attr cut_to(Attr attr, std::uint32_t bytes) {
    attr.size = bytes;
    if (bytes < 72) attr.config2 = 0;
    if (bytes < 80) attr.branch_sample_type = 0;
    if (bytes < 96) attr.sample_regs_user = attr.sample_stack_user = 0;
    if (bytes < 104) attr.sample_regs_intr = 0;
    return attr;
}

Crafted::Event random_event(Random& random, std::size_t number, std::uint32_t attr_bytes) {
    // Every event has IDENTIFIER and a time; all else varies.
    auto type = random_sample_type(random) | sample_bit::identifier | sample_bit::time;
    auto attr = cut_to(random_attr(random, type), attr_bytes);
    attr.config = number;
    attr.sample_period = 1 + random.below(1000000);
    Crafted::Event event{attr, {}, "event " + std::to_string(number)};
    for (std::uint64_t id = 0; id < 1 + random.below(3); ++id) event.ids.push_back(100 * (number + 1) + id);
    return event;
}

// Times grow, but records of three rings come in runs, so neighbours are out of order.
class Clock {
  public:
    explicit Clock(Random& random) : random_(&random) {}
    std::uint64_t next() {
        if (random_->one_in(7)) ring_ = random_->size(3);
        // All times differ, so that only one order of time exists.
        at_[ring_] += 3 * (1 + random_->below(1000));
        return 1000000 + at_[ring_] + ring_;
    }

  private:
    Random* random_;
    std::size_t ring_ = 0;
    std::uint64_t at_[3] = {};
};

SampleValues random_trailer_values(Random& random, const Crafted::Event& event, std::uint64_t time) {
    SampleValues values;
    values.pid = random.u32();
    values.tid = random.u32();
    values.time = time;
    values.cpu = static_cast<std::uint32_t>(random.below(8));
    values.stream_id = random.u64();
    values.identifier = values.id = event.ids[random.size(event.ids.size())];
    return values;
}

void craft_kernel_records(Crafted& crafted, Random& random) {
    Clock clock(random);
    for (int round = 0; round < 150; ++round) {
        const auto& event = crafted.events[random.size(crafted.events.size())];
        auto values = random_trailer_values(random, event, clock.next());
        if (random.one_in(3)) {
            const auto type = kernel_types[random.size(std::size(kernel_types))];
            crafted.records.push_back(random_record(type, random, crafted.order,
                                                    trailer(crafted.order, event.attr.sample_type, values),
                                                    event.attr.read_format));
            continue;
        }
        auto content = random_content(random, event.attr);
        // Keep samples small: their size does not matter here.
        content.stack.resize(std::min<std::size_t>(content.stack.size(), 64));
        content.aux.resize(std::min<std::size_t>(content.aux.size(), 64));
        content.callchain.resize(std::min<std::size_t>(content.callchain.size(), 20));
        content.stack_copied = std::min<std::uint64_t>(content.stack_copied, content.stack.size());
        values.ip = content.fixed.ip;
        content.fixed = values;
        crafted.records.push_back(
            encode(crafted.order, event.attr, content, static_cast<std::uint16_t>(random.below(6))));
    }
}

void craft_features(Crafted& crafted) {
    for (const auto& example : payload_examples(crafted.order)) {
        crafted.features[static_cast<unsigned>(example.feature)] = example.payload;
    }
    // These two describe the container itself; random examples do not fit.
    crafted.features.erase(static_cast<unsigned>(Feature::compressed));
    crafted.features.erase(static_cast<unsigned>(Feature::dir_format));
    std::vector<DescribedEvent> described;
    for (const auto& event : crafted.events) described.push_back({event.attr, event.name, event.ids});
    crafted.features[static_cast<unsigned>(Feature::event_desc)] =
        event_desc(crafted.order, described, std::max(crafted.attr_bytes, 64u));
}

}  // namespace

Blob random_record(RecordType type, Random& random, std::endian order, const Blob& trailer, std::uint64_t read_format) {
    RecordFrame frame{order, trailer, static_cast<std::uint16_t>(random.below(6))};
    if (random.one_in(3)) frame.misc |= 1u << 13;
    Writer body(order);
    if (!kernel_body(type, random, body, frame.misc, read_format)) tool_body(type, random, body, frame.misc);
    return record(type, frame, body.take());
}

Crafted craft(std::uint64_t seed, std::endian order, std::uint32_t attr_bytes) {
    Random random(seed);
    Crafted crafted;
    crafted.order = order;
    crafted.attr_bytes = attr_bytes;
    for (std::size_t number = 0; number < 3; ++number) {
        crafted.events.push_back(random_event(random, number, attr_bytes));
    }
    // perf's synthesized records have a trailer of zeros, in the first event's layout.
    SampleValues none{.identifier = 0,
                      .ip = 0,
                      .pid = 0,
                      .tid = 0,
                      .time = 0,
                      .addr = 0,
                      .id = 0,
                      .stream_id = 0,
                      .cpu = 0,
                      .period = 0};
    const auto zeros = Blob(trailer(order, crafted.events[0].attr.sample_type, none).size());
    for (const auto type : {RecordType::mmap, RecordType::mmap2, RecordType::comm, RecordType::fork,
                            RecordType::ksymbol, RecordType::bpf_event, RecordType::cgroup, RecordType::namespaces}) {
        crafted.synthesized.push_back(random_record(type, random, order, zeros));
    }
    craft_kernel_records(crafted, random);
    for (int round = 0; round < 3; ++round) {
        for (const auto type : tool_types) crafted.plain.push_back(random_record(type, random, order));
        crafted.plain.push_back(
            auxtrace(order, 8 * static_cast<std::uint64_t>(round), random.bytes(8 * static_cast<std::size_t>(round))));
        crafted.plain.push_back(record(static_cast<RecordType>(32768 + round), {order, {}, 0}, random.bytes(16)));
    }
    craft_features(crafted);
    return crafted;
}

Blob Crafted::bytes_of(const std::vector<Blob>& parts) {
    Blob all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Blob all_records(const Crafted& crafted) {
    return joined(
        {Crafted::bytes_of(crafted.synthesized), Crafted::bytes_of(crafted.records), Crafted::bytes_of(crafted.plain)});
}

RecordingBuilder builder_of(const Crafted& crafted, const Blob& data, bool features) {
    RecordingBuilder builder(crafted.order);
    builder.layout.attr_stride = crafted.attr_bytes + 16;
    builder.layout.ids_at = crafted.attr_bytes;
    for (const auto& event : crafted.events) builder.event(event.attr, event.ids);
    builder.add(data);
    if (!features) return builder;
    for (const auto& [number, payload] : crafted.features) builder.feature(number, payload);
    return builder;
}

Blob pipe_header(std::endian order) {
    return Writer(order).text(order == std::endian::little ? "PERFILE2" : "2ELIFREP").u64(16).take();
}

Blob header_attr(std::endian order, const Attr& attr, std::size_t attr_bytes, const std::vector<std::uint64_t>& ids) {
    Writer body(order);
    write_attr(body, attr, attr_bytes);
    for (const auto id : ids) body.u64(id);
    return record(RecordType::header_attr, {order, {}, 0}, body.take());
}

Blob header_feature(std::endian order, unsigned number, Bytes payload) {
    return record(RecordType::header_feature, {order, {}, 0}, Writer(order).u64(number).bytes(payload).take());
}

Blob as_pipe(const Crafted& crafted, const Blob& data) {
    const auto order = crafted.order;
    Writer out(order);
    out.bytes(pipe_header(order));
    for (const auto& event : crafted.events) {
        out.bytes(header_attr(order, event.attr, crafted.attr_bytes, event.ids));
        auto name = Writer(order).u64(2).u64(event.ids[0]).padded_text(event.name).take();
        out.bytes(record(RecordType::event_update, {order, {}, 0}, name));
    }
    constexpr auto tracing = static_cast<unsigned>(Feature::tracing_data);
    for (const auto& [number, payload] : crafted.features) {
        // An empty payload would be the end mark: perf writes no flag-only features into a pipe.
        if (number != tracing && !payload.empty()) out.bytes(header_feature(order, number, payload));
    }
    out.bytes(header_feature(order, 35, {}));  // the end mark of perf 7.3
    auto trace = crafted.features.at(tracing);
    trace.resize((trace.size() + 7) / 8 * 8);
    const auto size = static_cast<std::uint32_t>(trace.size());
    out.bytes(record(RecordType::header_tracing_data, {order, {}, 0}, Writer(order).u32(size).u32(0).take()));
    return out.bytes(trace).bytes(data).take();
}

}  // namespace perfdata::test
