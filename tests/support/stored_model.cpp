// SPDX-License-Identifier: MIT
#include "support/stored_model.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "recording/stored/canonical.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"

namespace perfdata::test {

StoredModel::StoredModel(std::string_view content) {
    text({});
    stored::Source source;
    source.content = std::string(content);
    source.content.resize(32, '.');
    model.sources.push_back(source);
    model.facts.arch = text("x86_64");
    model.facts.has_kernel_names = true;
}

stored::Ref<stored::Text> StoredModel::text(std::string_view bytes) {
    if (const auto known = texts_.find(bytes); known != texts_.end()) return known->second;
    const auto ref = add(stored::Text{std::string(bytes)});
    texts_.emplace(bytes, ref);
    return ref;
}

stored::Ref<stored::Event> StoredModel::event(std::string_view name, std::uint64_t config) {
    stored::Event event;
    event.position = static_cast<std::uint32_t>(model.events.size());
    event.name = event.perf_name = text(name);
    Attr attr;
    attr.size = 136;
    attr.config = config;
    attr.sample_type = sample_bit::ip | sample_bit::tid;
    event.attr = stored::encode_attr(attr);
    return add(event);
}

stored::Ref<stored::Object> StoredModel::file(std::string_view path, std::string_view build_id) {
    stored::Object object;
    object.path = text(path);
    object.build_id = std::string(build_id);
    return add(object);
}

stored::Ref<stored::Function> StoredModel::function(stored::Ref<stored::Object> object, std::uint64_t begin,
                                                    std::string_view symbol, std::string_view bytes) {
    stored::Function function;
    function.object = object;
    function.begin = begin;
    function.symbol = text(symbol);
    function.size = bytes.size();
    function.object_name = model.objects[object.number].path;
    const auto ref = add(function);
    version(ref, 0, bytes);
    return ref;
}

void StoredModel::version(stored::Ref<stored::Function> function, std::uint32_t number, std::string_view bytes) {
    stored::Version version;
    version.function = function;
    version.number = number;
    version.image.bytes = std::string(bytes);
    version.image.origin = text("a file");
    add(version);
}

stored::Ref<stored::Frame> StoredModel::frame(stored::Ref<stored::Function> function, std::uint64_t offset) {
    stored::Frame frame;
    frame.function = function;
    frame.kind = model.functions[function.number].kind;
    frame.offset = offset;
    return add(frame);
}

stored::Ref<stored::Node> StoredModel::node(stored::Ref<stored::Frame> frame, stored::Ref<stored::Node> caller) {
    stored::Node node;
    node.frame = frame;
    node.caller = caller;
    return add(node);
}

stored::Ref<stored::Task> StoredModel::task(std::string_view comm, std::uint32_t pid) {
    stored::Task task;
    task.comm = text(comm);
    task.pid = task.tid = pid;
    return add(task);
}

void StoredModel::cell(stored::Ref<stored::Task> task, stored::Ref<stored::Node> node, stored::Ref<stored::Event> event,
                       std::uint64_t hits) {
    stored::Cell cell;
    cell.task = task;
    cell.node = node;
    cell.event = event;
    cell.hits = hits;
    cell.periods = 1000 * hits;
    cell.order = static_cast<std::uint32_t>(model.cells.size());
    add(cell);
}

stored::Model StoredModel::finish() && {
    return stored::canonical(std::move(model));
}

std::string written(const stored::Model& model) {
    std::string bytes;
    stored::write_profile(model, [&](std::string_view part) { bytes += part; });
    return bytes;
}

namespace {

class RandomModel {
  public:
    explicit RandomModel(std::uint32_t seed) : random_(seed), made_("recording " + std::to_string(seed)) {}

    stored::Model make() && {
        add_events();
        add_objects();
        add_programs();
        add_lines_of_source();
        add_functions();
        add_frames();
        add_nodes();
        add_tasks();
        add_counts();
        add_facts();
        return std::move(made_).finish();
    }

  private:
    // Returns a number below `most`.
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(random_()) % most; }
    bool perhaps(unsigned of_ten = 5) { return below(10) < of_ten; }
    template <class Row>
    stored::Ref<Row> any() {
        const auto size = made_.model.table<Row>().size();
        return size == 0 ? stored::Ref<Row>() : stored::Ref<Row>(below(static_cast<std::uint32_t>(size)));
    }
    stored::Ref<stored::Text> any_text(std::string_view what, std::uint32_t of = 3) {
        return made_.text(std::string(what) + std::to_string(below(of)));
    }
    stored::Problem any_problem() {
        stored::Problem problem;
        problem.code = static_cast<ErrorCode>(below(stored::ErrorCodeChoice::count));
        problem.where = any_text("where");
        problem.detail = any_text("why");
        problem.loss = perhaps();
        return problem;
    }
    // Sorted, each once.
    std::vector<stored::Problem> any_problems() {
        std::vector<stored::Problem> problems;
        for (auto count = below(3); count != 0; --count) problems.push_back(any_problem());
        return problems;
    }

