// SPDX-License-Identifier: MIT
#include "firefox.hpp"

#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "perfdata/build_info.hpp"

#include "export_json.hpp"
#include "firefox_tables.hpp"
#include "samples_by.hpp"

namespace perfdata {
namespace {

// FirefoxCategory is a colour of frames. The grey one is the profiler's default.
struct FirefoxCategory {
    std::string_view name, color;
};
constexpr std::array<FirefoxCategory, 5> firefox_categories{
    {{"Unknown", "grey"}, {"Kernel", "orange"}, {"User", "yellow"}, {"BPF", "purple"}, {"JIT", "green"}}};

std::uint32_t category_of(CodeClass kind) {
    switch (kind) {
        case CodeClass::kernel:
        case CodeClass::module:
        case CodeClass::out_of_line: return 1;
        case CodeClass::user: return 2;
        case CodeClass::bpf: return 3;
        case CodeClass::jit: return 4;
        case CodeClass::unknown: break;
    }
    return 0;
}

constexpr std::uint64_t step_without_times = 1'000'000;  // nanoseconds

class FirefoxWriter {
  public:
    FirefoxWriter(const Exported& exported, const FirefoxOptions& options, const Sink& sink)
        : exported_(exported), options_(options), tables_(exported), json_(sink) {}

    void write() {
        json_.begin_object();
        json_.key("meta");
        write_meta();
        json_.column("libs", exported_.objects.size(), [&](std::size_t number) { write_lib(number); });
        json_.key("threads");
        json_.begin_array();
        for (const auto& thread : tables_.threads) write_thread(thread);
        // The profiler refuses a profile without threads.
        if (tables_.threads.empty()) write_no_thread();
        json_.end_array();
        json_.key("shared");
        write_shared();
        json_.end_object();
        json_.finish();
    }

  private:
    void write_meta() {
        json_.begin_object();
        json_.key("interval");
        json_.millionths(tables_.interval == 0 ? step_without_times : tables_.interval);
        json_.member("startTime", 0u);
        json_.member("processType", 0u);
        json_.name("product", recording_name(exported_.recording.path));
        json_.member("importedFrom", fmt::format("perfdata {}", build_info().version));
        json_.member("stackwalk", 1u);
        json_.member("version", 24u);  // of another format; nobody reads it
        json_.member("preprocessedProfileVersion", firefox_format_version);
        json_.member("symbolicated", true);
        json_.member("symbolicationNotSupported", true);  // it would replace our names
        json_.member("usesOnlyOneStackType", true);
        json_.member("sourceCodeIsNotOnSearchfox", true);
        json_.column("markerSchema", 0, [](std::size_t) {});
        json_.key("sampleUnits");
        json_.begin_object();
        json_.member("time", "ms");
        json_.member("eventDelay", "ms");
        json_.member("threadCPUDelta", "ns");
        json_.end_object();
        json_.column("categories", firefox_categories.size(), [&](std::size_t number) {
            json_.begin_object();
            json_.member("name", firefox_categories[number].name);
            json_.member("color", firefox_categories[number].color);
            json_.constant("subcategories", 1, "Other");
            json_.end_object();
        });
        const auto& facts = exported_.recording;
        if (!facts.os_release.empty()) json_.name("oscpu", "Linux " + facts.os_release);
        if (!facts.arch.empty()) json_.name("abi", facts.arch);
        write_extra();
        json_.end_object();
    }

    void write_extra() {
        json_.key("extra");
        json_.begin_array();
        json_.begin_object();
        json_.member("label", "Recording");
        json_.key("entries");
        json_.begin_array();
        const auto& facts = exported_.recording;
        if (!facts.perf_version.empty()) write_entry("perf", facts.perf_version);
        if (tables_.first_nanoseconds) {
            write_entry("Clock at the first sample", seconds(Time{*tables_.first_nanoseconds}));
        } else if (!exported_.samples.empty()) {
            write_entry("Times", "not recorded: samples are shown a millisecond apart");
        }
        for (const auto& event : exported_.events) write_entry("Event", event.name);
        json_.end_array();
        json_.end_object();
        json_.end_array();
    }

    void write_entry(std::string_view label, std::string_view content) {
        json_.begin_object();
        json_.member("label", label);
        json_.member("format", "string");
        json_.name("value", content);
        json_.end_object();
    }

