// SPDX-License-Identifier: MIT
// Timelines of profiles.
#include <set>
#include <span>
#include <string>
#include <utility>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "catch.hpp"
#include "support/stored_model.hpp"
#include "timeline/stored_cgroups.hpp"
#include "timeline/stored_frames.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// ProfileScene is a profile with a file, the kernel, a BPF program, JIT code, and a sample in each function.
class ProfileScene {
  public:
    static constexpr std::uint64_t base = 0xffffffff81000000;

    ProfileScene() : made_("one") {
        auto& model = made_.model;
        cycles = made_.event("cycles", 0);
        program = made_.file("/bin/program", std::string(20, 'b'));
        stored::Object kernel_object;
        kernel_object.kind = ObjectKind::kernel;
        kernel_object.path = made_.text("[kernel.kallsyms]");
        kernel_object.build_id = std::string(16, 'k');
        kernel_object.base = base;
        kernel = made_.add(kernel_object);
        stored::Load row;
        row.tag = 0x0123456789abcdef;
        row.id = 42;
        row.symbol_name = made_.text("prog");
        row.functions = 5;
        row.info.known = true;
        row.info.type = 5;
        row.info.map_ids = {3, 9};
        row.info.function_tags = {0x1122334455667788, 0x99aabbccddeeff00};
        row.info.name = made_.text("prog");
        row.loaded_at = 10;
        load = made_.add(row);
        for (std::uint32_t at = 2; at-- > 0;) {
            stored::Code code;
            code.from = 10;
            code.until = 500;
            code.address = 0xffffffffc0000000 + 0x100 * at;
            code.size = 0x80;
            code.symbol = made_.text(at == 0 ? "bpf_prog_0123456789abcdef_prog" : "bpf_prog_1122334455667788_sub");
            code.load = load;
            code.subprogram = at;
            codes[at] = made_.add(code);
        }
        in_file = made_.function(program, 0x1000, "main", "code");
        in_kernel = made_.function(kernel, 0x200, "schedule", "kernel code");
        model.functions[in_kernel.number].has_address = true;
        model.functions[in_kernel.number].address = base + 0x200;
        model.versions.back().until = 300;
        made_.version(in_kernel, 1, "kernel CODE");
        model.versions.back().from = 300;
        for (const auto* symbol : {"first", "second"}) {
            stored::Function jit;
            jit.kind = FrameKind::jit;
            jit.number = symbol[0] == 'f' ? 20 : 10;
            jit.symbol = made_.text(symbol);
            jit.code_hash.assign(32, symbol[0]);
            jit.size = 0x40;
            const auto ref = made_.add(jit);
            made_.version(ref, 0, symbol);
            model.versions.back().from = symbol[0] == 'f' ? 100 : 200;
            sample(made_.frame(ref, 4), CpuMode::user);
        }
        for (const auto code : codes) {
            stored::Function function;
            function.kind = FrameKind::code;
            function.code = code;
            function.symbol = model.codes[code.number].symbol;
            function.size = 0x80;
            const auto ref = made_.add(function);
            made_.version(ref, 0, "bpf");
            sample(made_.frame(ref, 8), CpuMode::kernel);
        }
        sample(made_.frame(in_file, 0x10), CpuMode::user);
        sample(made_.frame(in_kernel, 0x20), CpuMode::kernel);
        stored::Frame nowhere;
        nowhere.number = static_cast<std::uint32_t>(Miss::no_mapping);
        nowhere.offset = 0xdead;
        nowhere.nameless = made_.add(stored::Nameless());
        sample(made_.add(nowhere), CpuMode::user);
    }

    StoredModel& made() { return made_; }
    void sample(stored::Ref<stored::Frame> frame, CpuMode mode) {
        made_.model.frames[frame.number].mode = mode;
        made_.cell(made_.task("thread", 7), made_.node(frame), cycles, 1);
    }
    // open() is called once.
    Recording open() {
        file_ = written(std::move(made_).finish());
        return Recording::from_memory(std::as_bytes(std::span(file_))).value();
    }

    stored::Ref<stored::Event> cycles;
    stored::Ref<stored::Object> program, kernel;
    stored::Ref<stored::Load> load;
    stored::Ref<stored::Code> codes[2];
    stored::Ref<stored::Function> in_file, in_kernel;

  private:
    StoredModel made_;
    std::string file_;
};

// ExtentStub knows one function of the kernel, and that JIT code has a name.
class ExtentStub final : public FunctionIndex {
  public:
    explicit ExtentStub(const Timeline& timeline) : timeline_(timeline) {}

