// SPDX-License-Identifier: MIT
// Profiles are counted as their recordings are.
#include <algorithm>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/shared_facts.hpp"
#include "support/random.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"
#include "support/stored_twin.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t kernel_begin = 0xffffffff81000000, module_begin = 0xffffffffc0000000;
constexpr std::uint64_t kernel_marker = std::uint64_t(-128), user_marker = std::uint64_t(-512);

// InlinedStub says what is inlined, by the offset alone, and leaves out odd symbols.
class InlinedStub final : public FunctionIndex {
  public:
    explicit InlinedStub(const Timeline& timeline) : timeline_(timeline) {}

    const Timeline& timeline() const override { return timeline_; }
    const JitCodes& jit() const override { return jit_; }
    Frame function(const Frame& frame) const override {
        auto begin = frame;
        begin.offset &= ~std::uint64_t{0xff};
        return begin;
    }
    FunctionExtent extent(const Frame& frame) const override { return {function(frame), 0x100, {}}; }
    bool named(const Frame& frame) const override { return frame.kind == FrameKind::object; }
    std::optional<NamelessCode> nameless(const Frame&) const override { return {}; }
    CodePart left_out(const Frame& frame, const CodeFilter& filter) const override {
        if (filter.empty()) return CodePart::none;
        return (frame.offset & 0x40) != 0 ? CodePart::symbol : CodePart::none;
    }
    void add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const override {
        if (frame.kind != FrameKind::object) return;
        const auto count = (frame.offset >> 4) % (returns ? 3 : 4);
        for (std::uint64_t at = 0; at < count; ++at) {
            calls.push_back({0x700000 + at + (frame.offset & 0xff00), frame.index, FrameKind::inlined, frame.mode});
        }
    }

    // Names ascend where offsets descend, and several functions share one.
    ShownName shown_name(const Frame& frame) const override {
        ShownName shown;
        shown.in_source = "f" + std::to_string(1000 - (frame.offset >> 9) % 100);
        if (frame.kind == FrameKind::object) shown.object = timeline_.tasks().objects()[frame.index].path;
        return shown;
    }

  private:
    const Timeline& timeline_;
    JitCodes jit_;
};

// World is a recording of random samples with call chains, and its profile.
class StoredWorld {
  public:
    explicit StoredWorld(std::uint64_t seed, std::uint32_t max_stack = 1024)
        : random_(seed),
          scene_(seed % 2 == 0 ? std::endian::little : std::endian::big, std::vector<Attr>{attr(), attr()}) {
        map(~0u, kernel_begin, 0x100000, "[kernel.kallsyms]_text");
        map(~0u, module_begin, 0x10000, "[nf_nat]");
        for (std::uint32_t pid = 10; pid < 14; ++pid) {
            // The order of the paths, which is that of a profile, is not that of the mappings.
            map(pid, 0x400000, 0x10000, "/bin/program" + std::to_string(1 - pid % 2));
            Comm comm;
            comm.pid = {pid};
            comm.tid = {pid};
            const auto name = "thread" + std::to_string(pid % 3);
            comm.comm = name;
            if (pid != 13) scene_.add(encode(comm, scene_.frame({5, pid, pid, 0})));
        }
        if (seed % 3 == 0) add_sample(0);  // 0 is a time, too
        for (std::uint64_t time = 100; time < 700; ++time) add_sample(time);
        live_.emplace(scene_.open());
        live_timeline_.emplace(Timeline::build(*live_).value());
        stub_.emplace(*live_timeline_);
        model_ = stored_twin(*live_, *live_timeline_, &*stub_, max_stack);
        bytes_ = profile_bytes(model_);
        stored_.emplace(Recording::from_memory(bytes_).value());
        stored_timeline_.emplace(Timeline::build(*stored_).value());
        stored_stub_.emplace(*stored_timeline_);
    }

