// SPDX-License-Identifier: MIT
#include "stored_twin.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "perfdata/core/cursor.hpp"

#include "recording/stored/canonical.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"

namespace perfdata::test {
namespace {

using namespace stored;

class TwinMaker {
  public:
    TwinMaker(const Recording& recording, const Timeline& timeline, const FunctionIndex* inlined)
        : recording_(recording), timeline_(timeline), inlined_(inlined) {}

    Model make(std::uint32_t max_stack) {
        text("");
        SampleCountOptions options;
        options.by_comm = options.by_pid = options.by_tid = options.by_cpu = options.by_cgroup = true;
        options.chains = options.mark_returns = true;
        options.max_stack = max_stack;
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::uint32_t> order;
        options.each = [&](const CountedSample& sample) {
            order.try_emplace(std::tuple(sample.task, sample.chain, sample.column),
                              static_cast<std::uint32_t>(order.size()));
        };
        const auto counts = SampleCounts::count(recording_, timeline_, options).value();
        add_facts(counts, max_stack);
        add_events(counts);
        for (const auto& object : timeline_.tasks().objects()) add(object);
        for (const auto& code : timeline_.code()) add(code);
        Nameless nameless;
        nameless.wants_name = true;
        model_.nameless.push_back(nameless);
        for (const auto& frame : counts.frames()) add(frame);
        for (const auto& node : counts.chains()) {
            Node row;
            if (node.caller != ChainNode::none) row.caller = Ref<Node>(node.caller);
            row.frame = Ref<stored::Frame>(node.frame & ~ChainNode::returns_mark);
            row.returns = (node.frame & ChainNode::returns_mark) != 0;
            model_.nodes.push_back(row);
        }
        for (const auto& task : counts.tasks()) add(task);
        for (std::size_t row = 0; row < counts.rows().size(); ++row) {
            const auto [task, chain] = counts.rows()[row];
            counts.each_cell(row, [&](std::size_t column, const EventCount& count) {
                Cell cell;
                cell.task = Ref<Task>(task);
                cell.node = Ref<Node>(chain);
                cell.event = Ref<stored::Event>(counts.events()[column]);
                cell.hits = count.hits;
                cell.periods = count.periods;
                cell.order = order.at(std::tuple(task, chain, column));
                model_.cells.push_back(cell);
            });
        }
        return canonical(std::move(model_));
    }

  private:
    Ref<Text> text(std::string_view bytes) {
        const auto [found, added] = texts_.try_emplace(std::string(bytes), model_.texts.size());
        if (added) model_.texts.push_back({std::string(bytes)});
        return Ref<Text>(found->second);
    }

    void add_facts(const SampleCounts& counts, std::uint32_t max_stack) {
        auto& facts = model_.facts;
        const auto& completeness = timeline_.completeness();
        facts.arch = text(recording_.arch());
        facts.code_arch = text("x86_64");
        facts.code_arch_from = text("a test");
        facts.big_endian = recording_.order().endian() == std::endian::big;
        facts.max_stack = max_stack;
        facts.bytes_total = completeness.bytes.total;
        facts.bytes_records = completeness.bytes.records;
        facts.bytes_outside = completeness.bytes.outside_records;
        for (const auto& [type, count] : completeness.records) {
            facts.records.push_back({type, count.decoded, count.skipped, count.damaged});
        }
        facts.chains_deep = counts.chain_losses().deep;
        stored::Source source;
        source.content.assign(32, 's');
        source.hostname = text(recording_.hostname());
        source.command_line = {text("perf"), text("record")};
        source.wall_time = 1'700'000'000'000'000'000;
        model_.sources.push_back(source);
    }