    const Timeline& timeline() const override { return timeline_; }
    const JitCodes& jit() const override { return jit_; }
    Frame function(const Frame& frame) const override { return extent(frame).begin; }
    FunctionExtent extent(const Frame& frame) const override {
        auto begin = frame;
        if (frame.kind == FrameKind::jit) {
            begin.offset = 0;
            return {begin, 0x40, {}};
        }
        begin.offset = ProfileScene::base + (frame.offset < ProfileScene::base + 0x900 ? 0x200 : 0x900);
        return {begin, 11, Address{ProfileScene::base + 0x200}};
    }
    bool named(const Frame&) const override { return true; }
    std::optional<NamelessCode> nameless(const Frame&) const override { return {}; }
    CodePart left_out(const Frame&, const CodeFilter&) const override { return CodePart::none; }
    void add_inlined(const Frame&, bool, std::vector<Frame>&) const override {}

  private:
    const Timeline& timeline_;
    JitCodes jit_;
};

ObjectIndex object_called(const Timeline& timeline, std::string_view path) {
    ObjectIndex index = 0;
    while (timeline.tasks().objects()[index].path != path) ++index;
    return index;
}

}  // namespace

TEST_CASE("The timeline of a profile has its objects, code and programs", "[timeline][stored]") {
    ProfileScene scene;
    std::optional<Recording> profile(scene.open());
    const auto timeline = Timeline::build(*profile).value();
    profile.reset();  // need not outlive it
    const auto& program = timeline.tasks().objects()[object_called(timeline, "/bin/program")];
    CHECK(program.kind == ObjectKind::file);
    REQUIRE(program.build_id);
    CHECK(program.build_id->size == 20);
    CHECK(program.build_id->value[19] == std::byte{'b'});
    const auto& kernel = timeline.tasks().objects()[object_called(timeline, "[kernel.kallsyms]")];
    CHECK(kernel.kind == ObjectKind::kernel);
    CHECK(timeline.build_ids().at("[kernel.kallsyms]").size == 16);

    REQUIRE(timeline.loads().size() == 1);
    const auto& load = timeline.loads()[0];
    CHECK(load.id.value == 42);
    CHECK(hex(load.tag) == "0123456789abcdef");
    CHECK(load.symbol_name == "prog");
    CHECK(load.loaded_at == Time{10});
    CHECK(load.unloaded_at == Time::forever());
    CHECK(load.function_count() == 5);
    REQUIRE(load.functions.size() == 2);
    CHECK(timeline.code()[load.functions[0]].subprogram == 0);
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
    REQUIRE(load.info != nullptr);
    CHECK(load.info->type == 5);
    CHECK(load.info->name == "prog");
    REQUIRE(load.info->map_ids().size() == 2);
    CHECK(load.info->map_ids()[1] == 9);
    REQUIRE(load.info->tags() == 2);
    CHECK(hex(load.info->function_tag(1)) == "99aabbccddeeff00");
    const auto& code = timeline.code()[load.functions[1]];
    CHECK(code.symbol == "bpf_prog_1122334455667788_sub");
    CHECK(code.range == AddressRange{{0xffffffffc0000100}, 0x80});
    CHECK(code.from == Time{10});
    CHECK(code.until == Time{500});
    CHECK(timeline.load_of(Frame::in_code(load.functions[1], 3)) == &load);
    CHECK(timeline.tasks().comms() == std::vector<std::string>{"thread"});
    CHECK(timeline.tasks().mappings().empty());
    CHECK(timeline.patches().empty());
}

TEST_CASE("The timeline of a profile says what was lost", "[timeline][stored]") {
    ProfileScene scene;
    auto& made = scene.made();
    auto& facts = made.model.facts;
    facts.bytes_total = 100;
    facts.bytes_records = 70;
    facts.bytes_outside = 20;
    facts.bytes_unread = 10;
    facts.records = {{9, 5, 0, 1}};
    facts.lost_events = 3;
    facts.lost_samples = 2;
    facts.filtered_samples = 1;
    facts.counts_losses = true;
    facts.stacks = 4;
    facts.stacks_not_unwound = 2;
    stored::Problem problem;
    problem.code = ErrorCode::truncated;
    problem.where = made.text("here");
    problem.offset = 12;
    facts.diagnostics = {~std::uint64_t{0}, {problem}};
    auto& event = made.model.events[0];
    event.has_losses = true;
    event.counted = 10;
    event.lost = 2;
    event.filtered = 1;
    const auto profile = scene.open();
    const auto timeline = Timeline::build(profile).value();
    const auto& completeness = timeline.completeness();
    CHECK(completeness.bytes.total == 100);
    CHECK(completeness.bytes.records == 70);
    CHECK(completeness.bytes.outside_records == 20);
    CHECK(completeness.bytes.unread == 10);
    CHECK(completeness.records.at(9).decoded == 5);
    CHECK(completeness.records.at(9).damaged == 1);
    CHECK(completeness.lost_events == 3);
    CHECK(completeness.lost_samples == 2);
    CHECK(completeness.filtered_samples == 1);
    CHECK(completeness.counts_losses);
    CHECK(completeness.stacks_not_unwound == 6);
    CHECK(completeness.diagnostics.count() == ~std::uint64_t{0});
    REQUIRE(completeness.diagnostics.kept().size() == 1);
    CHECK(completeness.diagnostics.kept()[0].offset == 12);
    CHECK(completeness.diagnostics.kept()[0].where == "here");
    const auto& losses = completeness.losses.at(0);
    CHECK(losses.event == "cycles");
    CHECK(losses.samples == 10);
    CHECK(losses.lost == 2);
    CHECK(losses.by_filter == 1);
}