    void add_events() {
        const std::array<std::string_view, 3> names{"cycles", "instructions", "sched:sched_switch"};
        for (std::size_t at = 0; at < names.size(); ++at) {
            if (at != 0 && perhaps(4)) continue;
            const auto ref = made_.event(names[at], at);
            auto& event = made_.model.events[ref.number];
            auto attr = stored::decode_attr(event.attr);
            attr.sample_period = 1000 + below(3);
            if (perhaps()) attr.sample_type |= sample_bit::callchain;
            if (at == 2) {
                attr.type = attr_type::tracepoint;
                attr.config = below(500);
            }
            event.attr = stored::encode_attr(attr);
            event.from_zero = perhaps(4);
            event.first_time = event.from_zero ? 0 : 1 + below(1000);
            event.last_time = 1000 + below(1000);
            event.has_losses = perhaps();
            event.lost = event.has_losses ? below(9) : 0;
            if (perhaps()) {
                event.group_leader = made_.text("cycles");
                event.group_name = any_text("group", 2);
            }
        }
    }

    void add_objects() {
        const std::array<std::string_view, 3> paths{"/usr/bin/prog", "/opt/prog", "/lib/libx.so"};
        for (std::uint32_t build = 0; build < 3; ++build) {
            // Some machines have a copy of it.
            for (auto copies = 1 + below(2); copies != 0; --copies) {
                const auto ref = made_.file(paths[below(3)], std::string(20, static_cast<char>('a' + build)));
                auto& object = made_.model.objects[ref.number];
                object.inode = 10 * made_.model.objects.size() + below(10);
                object.file.path = any_text("/cache/");
                object.file.segments.push_back({0, 0x10000, 0x400000});
            }
        }
        for (const auto path : {"/lib/without", "[vdso]"}) {
            auto& object = made_.model.objects[made_.file(path, {}).number];
            object.file.missing = true;
            object.file.miss.value = static_cast<std::uint8_t>(below(stored::SymbolMissChoice::count));
        }
        for (std::uint32_t build = 0; build < 2; ++build) {
            stored::Object kernel;
            kernel.kind.value = stored::object_kind_number::kernel;
            kernel.path = made_.text("[kernel.kallsyms]_text");
            kernel.build_id = std::string(20, static_cast<char>('k' + build));
            kernel.base = perhaps(8) ? 0xffffffff80000000 + (std::uint64_t{below(64)} << 21) : 0;
            made_.add(kernel);
        }
    }

    void add_programs() {
        for (std::uint32_t tag = 1; tag < 4; ++tag) {
            for (auto loads = below(3); loads != 0; --loads) {
                stored::Load load;
                load.tag = tag;
                load.program_name = made_.text("program" + std::to_string(tag));
                load.id = 1 + static_cast<std::uint32_t>(100 * made_.model.loads.size()) + below(100);
                load.loaded_at = below(1000);
                load.functions = 2;
                load.info.known = perhaps();
                if (load.info.known) {
                    load.info.type = below(30);
                    load.info.run_count = below(100);
                    load.info.map_ids = {below(9), below(9)};
                    load.info.function_tags = {tag, tag + 100};
                }
                if (perhaps(2)) load.problem.push_back(any_problem());
                const auto ref = made_.add(load);
                for (std::uint32_t subprogram = 0; subprogram < 2; ++subprogram) {
                    stored::Code code;
                    code.load = ref;
                    code.subprogram = subprogram;
                    code.symbol = made_.text("bpf_prog_" + std::to_string(tag) + "_" + std::to_string(subprogram));
                    code.address = 0xffffffffc0000000 + 4096 * std::uint64_t{below(1000)};
                    code.from = load.loaded_at;
                    code.size = 64;
                    code.name = code.symbol;
                    code.program = load.program_name;
                    if (perhaps()) code.prototype = any_text("int f");
                    made_.add(code);
                }
            }
        }
        stored::Code slot;
        slot.kind.value = 2;
        slot.symbol = slot.name = made_.text("kprobe_insn_page");
        slot.address = 0xffffffffc8000000 + 4096 * std::uint64_t{below(9)};
        slot.size = 4096;
        made_.add(slot);
    }

    void add_lines_of_source() {
        for (std::uint32_t line = 0; line < 6; ++line) {
            stored::SourcePlace place;
            place.file = any_text("file.c", 2);
            place.line = line;
            place.text = any_text("source ");
            made_.add(place);
        }
        for (std::uint32_t call = 0; call < 6; ++call) {
            stored::Call row;
            if (perhaps()) row.outer = any<stored::Call>();
            row.function = any_text("inlined");
            row.place = any<stored::SourcePlace>();
            made_.add(row);
        }
    }