    const stored::Model& model() const { return model_; }
    const Recording& live() const { return *live_; }
    const Recording& stored() const { return *stored_; }
    const Timeline& live_timeline() const { return *live_timeline_; }
    const Timeline& stored_timeline() const { return *stored_timeline_; }
    const InlinedStub& live_index() const { return *stub_; }
    const InlinedStub& stored_index() const { return *stored_stub_; }

    // Told is a frame in words that are the same for both.
    using Told = std::tuple<FrameKind, std::string, std::uint64_t, CpuMode>;
    Told told(const Frame& frame, bool stored) const {
        const auto& timeline = stored ? *stored_timeline_ : *live_timeline_;
        std::string where = std::to_string(frame.index);
        auto offset = frame.offset;
        if (frame.kind == FrameKind::object || frame.is_inlined()) where = timeline.tasks().objects()[frame.index].path;
        if (frame.is_inlined() && stored) offset = model_.inlined[frame.offset].entry;
        return {frame.kind, where, offset, frame.mode};
    }

    // compare(options) counts both, and compares all that they have, in order.
    void compare(SampleCountOptions options, bool with_index) const {
        options.functions = with_index ? &*stub_ : nullptr;
        const auto live = SampleCounts::count(*live_, *live_timeline_, options).value();
        options.functions = with_index ? &*stored_stub_ : nullptr;
        const auto stored = SampleCounts::count(*stored_, *stored_timeline_, options).value();
        CHECK(rows_of(live, false) == rows_of(stored, true));
        CHECK(std::ranges::equal(live.chains(), stored.chains()));
        CHECK(live.events() == stored.events());
        CHECK(live.totals() == stored.totals());
        CHECK(live.considered() == stored.considered());
        for (std::size_t part = 0; part < filter_parts; ++part) {
            CHECK(live.dropped().of(FilterPart(part)) == stored.dropped().of(FilterPart(part)));
        }
        CHECK(live.has_inlined() == stored.has_inlined());
        CHECK(live.chain_losses().deep == stored.chain_losses().deep);
        if (live.dropped().empty()) {
            CHECK(live.first_time() == stored.first_time());
            CHECK(live.last_time() == stored.last_time());
        }
    }

  private:
    static Attr attr() { return sampling_attr(Scene::sample_type | sample_bit::callchain); }

    void map(std::uint32_t pid, std::uint64_t begin, std::uint64_t size, const std::string& path) {
        Mmap record;
        record.pid = {pid};
        record.tid = {pid == ~0u ? 0 : pid};
        record.range = {{begin}, size};
        record.page_offset = pid == ~0u ? begin : 0x1000;
        record.filename = path;
        auto frame = scene_.frame({});
        if (pid == ~0u) frame.misc = 1;
        scene_.add(encode(record, frame));
    }

    std::uint64_t address(bool kernel) {
        const auto offset = 0x10 * random_.below(24);
        if (!kernel) return 0x400000 + offset + 0x10000 * (random_.one_in(20) ? 1 : 0);
        return (random_.one_in(3) ? module_begin : kernel_begin) + offset;
    }

    void add_sample(std::uint64_t time) {
        SampleContent content;
        auto& fixed = content.fixed;
        fixed = {};
        const auto event = random_.below(2);
        const bool kernel = random_.one_in(2);
        fixed.identifier = fixed.id = Scene::first_id + event;
        fixed.pid = static_cast<std::uint32_t>(10 + random_.below(4));
        fixed.tid = fixed.pid + (random_.one_in(5) ? 100 : 0);
        fixed.cpu = static_cast<std::uint32_t>(random_.below(3));
        fixed.time = time;
        fixed.period = 1 + random_.below(1000);
        fixed.ip = address(kernel);
        if (kernel) {
            content.callchain = {kernel_marker, fixed.ip};
            for (auto left = random_.below(3); left != 0; --left) content.callchain.push_back(address(true));
            content.callchain.push_back(user_marker);
            content.callchain.push_back(address(false));
        } else {
            content.callchain = {user_marker, fixed.ip};
        }
        for (auto left = random_.below(4); left != 0; --left) content.callchain.push_back(address(false));
        scene_.add(encode(scene_.order(), attr(), content, kernel ? 1 : 2));
    }

