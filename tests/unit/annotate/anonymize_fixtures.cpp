// SPDX-License-Identifier: MIT
// Collects all texts of real recordings, and searches the anonymized ones for them.
#include <algorithm>
#include <filesystem>
#include <set>

#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/bpf_prog_reader.hpp"
#include "perfdata/wire/feature/build_id.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

#include "bundle/anonymize/perf_arguments.hpp"
#include "bundle/anonymize/words.hpp"
#include "catch.hpp"
#include "support/files.hpp"
#include "support/reading.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Every text that the records and sections of a recording have where something may be secret.
struct TextCollector {
    std::set<std::string, std::less<>> texts;

    void add(std::string_view text) {
        constexpr std::size_t least = 6;
        if (text.size() >= least) texts.emplace(text);
    }
    void parts(std::string_view path) {
        add(path);
        for (std::size_t begin = 0; begin < path.size();) {
            const auto end = std::min(path.find('/', begin), path.size());
            add(path.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    // Runs of characters in bytes that may be anything.
    void runs(Bytes bytes) {
        constexpr std::size_t least = 8;
        const auto text = as_text(bytes);
        for (std::size_t begin = 0; begin < text.size();) {
            auto end = begin;
            while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x7e) ++end;
            if (end - begin >= least) texts.emplace(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    void operator()(const RecordContext&, const Comm& comm) { add(comm.comm); }
    void operator()(const RecordContext&, const Mmap& map) { parts(map.filename); }
    void operator()(const RecordContext&, const Mmap2& map) { parts(map.filename); }
    void operator()(const RecordContext&, const Cgroup& cgroup) { parts(cgroup.path); }
    void operator()(const RecordContext&, const HeaderBuildId& id) { parts(id.filename); }
    void operator()(const RecordContext&, const Ksymbol& symbol) {
        constexpr std::size_t tag = 26;
        add(symbol.name.starts_with("bpf_prog_") ? symbol.name.substr(std::min(tag, symbol.name.size())) : symbol.name);
    }
    template <class Order>
    void operator()(const RecordContext&, const BasicSample<Order>& sample) {
        const auto details = sample.details();
        if (const auto raw = details.raw()) runs(*raw);
        if (const auto stack = details.user_stack()) runs(stack->bytes);
    }
};

std::set<std::string, std::less<>> secret_texts(const Recording& recording) {
    TextCollector collector;
    Completeness seen;
    REQUIRE(walk(recording, seen, collector));
    collector.add(recording.hostname());
    collector.add(recording.os_release());
    collector.add(recording.cpu_description());
    for (const auto& word : recording.command_line()) collector.parts(word);
    const auto cursor = [&](const std::vector<std::byte>& content) {
        return Cursor(content, recording.order(), {.where = "test"});
    };
    if (const auto content = recording.read_feature(Feature::build_id)) {
        BuildIdReader reader(cursor(*content));
        for (auto entry = reader.next(); entry && *entry; entry = reader.next()) collector.parts((*entry)->name);
    }
    if (const auto content = recording.read_feature(Feature::bpf_prog_info)) {
        BpfProgramReader reader(cursor(*content));
        for (auto entry = reader.next(); entry && *entry; entry = reader.next()) collector.add((*entry)->name);
    }
    if (const auto content = recording.read_feature(Feature::bpf_btf)) collector.runs(*content);
    if (const auto content = recording.read_feature(Feature::tracing_data)) {
        if (auto data = TracingData::decode(cursor(*content))) {
            for (auto format = data->next(); format && *format; format = data->next()) {
                const auto at = (*format)->text.find("print fmt: ");
                if (at != std::string_view::npos) collector.add((*format)->text.substr(at + 11));
            }
        }
    }
    return std::move(collector.texts);
}

// Words that stay: those of tools, names of events, numbers of versions.
bool may_stay(std::string_view text) {
    const auto anonymizer = an_anonymizer();
    const auto file = "/x/" + std::string(text);
    return anonymizer.path(text) == text || anonymizer.path(file).ends_with("/" + std::string(text)) ||
           anonymizer.command(text) == text || anonymizer.name(text) == text || PerfArguments::is_word(text) ||
           is_event_name(text, {}) || Names::release(text) == text || is_trace_name(text) || text == "unsigned char" ||
           text == "unsigned short" || text == "unsigned";
}

std::vector<std::string> all_fixtures() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PERFDATA_FIXTURES)) {
        if (entry.path().extension() == ".data") paths.push_back(entry.path().string());
        if (entry.path().extension() == ".dir") paths.push_back(entry.path().string());
    }
    std::ranges::sort(paths);
    return paths;
}

}  // namespace

TEST_CASE("No text of a real recording is left", "[annotate][anonymize][fixtures]") {
    for (const auto& path : all_fixtures()) {
        const auto recording = Recording::open(path);
        if (!recording) continue;
        INFO(path);
        auto anonymizer = an_anonymizer();
        const auto made = anonymized_recording(*recording, anonymizer);
        std::string found;
        for (const auto& text : secret_texts(*recording)) {
            if (has_text_in(made, text) && !may_stay(text)) found += text + "\n";
        }
        CHECK(found == "");
        const auto after = Recording::from_memory(made).value();
        const auto before_reading = read_all(*recording), after_reading = read_all(after);
        const auto samples = [](const Reading& reading) {
            const auto counts = reading.completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
            return counts == reading.completeness.records.end() ? 0 : counts->second.decoded;
        };
        CHECK(samples(after_reading) == samples(before_reading));
    }
}