    void add_functions() {
        const auto objects = made_.model.objects.size();
        for (std::uint32_t object = 0; object < objects; ++object) {
            for (std::uint64_t begin = 0x1000; begin <= 0x3000; begin += 0x1000) {
                if (perhaps(3)) continue;
                stored::Function function;
                function.object = stored::Ref<stored::Object>(object);
                function.begin = begin;
                function.symbol = made_.text("function" + std::to_string(begin));
                function.size = 16 + below(2);
                describe(function);
            }
        }
        for (std::uint32_t code = 0; code < made_.model.codes.size(); ++code) {
            stored::Function function;
            function.kind.value = stored::frame_kind::code;
            function.code = stored::Ref<stored::Code>(code);
            function.symbol = made_.model.codes[code].symbol;
            function.has_address = true;
            function.address = made_.model.codes[code].address;
            function.size = 64;
            describe(function);
        }
        for (std::uint32_t jit = 0; jit < 4; ++jit) {
            stored::Function function;
            function.kind.value = stored::frame_kind::jit;
            function.number = jit;
            function.symbol = any_text("jitted", 2);
            function.code_hash = std::string(32, static_cast<char>('0' + below(2)));
            function.has_address = true;
            function.address = 0x7f0000000000 + 4096 * std::uint64_t{below(100)};
            function.size = 32;
            describe(function);
        }
        for (std::uint32_t map = 0; map < 2; ++map) {
            stored::Function function;
            function.kind.value = map == 0 ? stored::frame_kind::memory : stored::frame_kind::nowhere;
            function.number = map == 0 ? 100 + below(9) : 4;
            function.begin = 0x7e0000000000 + 4096 * std::uint64_t{below(100)};
            function.symbol = any_text("mapped", 2);
            function.object_name = made_.text("/tmp/perf.map");
            function.size = 48;
            describe(function);
        }
        for (std::uint32_t object = 0; object < objects; ++object) {
            stored::Inlined inlined;
            inlined.object = stored::Ref<stored::Object>(object);
            const auto is_in = [&](const stored::Function& function) { return function.object == inlined.object; };
            if (std::ranges::none_of(made_.model.functions, is_in)) continue;
            inlined.name = any_text("inlined");
            inlined.entry = below(3);
            inlined.object_name = made_.model.objects[object].path;
            made_.add(inlined);
        }
    }

    // Adds a function with versions and lines.
    void describe(stored::Function function) {
        if (!function.object_name) function.object_name = any_text("object");
        function.kind_of_code.value = static_cast<std::uint8_t>(below(stored::CodeClassChoice::count));
        function.place_from = any_text("/cache/");
        const auto ref = made_.add(function);
        for (std::uint32_t number = 0, count = 1 + below(2); number < count; ++number) {
            stored::Version version;
            version.function = ref;
            version.number = number;
            version.from = 1000 * number;
            if (perhaps(2)) {
                version.image.absent = true;
                version.image.problems.push_back(any_problem());
            } else {
                version.image.bytes = std::string(16, static_cast<char>(below(3)));
                version.image.address = below(1000);
                version.image.origin = any_text("/cache/");
                if (perhaps(3)) version.image.gaps.push_back({2, 3});
                if (number != 0) version.image.changes.push_back({1, 1000, "a", "b"});
                if (perhaps(3)) version.image.relocations.push_back({4, any_text("symbol"), 7, {}});
                if (perhaps()) version.image.targets.push_back({0x5000, false, any_text("target"), 3});
            }
            made_.add(version);
        }
        if (perhaps(3)) return;
        stored::Lines lines;
        lines.function = ref;
        lines.from = any_text("/cache/");
        lines.failed = perhaps(2);
        if (lines.failed || perhaps(2)) lines.problem.push_back(any_problem());
        for (std::uint64_t at = 0; !lines.failed && at < below(4); ++at) {
            stored::LineStart start;
            start.offset = 4 * at;
            start.place = any<stored::SourcePlace>();
            if (perhaps()) start.calls = any<stored::Call>();
            lines.starts.push_back(start);
        }
        made_.add(lines);
    }