    using Row = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::string, std::vector<Told>,
                           std::vector<std::pair<std::uint64_t, std::uint64_t>>>;
    std::vector<Row> rows_of(const SampleCounts& counts, bool stored) const {
        std::vector<Row> rows;
        for (std::size_t number = 0; number < counts.rows().size(); ++number) {
            const auto& row = counts.rows()[number];
            const auto& task = counts.tasks()[row.task];
            std::vector<Told> chain;
            for (auto node = row.chain; node != ChainNode::none; node = counts.chains()[node].caller) {
                chain.push_back(told(counts.frames()[counts.chains()[node].frame], stored));
            }
            std::vector<std::pair<std::uint64_t, std::uint64_t>> cells;
            for (const auto& cell : counts.cells(number)) cells.emplace_back(cell.hits, cell.periods);
            rows.emplace_back(std::string(task.comm), task.pid.value, task.tid.value, task.cpu,
                              std::string(task.parent), std::move(chain), std::move(cells));
        }
        return rows;
    }

    Random random_;
    Scene scene_;
    std::optional<Recording> live_, stored_;
    std::optional<Timeline> live_timeline_, stored_timeline_;
    std::optional<InlinedStub> stub_, stored_stub_;
    stored::Model model_;
    Blob bytes_;
};

Frame coarse(const Frame& frame) {
    auto begin = frame;
    if (!frame.is_inlined()) begin.offset &= ~std::uint64_t{0x3f};
    return begin;
}

}  // namespace

TEST_CASE("A profile has the counts of its recording, in the same order", "[profile][stored]") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        INFO("seed " << seed);
        const StoredWorld world(seed);
        CHECK(world.model().cells.size() > 300);
        SampleCountOptions options;
        world.compare(options, false);
        options.by_pid = options.by_tid = true;
        world.compare(options, false);
        options.by_comm = false;
        options.by_cpu = true;
        options.fold = coarse;
        world.compare(options, false);
        options = {};
        options.chains = true;
        world.compare(options, false);
        options.by_cpu = true;
        options.fold = coarse;
        world.compare(options, true);
        options.fold_callers = false;
        world.compare(options, true);
        options.inlines = true;
        world.compare(options, true);
        options.fold_callers = true;
        world.compare(options, true);
        options.parent = [](const Frame& frame) {
            return !frame.is_inlined() && (frame.offset & 0x80) != 0 ? std::string_view("above") : std::string_view();
        };
        world.compare(options, true);
        options.ignore_callees = [](const Frame& frame) { return (frame.offset & 0x30) == 0x30; };
        options.outermost_parent = true;
        world.compare(options, false);
    }
}

TEST_CASE("Filters take from a profile what they take from its recording", "[profile][stored]") {
    const StoredWorld world(11);
    SampleCountOptions options;
    options.chains = options.by_pid = true;
    options.filter.cpus = {0, 2};
    world.compare(options, true);
    options.filter.comms = {"thread0", "thread1"};
    world.compare(options, true);
    options.filter.pids = {10, 12, 13};
    options.filter.tids = {10, 12, 113};
    world.compare(options, true);
    options.filter.code.symbols = {"any"};
    world.compare(options, true);
    options.filter.events = {1};
    world.compare(options, true);
    options.chains = false;
    world.compare(options, true);
    options.filter.by_cgroup = true;
    options.filter.cgroups = {7};
    world.compare(options, true);
}

TEST_CASE("Chains of a profile are cut as those of its recording", "[profile][stored]") {
    const StoredWorld world(21);
    SampleCountOptions options;
    options.chains = true;
    for (const std::uint32_t most : {1u, 2u, 3u, 5u, 1024u, 5000u}) {
        INFO("at most " << most);
        options.max_stack = most;
        world.compare(options, true);
    }
    // What the profile lacks already is lost at any depth.
    const StoredWorld cut(21, 3);
    options.max_stack = 3;
    cut.compare(options, true);
    options.max_stack = 1024;
    const auto counts = SampleCounts::count(cut.stored(), cut.stored_timeline(), options).value();
    CHECK(counts.chain_losses().deep == cut.model().facts.chains_deep);
    CHECK(counts.chain_losses().deep != 0);
    CHECK(counts.chain_losses().max_stack == 1024);
}

