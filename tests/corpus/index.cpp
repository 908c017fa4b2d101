// SPDX-License-Identifier: MIT
// Compares every file of the corpus with the index, which an independent program wrote.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "perfdata/recording/event_names.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "folder.hpp"
#include "known.hpp"

namespace corpus {
namespace {

using perfdata::ErrorCode;
using perfdata::Recording;

// The index names simpleperf's records, which this library frames but does not know.
std::string type_name(std::uint32_t type) {
    const auto known = perfdata::record_type_name(type);
    if (!known.empty()) return std::string(known);
    switch (type) {
        case 32770: return "SP_DSO";
        case 32771: return "SP_SYMBOL";
        case 32772: return "SP_SPLIT";
        case 32773: return "SP_SPLIT_END";
        case 32777: return "SP_TRACING_DATA";
        default: return "TYPE_" + std::to_string(type);
    }
}

std::string feature_name(unsigned number) {
    switch (number) {
        case 0: return "RESERVED";
        case 128: return "SP_FILE";
        case 129: return "SP_META_INFO";
        case 130: return "SP_DEBUG_UNWIND";
        case 131: return "SP_DEBUG_UNWIND_FILE";
        case 132: return "SP_FILE2";
        default: break;
    }
    const auto known = perfdata::feature_name(number);
    return known.empty() ? "FEAT_" + std::to_string(number) : std::string(known);
}

template <class Parts>
std::string joined(const Parts& parts, const char* separator) {
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : separator) + part;
    return text;
}

// Sorts by name, as the index sorts types by frequency and features by number.
std::string sorted_words(const std::string& text, char separator) {
    std::map<std::string, std::string> words;  // by name, so that MMAP=1 comes before MMAP2=1
    for (const auto& word : split(text, separator)) words[word.substr(0, word.find('='))] = word;
    std::vector<std::string> sorted;
    for (const auto& [name, word] : words) sorted.push_back(word);
    return joined(sorted, " ");
}

// The index counts COMPRESSED records, not the records inside them.
std::string record_counts(const Recording& recording) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& record : recording.records()) {
        if (!record.unpacked) ++counts[type_name(record.header().type)];
    }
    std::vector<std::string> words;
    for (const auto& [name, count] : counts) words.push_back(name + "=" + std::to_string(count));
    return joined(words, " ");
}

std::string feature_names(const Recording& recording) {
    std::set<std::string> names;
    for (const auto& feature : recording.features()) names.insert(feature_name(feature.number));
    return joined(names, " ");
}

// The index invents its own names, without modifiers, for events that the recording does not name.
std::string index_name(const Recording& recording, const perfdata::Event& event) {
    const bool described = recording.feature(perfdata::Feature::event_desc) != nullptr;
    const bool made_up = !described && event.perf_name == perfdata::made_event_name(event.attr);
    const auto known = made_up ? perfdata::default_event_name(event.attr) : event.name;
    if (!known.starts_with("type ")) return known;
    std::ostringstream name;
    name << std::hex;
    switch (event.attr.type) {
        case 0: name << "hw"; break;
        case 2: name << "tp"; break;
        default: name << "pmu" << std::dec << event.attr.type << std::hex; break;
    }
    name << ':' << event.attr.config;
    return name.str();
}

// The index lists every name once and truncates the list.
std::string event_names(const Recording& recording) {
    constexpr std::size_t kept = 300;
    std::vector<std::string> names;
    for (const auto& event : recording.events().events()) {
        const auto name = index_name(recording, event);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return joined(names, "|").substr(0, kept);
}

// Adapts features to the index. It also lists the marker behind the last feature of a pipe stream, as "LAST_FEATURE(id
// 32, no payload)", which is not a feature. For an interrupted recording it lists header bits without a feature table.
std::string indexed_features(const IndexRow& row, const Recording& recording) {
    if (recording.interrupted()) return {};
    const auto mark = row.features.find("LAST_FEATURE(");
    const auto features = row.features.substr(0, mark);
    return sorted_words(features.ends_with(',') ? features.substr(0, features.size() - 1) : features, ',');
}

// HandedOut counts the records that a walk visits, decoded or not.
struct HandedOut {
    std::map<std::uint32_t, std::uint64_t> counts;

    template <class Record>
    void operator()(const perfdata::RecordContext& context, const Record&) {
        ++counts[context.view.header().type];
    }
    void unknown(const perfdata::RecordView& record) { ++counts[record.header().type]; }
    void damaged(const perfdata::RecordView& record, const perfdata::Error&) { ++counts[record.header().type]; }
};

// Checks that every byte and every record is accounted for.
void check_sums(const Recording& recording) {
    perfdata::Completeness completeness;
    HandedOut handed_out;
    REQUIRE(perfdata::walk(recording, completeness, handed_out));
    const auto& bytes = completeness.bytes;
    CHECK(bytes.total == recording.bytes());
    CHECK(bytes.records + bytes.outside_records + bytes.unread == bytes.total);
    std::map<std::uint32_t, std::uint64_t> counted, framed;
    for (const auto& [type, records] : completeness.records) counted[type] = records.total();
    for (const auto& record : recording.records()) ++framed[record.header().type];
    CHECK(counted == framed);
    CHECK(handed_out.counts == framed);
}

TEST_CASE("files of the corpus that are no recordings are refused as such", "[index]") {
    std::size_t refused = 0;
    for (const auto& row : index_rows()) {
        if (row.is_recording()) continue;
        INFO(row.file);
        const auto recording = Recording::open(row.path().string());
        REQUIRE(!recording);
        CHECK(recording.error().code == (row.size < 16 ? ErrorCode::truncated : ErrorCode::not_perf_data));
        ++refused;
    }
    CHECK(refused != 0);
}

TEST_CASE("recordings of the corpus hold the records, events and features of its index", "[index]") {
    for (const auto& row : index_rows()) {
        if (!row.is_recording()) continue;
        INFO(row.file);
        REQUIRE(file_size(row.path()) == row.size);
        const auto recording = Recording::open(row.path().string());
        if (!recording) {
            check_agreement(row.file, "records", "refused: " + recording.error().message(), row.records);
            continue;
        }
        CHECK((recording->order().endian() == std::endian::big) == (row.byte_order == "BE"));
        CHECK(recording->header().pipe == (row.mode == "pipe"));
        check_sums(*recording);
        check_agreement(row.file, "records", record_counts(*recording), sorted_words(row.records, ' '));
        check_agreement(row.file, "events", event_names(*recording), row.events);
        check_agreement(row.file, "features", feature_names(*recording), indexed_features(row, *recording));
        if (!row.perf_version.empty() && !row.perf_version.starts_with("1.")) {
            CHECK(recording->perf_version() == row.perf_version);
        }
    }
}

}  // namespace
}  // namespace corpus