    void add_frames() {
        for (std::uint32_t row = 0; row < 4; ++row) {
            stored::Nameless nameless;
            nameless.object = any_text("object");
            nameless.miss.value = static_cast<std::uint8_t>(below(stored::SymbolMissChoice::count));
            nameless.reason = any_text("why");
            made_.add(nameless);
        }
        // Profiles have functions of places only.
        for (std::uint32_t number = 0; number < made_.model.functions.size(); ++number) {
            const auto at = made_.frame(stored::Ref<stored::Function>(number), below(16));
            made_.model.frames[at.number].mode.value = mode_of(made_.model.functions[number].kind);
        }
        for (std::uint32_t at = 0; at < 60; ++at) {
            stored::Frame frame;
            frame.offset = below(16);
            stored::Ref<stored::Object> object;
            if (perhaps(6)) {
                frame.function = any<stored::Function>();
                frame.kind = made_.model.functions[frame.function.number].kind;
                object = made_.model.functions[frame.function.number].object;
            } else if (perhaps()) {
                frame.kind.value = stored::frame_kind::object;
                frame.object = object = any<stored::Object>();
            } else {
                frame.kind.value = perhaps() ? stored::frame_kind::memory : stored::frame_kind::nowhere;
                frame.number = below(3);
            }
            if (!frame.function) {
                // Few places: some are the same, and are told differently.
                frame.offset = below(2);
                frame.nameless = any<stored::Nameless>();
                if (perhaps()) frame.place = any<stored::SourcePlace>();
                if (frame.place && perhaps()) frame.calls = any<stored::Call>();
                if (perhaps()) frame.line_problem.push_back(any_problem());
                if (!frame.line_problem.empty() && perhaps()) frame.lines_from = any_text("/cache/");
            }
            for (std::uint32_t inlined = 0; object && inlined < made_.model.inlined.size(); ++inlined) {
                if (made_.model.inlined[inlined].object == object && perhaps()) {
                    frame.inlined.emplace_back(inlined);
                    if (perhaps()) frame.inlined_at_return.emplace_back(inlined);
                }
            }
            frame.mode.value = mode_of(frame.kind);
            made_.add(frame);
        }
    }
    // The same code runs in the same mode.
    static std::uint8_t mode_of(stored::FrameKindChoice kind) { return kind.is(stored::frame_kind::code) ? 1 : 2; }

    void add_nodes() {
        for (std::uint32_t at = 0; at < 80; ++at) {
            stored::Node node;
            if (perhaps(7)) node.caller = any<stored::Node>();
            node.frame = any<stored::Frame>();
            node.returns = perhaps(3);
            made_.add(node);
        }
    }

    void add_tasks() {
        for (std::uint32_t at = 0; at < 2; ++at) {
            stored::Cgroup cgroup;
            if (perhaps(8)) cgroup.path = any_text("/group", 2);
            cgroup.id = 1 + below(1000);
            made_.add(cgroup);
        }
        for (std::uint32_t at = 0; at < 5; ++at) {
            stored::Task task;
            if (perhaps(8)) task.comm = any_text("comm", 2);
            task.pid = 1 + below(3);
            task.tid = task.pid + below(2);
            task.cpu = below(2);
            if (perhaps()) task.cgroup = any<stored::Cgroup>();
            made_.add(task);
        }
        stored::Task further;
        further.comm = made_.text("[further tasks]");
        further.further = true;
        made_.add(further);
    }

    void add_counts() {
        for (std::uint32_t at = 0; at < 120; ++at) {
            made_.cell(any<stored::Task>(), any<stored::Node>(), any<stored::Event>(), 1 + below(5));
        }
        for (std::uint32_t at = 0; at < 6; ++at) {
            stored::Branch branch;
            branch.task = any<stored::Task>();
            branch.event = any<stored::Event>();
            branch.from = any<stored::Frame>();
            branch.to = any<stored::Frame>();
            branch.proven = perhaps();
            branch.times = 1 + below(9);
            made_.add(branch);
        }
    }

    void add_facts() {
        auto& facts = made_.model.facts;
        facts.max_stack = 100 + below(3);
        if (perhaps(3)) {
            const auto kind = perhaps() ? stored::PartialKind::filter : stored::PartialKind::limit;
            facts.partial.push_back({kind, any_text("where"), any_text("why")});
        }
        if (perhaps(3)) facts.left_out.push_back({any_text("left out"), 1 + below(9)});
        facts.bytes_total = below(1000);
        facts.records = {{1, below(9), below(9), 0}, {9, 100 + below(9), 0, below(2)}};
        facts.counts_losses = perhaps();
        for (auto* log : {&facts.diagnostics, &facts.losses}) {
            log->kept = any_problems();
            log->count = log->kept.size() + below(2);
        }
        facts.stacks_by_end = {below(3), below(3)};
        facts.short_copies = {{8192, below(9), below(99)}};
        facts.without_file = {{any<stored::Object>(), 1 + below(9)}};
        facts.has_build_ids = perhaps();
        facts.has_kernel_names = perhaps(8);
        facts.name_problems = any_problems();
        auto& source = made_.model.sources.front();
        source.hostname = any_text("host");
        source.os_release = any_text("6.");
        source.command_line = {any_text("perf"), any_text("record")};
        source.wall_time = below(1000);
    }

    std::mt19937 random_;
    StoredModel made_;
};

}  // namespace

stored::Model random_model(std::uint32_t seed) {
    return RandomModel(seed).make();
}

}  // namespace perfdata::test