TEST_CASE("Marks tell return addresses from interrupted ones", "[profile][counts]") {
    const StoredWorld world(3);
    SampleCountOptions options;
    options.chains = options.mark_returns = true;
    const auto marked = SampleCounts::count(world.live(), world.live_timeline(), options).value();
    std::size_t marks = 0, plain = 0;
    for (const auto& node : marked.chains()) {
        const bool mark = (node.frame & ChainNode::returns_mark) != 0;
        ++(mark ? marks : plain);
        REQUIRE((node.frame & ~ChainNode::returns_mark) < marked.frames().size());
    }
    for (const auto& row : marked.rows()) CHECK((marked.chains()[row.chain].frame & ChainNode::returns_mark) == 0);
    CHECK(marks > 50);
    CHECK(plain > 50);
    const auto of_profile = SampleCounts::count(world.stored(), world.stored_timeline(), options).value();
    CHECK(std::ranges::equal(marked.chains(), of_profile.chains()));
}

TEST_CASE("What needs single samples is refused of a profile", "[profile][stored]") {
    const StoredWorld world(4);
    const auto refused = [&](const SampleCountOptions& options) {
        const auto counts = SampleCounts::count(world.stored(), world.stored_timeline(), options);
        return !counts && counts.error().code == ErrorCode::unsupported;
    };
    SampleCountOptions options;
    options.filter.times = {{{100}, {200}}};
    CHECK(refused(options));
    options = {};
    options.label = [](std::uint32_t, std::optional<Bytes>, const Moment&) { return 0u; };
    CHECK(refused(options));
    options = {};
    options.chains = true;
    options.each = [](const CountedSample&) {};
    CHECK(refused(options));
    options.each = {};
    CHECK_FALSE(refused(options));
    std::stop_source stop;
    stop.request_stop();
    options.stop = stop.get_token();
    const auto stopped = SampleCounts::count(world.stored(), world.stored_timeline(), options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Functions of a profile have the calls and hits of its recording", "[profile][stored]") {
    const StoredWorld world(5);
    const auto live = CodeVersions::build(world.live_index());
    const auto stored = CodeVersions::build(world.stored_index());
    // The kernel's functions are called from both programs, often equally often.
    const std::vector<std::pair<std::string, Frame>> wanted = {
        {"/bin/program0", {0x1000, 0, FrameKind::object, CpuMode::user}},
        {"[kernel.kallsyms]_text", {kernel_begin, 0, FrameKind::object, CpuMode::kernel}},
        {"[nf_nat]", {module_begin, 0, FrameKind::object, CpuMode::kernel}}};
    const auto functions_of = [&](const Timeline& timeline, const CodeVersions& versions) {
        std::vector<CodeVersion> functions;
        for (auto [path, frame] : wanted) {
            const auto& objects = timeline.tasks().objects();
            const auto found = std::ranges::find(objects, path, &Object::path);
            REQUIRE(found != objects.end());
            frame.index = static_cast<ObjectIndex>(found - objects.begin());
            functions.push_back(versions.version(frame, 0));
        }
        return functions;
    };
    const auto of_live = CallEdges::count(world.live(), live, functions_of(world.live_timeline(), live)).value();
    const auto of_stored =
        CallEdges::count(world.stored(), stored, functions_of(world.stored_timeline(), stored)).value();
    using Edge = std::tuple<StoredWorld::Told, StoredWorld::Told, std::uint64_t, bool, std::uint64_t>;
    const auto told = [&](const std::vector<CallEdge>& edges, bool is_stored) {
        std::vector<Edge> all;
        for (const auto& edge : edges) {
            all.emplace_back(world.told(edge.caller.function, is_stored), world.told(edge.callee.function, is_stored),
                             edge.offset, edge.entry, hits(edge.below));
        }
        return all;
    };
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        INFO(wanted[at].first);
        const auto &one = of_live.of(at), &other = of_stored.of(at);
        CHECK(one.with_callees == other.with_callees);
        CHECK(hits(one.with_callees) > 20);
        CHECK(told(one.callers, false) == told(other.callers, true));
        CHECK(told(one.sites, false) == told(other.sites, true));
        CHECK(told(one.callees, false) == told(other.callees, true));
        CHECK(other.callers.size() > 3);
    }
    const auto hits_live = Profile::count(world.live(), live).value();
    const auto hits_stored = Profile::count(world.stored(), stored).value();
    REQUIRE(hits_live.functions().size() == hits_stored.functions().size());
    CHECK(hits_live.totals() == hits_stored.totals());
    CHECK(hits_live.misses() == hits_stored.misses());
    for (std::size_t at = 0; at < hits_live.functions().size(); ++at) {
        const auto &one = hits_live.functions()[at], &other = hits_stored.functions()[at];
        CHECK(hits(one.total) == hits(other.total));
        CHECK(world.told(one.version.function, false) == world.told(other.version.function, true));
    }
}