TEST_CASE("Frames of a profile lie where they lay", "[timeline][stored]") {
    ProfileScene scene;
    const auto profile = scene.open();
    const auto timeline = Timeline::build(profile).value();
    const auto& model = *profile.stored();
    SampleCountOptions options;
    options.by_comm = false;
    const auto counts = SampleCounts::count(profile, timeline, options).value();
    const auto has = [&](const Frame& frame) { return std::ranges::count(counts.frames(), frame) == 1; };
    CHECK(counts.frames().size() == 7);
    CHECK(has({0x1010, object_called(timeline, "/bin/program"), FrameKind::object, CpuMode::user}));
    CHECK(has({ProfileScene::base + 0x220, object_called(timeline, "[kernel.kallsyms]"), FrameKind::object,
               CpuMode::kernel}));
    CHECK(has({4, 0, FrameKind::jit, CpuMode::user}));
    CHECK(has({4, 1, FrameKind::jit, CpuMode::user}));
    CHECK(has(Frame::in_code(timeline.loads()[0].functions[0], 8)));
    CHECK(has(Frame::nowhere({0xdead}, Miss::no_mapping, CpuMode::user)));
    const StoredFrames frames(model);
    for (std::uint32_t row = 0; row < model.functions.size(); ++row) {
        const auto& function = model.functions[row];
        const auto begin = frames.function(stored::Ref<stored::Function>(row));
        CHECK(begin.kind == function.kind.as<FrameKind>());
        if (begin.kind == FrameKind::jit) CHECK(frames.jit_functions()[begin.index].number == row);
    }
}

TEST_CASE("Functions of a profile have the versions that it keeps", "[timeline][stored]") {
    for (const bool merged : {false, true}) {
        INFO("merged " << merged);
        ProfileScene scene;
        auto& made = scene.made();
        made.model.facts.merged = merged;
        // Another function of the same address, which never changed.
        const auto other = made.function(scene.kernel, 0x900, "other", "more code");
        made.model.functions[other.number].has_address = true;
        made.model.functions[other.number].address = ProfileScene::base + 0x200;
        scene.sample(made.frame(other, 1), CpuMode::kernel);
        if (merged) {
            for (auto& version : scene.made().model.versions) {
                version.from = 0;
                version.until = ~std::uint64_t{0};
            }
        }
        const auto profile = scene.open();
        const auto timeline = Timeline::build(profile).value();
        const ExtentStub index(timeline);
        const auto versions = CodeVersions::build(index);
        const Frame function{ProfileScene::base + 0x200, object_called(timeline, "[kernel.kallsyms]"),
                             FrameKind::object, CpuMode::kernel};
        CHECK(versions.functions() == std::vector<Frame>{function});
        CHECK(versions.count(function) == 2);
        auto unchanged = function;
        unchanged.offset += 0x700;
        CHECK(versions.count(unchanged) == 1);
        const auto all = versions.versions(function);
        REQUIRE(all.size() == 2);
        CHECK(all[1].number == 1);
        CHECK(all[0].until == (merged ? Time::forever() : Time{300}));
        CHECK(all[1].from == (merged ? Time{} : Time{300}));
        CHECK(all[1] == versions.version(function, 1));
        CHECK(all[0] == versions.version(function, 0));
        // The first function of the JIT compiler was there from 100 on.
        const auto& model = *profile.stored();
        const StoredFrames frames(model);
        for (std::uint32_t jit = 0; jit < 2; ++jit) {
            const bool first = model.text(model.at(frames.jit_functions()[jit]).symbol) == "first";
            const auto version = versions.version({0, jit, FrameKind::jit, CpuMode::user}, 0);
            CHECK(version.from == (merged ? Time{} : Time{first ? 100u : 200u}));
        }
        CHECK(versions.version({0, 77, FrameKind::jit, CpuMode::user}, 0).from == Time{});
    }
}