    void write_lib(std::size_t number) {
        const auto& path = exported_.objects[number].path;
        const auto& lib = tables_.libs[number];
        json_.begin_object();
        json_.name("arch", exported_.recording.arch);
        json_.name("name", short_name(path));
        json_.name("path", path);
        json_.name("debugName", short_name(path));
        json_.name("debugPath", path);
        json_.member("breakpadId", lib.breakpad_id);
        if (lib.code_id.empty()) {
            json_.null("codeId");
        } else {
            json_.name("codeId", lib.code_id);
        }
        json_.end_object();
    }

    // What all threads have in common.
    void begin_thread(std::string_view name, std::string_view process, std::string_view pid, std::int32_t tid) {
        json_.begin_object();
        json_.member("name", name);
        json_.name("processName", process);
        json_.member("pid", pid);
        json_.member("tid", tid);
        json_.member("processType", "default");
        json_.member("processStartupTime", 0u);
        json_.null("processShutdownTime");
        json_.member("registerTime", 0u);
        json_.null("unregisterTime");
        json_.nulls("pausedRanges", 0);
        json_.key("markers");
        json_.begin_object();
        for (const auto* column : {"data", "name", "startTime", "endTime", "phase", "category"}) json_.nulls(column, 0);
        json_.member("length", 0u);
        json_.end_object();
    }

    void write_thread(const FirefoxThread& thread) {
        const auto& task = exported_.tasks[thread.task];
        const auto& event = exported_.events[thread.column];
        const Shortened comm(task.comm), event_name(event.name);
        const std::string_view command = comm, counted = event_name;
        const bool many = exported_.events.size() > 1;
        begin_thread(many ? fmt::format("{} ({})", command, counted) : std::string(command),
                     exported_.tasks[thread.process].comm, std::to_string(signed_id(task.pid.value)),
                     signed_id(task.tid.value));
        json_.member("isMainThread", thread.main);
        json_.key("samples");
        json_.begin_object();
        const auto sample = [&](std::size_t at) -> const ExportSample& {
            return exported_.samples[thread.samples[at]];
        };
        const auto size = thread.samples.size();
        json_.column("stack", size, [&](std::size_t at) { json_.value(sample(at).node); });
        auto before = tables_.first_nanoseconds.value_or(0);
        json_.column("timeDeltas", size, [&](std::size_t at) {
            if (!tables_.first_nanoseconds) return json_.millionths(at == 0 ? 0 : step_without_times);
            const auto now = std::max(sample(at).nanoseconds, *tables_.first_nanoseconds);
            json_.millionths(now - before);
            before = now;
        });
        write_weights(event, size, sample);
        json_.member("length", std::uint64_t{size});
        json_.end_object();
        json_.end_object();
    }

    template <class SampleAt>
    void write_weights(const ExportEvent& event, std::size_t size, const SampleAt& sample) {
        json_.member("weightType", options_.periods && event.nanoseconds ? "tracing-ms" : "samples");
        if (!options_.periods) return json_.null("weight");
        json_.column("weight", size, [&](std::size_t at) {
            if (event.nanoseconds) return json_.millionths(sample(at).periods);
            json_.value(sample(at).periods);
        });
    }

    void write_no_thread() {
        begin_thread("no samples", "no samples", "0", 0);
        json_.member("isMainThread", true);
        json_.key("samples");
        json_.begin_object();
        json_.nulls("stack", 0);
        json_.nulls("timeDeltas", 0);
        json_.member("weightType", "samples");
        json_.null("weight");
        json_.member("length", 0u);
        json_.end_object();
        json_.end_object();
    }

    void write_shared() {
        json_.begin_object();
        write_stacks();
        write_frames();
        write_functions();
        write_resources();
        write_symbols();
        write_sources();
        const auto& texts = strings_.texts();
        json_.column("stringArray", texts.size(), [&](std::size_t number) { json_.value(texts[number]); });
        json_.end_object();
    }

    void write_stacks() {
        const auto& nodes = exported_.nodes;
        begin_table("stackTable");
        json_.column("frame", nodes.size(), [&](std::size_t at) { json_.value(nodes[at].place); });
        json_.column("prefix", nodes.size(), [&](std::size_t at) {
            if (nodes[at].caller == ExportNode::none) return json_.null();
            json_.value(nodes[at].caller);
        });
        end_table(nodes.size());
    }