TEST_CASE("Equal hits come by name, object and address, in a profile as in its recording", "[profile][stored]") {
    Scene scene;
    const auto map = [&](std::uint64_t begin, std::string_view path) {
        Mmap record;
        record.pid = {101};
        record.tid = {101};
        record.range = {{begin}, 0x10000};
        record.filename = path;
        scene.add(encode(record, scene.frame({5, 101, 101, 0})));
    };
    map(0x500000, "/bin/b");
    map(0x400000, "/bin/a");
    for (std::uint64_t time = 100; const std::uint64_t begin : {0x500000u, 0x400000u}) {
        for (std::uint64_t offset = 0; offset < 0x600; offset += 0x100) {
            scene.sample(begin + offset, ++time, CpuMode::user);
        }
    }
    scene.sample(0x500100, 200, CpuMode::user);  // more hits than the others
    const auto live = scene.open();
    const auto live_timeline = Timeline::build(live).value();
    const InlinedStub live_index(live_timeline);
    const auto bytes = profile_bytes(stored_twin(live, live_timeline, &live_index, 1024));
    const auto stored = Recording::from_memory(bytes).value();
    const auto stored_timeline = Timeline::build(stored).value();
    const InlinedStub stored_index(stored_timeline);
    const auto told = [](const Recording& recording, const InlinedStub& index) {
        const auto versions = CodeVersions::build(index);
        const auto profile = Profile::count(recording, versions).value();
        std::vector<std::tuple<std::string, std::string, std::uint64_t>> all;
        for (const auto& function : profile.functions()) {
            const auto& frame = function.version.function;
            const auto name = index.shown_name(frame);
            all.emplace_back(name.name(), name.object, frame.offset);
        }
        return all;
    };
    const auto found = told(live, live_index);
    const std::vector<std::tuple<std::string, std::string, std::uint64_t>> expected = {
        {"f1000", "/bin/b", 0x100}, {"f1000", "/bin/a", 0},    {"f1000", "/bin/a", 0x100}, {"f1000", "/bin/b", 0},
        {"f998", "/bin/a", 0x400},  {"f998", "/bin/a", 0x500}, {"f998", "/bin/b", 0x400},  {"f998", "/bin/b", 0x500},
        {"f999", "/bin/a", 0x200},  {"f999", "/bin/a", 0x300}, {"f999", "/bin/b", 0x200},  {"f999", "/bin/b", 0x300}};
    CHECK(found == expected);
    CHECK(told(stored, stored_index) == expected);
}