    void add_events(const SampleCounts& counts) {
        const auto& events = recording_.events().events();
        for (std::uint32_t index = 0; index < events.size(); ++index) {
            stored::Event row;
            row.position = index;
            row.name = text(events[index].name);
            row.perf_name = text(events[index].perf_name);
            row.attr = encode_attr(events[index].attr);
            row.first_time = counts.first_time().value_or(Time{}).nanoseconds;
            row.last_time = counts.last_time().value_or(Time{}).nanoseconds;
            row.from_zero = counts.first_time() == Time{};
            model_.events.push_back(row);
        }
    }

    void add(const perfdata::Object& object) {
        stored::Object row;
        row.kind = object.kind;
        row.path = text(object.path);
        if (object.build_id) row.build_id = as_text(object.build_id->bytes());
        if (object.inode) {
            row.major = object.inode->major;
            row.minor = object.inode->minor;
            row.inode = object.inode->number;
            row.generation = object.inode->generation;
        }
        if (object.kind == ObjectKind::kernel && timeline_.kernel()) row.base = timeline_.kernel()->range.begin.value;
        model_.objects.push_back(row);
    }

    void add(const perfdata::Code& code) {
        stored::Code row;
        row.from = code.from.nanoseconds;
        row.until = code.until.nanoseconds;
        row.address = code.range.begin.value;
        row.size = code.range.size;
        row.kind = code.kind;
        row.symbol = text(code.symbol);
        row.subprogram = code.subprogram;
        model_.codes.push_back(row);
    }

    void add(const perfdata::Frame& frame) {
        stored::Frame row;
        row.kind = frame.kind;
        row.offset = frame.offset;
        row.mode = frame.mode;
        row.nameless = Ref<Nameless>(0);
        if (frame.kind == FrameKind::object) {
            row.object = Ref<stored::Object>(frame.index);
            row.offset -= model_.at(row.object).base;
        } else if (frame.kind == FrameKind::code) {
            row.code = Ref<stored::Code>(frame.index);
        } else {
            row.number = frame.index;
        }
        if (inlined_ != nullptr) {
            row.inlined = inlined_at(frame, false);
            row.inlined_at_return = inlined_at(frame, true);
        }
        model_.frames.push_back(row);
    }

    std::vector<Ref<Inlined>> inlined_at(const perfdata::Frame& frame, bool returns) {
        std::vector<perfdata::Frame> calls;
        inlined_->add_inlined(frame, returns, calls);
        std::vector<Ref<Inlined>> rows;
        for (const auto& call : calls) {
            rows.emplace_back(model_.inlined.size());
            Inlined row;
            row.name = text("inlined" + std::to_string(call.offset));
            row.entry = call.offset;
            row.object = Ref<stored::Object>(call.index);
            model_.inlined.push_back(row);
        }
        return rows;
    }

    void add(const SampledTask& task) {
        Task row;
        if (task.comm.data() != nullptr) row.comm = text(task.comm);
        row.pid = task.pid.value;
        row.tid = task.tid.value;
        row.cpu = task.cpu;
        if (task.cgroup != 0) {
            Cgroup cgroup;
            cgroup.id = task.cgroup;
            if (const auto path = timeline_.tasks().cgroup(task.cgroup)) cgroup.path = text(*path);
            row.cgroup = Ref<Cgroup>(model_.cgroups.size());
            model_.cgroups.push_back(cgroup);
        }
        row.further = task.is_further();
        model_.tasks.push_back(row);
    }

    const Recording& recording_;
    const Timeline& timeline_;
    const FunctionIndex* inlined_;
    std::map<std::string, std::size_t> texts_;
    Model model_;
};

}  // namespace

stored::Model stored_twin(const Recording& recording, const Timeline& timeline, const FunctionIndex* inlined,
                          std::uint32_t max_stack) {
    return TwinMaker(recording, timeline, inlined).make(max_stack);
}

Blob profile_bytes(const stored::Model& model) {
    Blob bytes;
    stored::write_profile(model, [&](std::string_view block) {
        const auto some = std::as_bytes(std::span(block));
        bytes.insert(bytes.end(), some.begin(), some.end());
    });
    return bytes;
}

}  // namespace perfdata::test