    void write_frames() {
        const auto& places = exported_.places;
        const auto& frames = tables_.frames;
        const auto size = places.size();
        begin_table("frameTable");
        json_.column("address", size, [&](std::size_t at) {
            // The loader takes the lib from the function.
            const auto& place = places[at];
            const bool same = place.object == exported_.functions[place.function].object;
            const auto address = tables_.address_in(place.object, place.address);
            if (!same || !address) return json_.value(std::int32_t{-1});
            json_.value(*address);
        });
        json_.column("inlineDepth", size, [&](std::size_t at) { json_.value(frames[at].depth); });
        json_.column("category", size,
                     [&](std::size_t at) { json_.value(category_of(exported_.functions[places[at].function].kind)); });
        json_.constant("subcategory", size, 0u);
        json_.column("func", size, [&](std::size_t at) { json_.value(places[at].function); });
        json_.column("nativeSymbol", size, [&](std::size_t at) { value_or_null(frames[at].symbol); });
        json_.constant("innerWindowID", size, 0u);
        json_.column("line", size, [&](std::size_t at) { number_or_null(line_of(places[at])); });
        json_.column("column", size,
                     [&](std::size_t at) { number_or_null(line_of(places[at]) == 0 ? 0 : places[at].column); });
        end_table(size);
    }

    // The file is that of the function.
    std::uint32_t line_of(const ExportPlace& place) const {
        const auto file = exported_.functions[place.function].file;
        const bool same = place.file.data() == file.data() && place.file.size() == file.size();
        return same || place.file == file ? place.line : 0;
    }

    void write_functions() {
        const auto& functions = exported_.functions;
        const auto size = functions.size();
        begin_table("funcTable");
        json_.column("name", size, [&](std::size_t at) { string(functions[at].name); });
        json_.constant("isJS", size, false);
        json_.constant("relevantForJS", size, false);
        json_.column("resource", size, [&](std::size_t at) { json_.value(functions[at].object); });
        json_.column("source", size, [&](std::size_t at) { value_or_null(tables_.source_of_function[at]); });
        json_.column("lineNumber", size, [&](std::size_t at) { number_or_null(functions[at].line); });
        json_.nulls("columnNumber", size);
        end_table(size);
    }

    // Each object is a resource and a lib, of the same number.
    void write_resources() {
        const auto size = exported_.objects.size();
        begin_table("resourceTable");
        json_.column("lib", size, [&](std::size_t at) { json_.value(std::uint64_t{at}); });
        json_.column("name", size, [&](std::size_t at) { string(short_name(exported_.objects[at].path)); });
        json_.nulls("host", size);
        json_.constant("type", size, 1u);
        end_table(size);
    }

    void write_symbols() {
        const auto size = tables_.symbols.size();
        const auto function = [&](std::size_t at) -> const ExportFunction& {
            return exported_.functions[tables_.symbols[at]];
        };
        begin_table("nativeSymbols");
        json_.column("libIndex", size, [&](std::size_t at) { json_.value(function(at).object); });
        json_.column("address", size, [&](std::size_t at) {
            json_.value(tables_.address_in(function(at).object, function(at).begin.value_or(0)).value_or(0));
        });
        json_.column("name", size, [&](std::size_t at) { string(function(at).name); });
        json_.nulls("functionSize", size);
        end_table(size);
    }

    void write_sources() {
        const auto size = tables_.sources.size();
        begin_table("sources");
        json_.nulls("id", size);
        json_.column("filename", size, [&](std::size_t at) { string(tables_.sources[at]); });
        json_.constant("startLine", size, 1u);
        json_.constant("startColumn", size, 1u);
        json_.nulls("sourceMapURL", size);
        end_table(size);
    }

    void begin_table(std::string_view name) {
        json_.key(name);
        json_.begin_object();
    }
    void end_table(std::size_t size) {
        json_.member("length", std::uint64_t{size});
        json_.end_object();
    }
    void string(std::string_view text) { json_.value(strings_.number(text)); }
    void number_or_null(std::uint32_t number) {
        if (number == 0) return json_.null();
        json_.value(number);
    }
    void value_or_null(const std::optional<std::uint32_t>& number) {
        if (!number) return json_.null();
        json_.value(*number);
    }

    const Exported& exported_;
    const FirefoxOptions& options_;
    const FirefoxTables tables_;
    FirefoxStrings strings_;
    ExportJson json_;
};

}  // namespace

void write_firefox(const Exported& exported, const FirefoxOptions& options, const Sink& sink) {
    FirefoxWriter(exported, options, sink).write();
}

}  // namespace perfdata