TEST_CASE("Cgroups of a profile have ids that tell them apart", "[timeline][stored]") {
    StoredModel made("one");
    const auto cycles = made.event("cycles", 0);
    const auto object = made.file("/bin/program", "");
    const auto node = made.node(made.frame(made.function(object, 0, "main", "code"), 0));
    const std::pair<const char*, std::uint64_t> given[] = {{"/a", 5},    {"/b", 5}, {"/c", 1}, {"/d", 0},
                                                           {nullptr, 7}, {"/e", 7}, {"/f", 8}};
    for (const auto& [path, id] : given) {
        stored::Cgroup row;
        if (path != nullptr) row.path = made.text(path);
        row.id = id;
        stored::Task task;
        task.comm = made.text("thread");
        task.cgroup = made.add(row);
        made.cell(made.add(task), node, cycles, 1);
    }
    const auto bytes = written(std::move(made).finish());
    const auto profile = Recording::from_memory(std::as_bytes(std::span(bytes))).value();
    const auto ids = stored_cgroup_ids(*profile.stored());
    CHECK(std::set(ids.begin(), ids.end()).size() == std::size(given));
    CHECK(std::ranges::count(ids, 0u) == 0);
    const auto timeline = Timeline::build(profile).value();
    CHECK(timeline.tasks().cgroup(1) == "/c");
    CHECK(timeline.tasks().cgroup(8) == "/f");
    CHECK(timeline.tasks().cgroup(7) == std::nullopt);
    CHECK(timeline.tasks().cgroups().size() == 6);
    SampleCountOptions options;
    options.by_cgroup = true;
    const auto counts = SampleCounts::count(profile, timeline, options).value();
    CHECK(counts.rows().size() == std::size(given));
    for (const auto& [id, path] : timeline.tasks().cgroups()) {
        options.filter.by_cgroup = true;
        options.filter.cgroups = {id};
        INFO(path);
        CHECK(hits(SampleCounts::count(profile, timeline, options).value().totals()) == 1);
    }
}

TEST_CASE("A filter for calls takes frames of its functions", "[profile][stored]") {
    ProfileScene scene;
    const auto profile = scene.open();
    const auto timeline = Timeline::build(profile).value();
    const ExtentStub index(timeline);
    const auto versions = CodeVersions::build(index);
    const auto at = [](std::uint64_t offset, std::uint32_t object = 1, FrameKind kind = FrameKind::object) {
        return Frame{offset, object, kind, CpuMode::user};
    };
    std::vector<CodeVersion> functions(3);
    functions[0].function = at(0x100);
    functions[0].size = 0x10;
    functions[1].function = at(0x80);
    functions[1].size = 0x200;
    functions[2].function = at(0, 3, FrameKind::jit);
    functions[2].size = 0x20;
    const CallFilter filter(versions, functions);
    CHECK_FALSE(filter.may_hold_frame(at(0x7f)));
    CHECK(filter.may_hold_frame(at(0x80)));
    CHECK(filter.may_hold_frame(at(0x110)));
    CHECK(filter.may_hold_frame(at(0x180)));  // in the longer one, which begins earlier
    CHECK(filter.may_hold_frame(at(0x280)));  // behind it: a return address
    CHECK_FALSE(filter.may_hold_frame(at(0x281)));
    CHECK_FALSE(filter.may_hold_frame(at(0x100, 2)));
    CHECK_FALSE(filter.may_hold_frame(at(0x10, 2, FrameKind::jit)));
    CHECK(filter.may_hold_frame(at(0x10, 3, FrameKind::jit)));
    functions[0].size = 0;
    CHECK(CallFilter(versions, functions).may_hold_frame(at(0x9999, 9)));
}

TEST_CASE("Models of any content have timelines and counts", "[timeline][stored]") {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        const auto bytes = written(random_model(seed));
        const auto profile = Recording::from_memory(std::as_bytes(std::span(bytes))).value();
        const auto timeline = Timeline::build(profile).value();
        const auto& model = *profile.stored();
        CHECK(timeline.code().size() == model.codes.size());
        std::uint64_t samples = 0;
        for (const auto& cell : model.cells) samples += cell.hits;
        SampleCountOptions options;
        options.chains = options.by_pid = options.by_tid = options.by_cpu = options.by_cgroup = true;
        const auto counts = SampleCounts::count(profile, timeline, options).value();
        CHECK(hits(counts.totals()) == samples);
        CHECK(counts.counter_losses().unknown == model.facts.counters_unknown);
        CHECK(counts.chain_losses().broken == model.facts.chains_broken);
        CHECK(counts.chain_losses().stacks.stacks() == model.facts.stacks);
        options.chains = false;
        CHECK(hits(SampleCounts::count(profile, timeline, options).value().totals()) == samples);
    }
}