TEST_CASE("Further tasks of a profile pass no filter of tasks", "[profile][stored]") {
    const StoredWorld world(6);
    auto model = world.model();
    stored::Task further;
    further.further = true;
    further.comm = stored::Ref<stored::Text>(0);
    further.pid = further.tid = further.cpu = 10;
    model.tasks.push_back(further);
    auto cell = model.cells.front();
    cell.task = stored::Ref<stored::Task>(model.tasks.size() - 1);
    cell.hits = 1000;
    model.cells.push_back(cell);
    const auto bytes = profile_bytes(stored::canonical(std::move(model)));
    const auto profile = Recording::from_memory(bytes).value();
    const auto timeline = Timeline::build(profile).value();
    SampleCountOptions options;
    const auto all = SampleCounts::count(profile, timeline, options).value();
    CHECK(all.in_further_tasks() == 1000);
    CHECK(std::ranges::count_if(all.tasks(), &SampledTask::is_further) == 1);
    options.filter.pids = {10};
    const auto some = SampleCounts::count(profile, timeline, options).value();
    CHECK(some.in_further_tasks() == 0);
    CHECK(hits(some.dropped().of(FilterPart::pid)) >= 1000);
}

TEST_CASE("Branches of a profile add the calls that they are", "[profile][stored]") {
    const StoredWorld world(7);
    auto model = world.model();
    const auto& objects = model.objects;
    std::uint32_t program = 0;
    while (model.text(objects[program].path) != "/bin/program0") ++program;
    const auto place = [&](std::uint64_t offset) {
        stored::Frame row;
        row.kind = FrameKind::object;
        row.object = stored::Ref<stored::Object>(program);
        row.offset = offset;
        row.mode = CpuMode::user;
        row.nameless = stored::Ref<stored::Nameless>(0);
        model.frames.push_back(row);
        return stored::Ref<stored::Frame>(model.frames.size() - 1);
    };
    const auto from = place(0x5310), to = place(0x1000), inside = place(0x1008), elsewhere = place(0x7000);
    const auto add = [&](stored::Ref<stored::Frame> begin, stored::Ref<stored::Frame> end, bool proven,
                         std::uint64_t times) {
        for (std::size_t task = 0; task < 1; ++task) {
            model.branches.push_back(
                {stored::Ref<stored::Task>(task), stored::Ref<stored::Event>(1), begin, end, false, proven, times});
        }
    };
    add(from, to, false, 5);
    add(from, to, true, 2);
    add(from, inside, true, 100);
    add(from, elsewhere, true, 1000);
    // Branch stacks make an event whose branches count.
    auto attr = world.live().events().events()[1].attr;
    attr.sample_type |= sample_bit::branch_stack;
    attr.branch_sample_type = 1;
    model.events[1].attr = stored::encode_attr(attr);
    const auto bytes = profile_bytes(stored::canonical(std::move(model)));
    const auto profile = Recording::from_memory(bytes).value();
    const auto timeline = Timeline::build(profile).value();
    const InlinedStub index(timeline);
    const auto versions = CodeVersions::build(index);
    REQUIRE(CallEdges::has_branches(profile));
    ObjectIndex object = 0;
    while (timeline.tasks().objects()[object].path != "/bin/program0") ++object;
    const std::vector<CodeVersion> functions = {
        versions.version({0x1000, object, FrameKind::object, CpuMode::user}, 0)};
    CallEdges edges;
    REQUIRE(edges.add_branches(profile, versions, functions));
    const auto& callers = edges.of(0).callers;
    REQUIRE(callers.size() == 1);
    CHECK(callers[0].offset == 0x10);
    CHECK(callers[0].caller.function.offset == 0x5300);
    CHECK(callers[0].branches == std::vector<std::uint64_t>{0, 7});
    CHECK(callers[0].may_be_jump);
    CallOptions options;
    options.filter.pids = {4711};
    CallEdges none;
    REQUIRE(none.add_branches(profile, versions, functions, options));
    CHECK(none.of(0).callers.empty());
    options.filter.pids.clear();
    options.filter.times = {{{1}, {2}}};
    CHECK_FALSE(none.add_branches(profile, versions, functions, options));
}
