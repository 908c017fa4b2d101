// SPDX-License-Identifier: MIT
// Compares recordings that perf 6.1 cannot read with the results of fixtures/record/decode.py (fixtures/expect).
#include <iostream>
#include <map>
#include <sstream>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/bpf/btf.hpp"
#include "perfdata/wire/sample/fields.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf_text.hpp"

namespace oracle {
namespace {

using perfdata::Address;
using perfdata::Bytes;
using perfdata::RecordContext;
using perfdata::Time;

// Columns is a FieldVisitor that writes NAME=VALUE for every field, like decode.py.
class Columns {
  public:
    explicit Columns(std::string& row, std::string prefix = "") : row_(row), prefix_(std::move(prefix)) {}

    template <class T>
    void operator()(std::string_view name, const T& content) {
        row_ += "\t" + prefix_ + std::string(name) + "=" + text(content);
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        for (std::size_t index = 0; index < count; ++index) {
            Columns element(row_, prefix_ + std::string(name) + "." + std::to_string(index) + ".");
            at(index, element);
        }
    }

  private:
    template <std::integral T>
    static std::string text(T number) {
        return std::to_string(number);
    }
    static std::string text(bool truth) { return truth ? "1" : "0"; }
    static std::string text(double number) { return format("%.17g", number); }
    static std::string text(Address address) { return std::to_string(address.value); }
    static std::string text(Time time) { return std::to_string(time.nanoseconds); }
    static std::string text(Bytes bytes) {
        std::string result;
        for (const auto byte : bytes) result += format("%02x", std::to_integer<unsigned>(byte));
        return result;
    }
    // Quotes like Python's urllib.parse.quote().
    static std::string text(std::string_view view) {
        constexpr std::string_view plain = "_.-~ /";
        std::string result;
        for (const char c : view) {
            const bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            const bool same = letter || plain.find(c) != std::string_view::npos;
            result += same ? std::string(1, c) : format("%%%02X", static_cast<unsigned char>(c));
        }
        return result;
    }
    template <class Order>
    static std::string text(const perfdata::AddressWords<Order>& addresses) {
        return text(addresses.words);
    }
    template <perfdata::FieldArray T>
    static std::string text(const T& array) {
        std::string result;
        for (std::size_t index = 0; index < array.size(); ++index) {
            result += (index == 0 ? "" : ",") + std::to_string(array[index]);
        }
        return result;
    }

    std::string& row_;
    std::string prefix_;
};

struct OurRows {
    std::vector<std::string> rows, unpacked;

    template <class Order>
    void operator()(const RecordContext& context, const perfdata::BasicSample<Order>& sample) {
        auto row = begin(context, sample.time());
        perfdata::sample_fields(sample, perfdata::RegisterSet::unknown, Columns(row));
        add(context, std::move(row));
    }
    template <class Record>
    void operator()(const RecordContext& context, const Record& record) {
        auto row = begin(context, context.trailer.time);
        Columns columns(row);
        record.fields(columns);
        const auto& trailer = context.trailer;
        if (trailer.pid) columns("sample_pid", trailer.pid->value);
        if (trailer.tid) columns("sample_tid", trailer.tid->value);
        if (trailer.id) columns("sample_id", trailer.id->value);
        if (trailer.stream_id) columns("sample_stream_id", *trailer.stream_id);
        if (trailer.cpu) columns("sample_cpu", *trailer.cpu);
        add(context, std::move(row));
    }

  private:
    static std::string begin(const RecordContext& context, const std::optional<Time>& time) {
        const auto header = context.view.header();
        return (context.view.unpacked ? "-" : std::to_string(context.view.offset)) + "\t" +
               std::to_string(header.type) + "\t" + std::to_string(header.size) + "\t" + std::to_string(header.misc) +
               "\t" + (time ? std::to_string(time->nanoseconds) : "-");
    }
    void add(const RecordContext& context, std::string row) {
        (context.view.unpacked ? unpacked : rows).push_back(std::move(row));
    }
};

TEST_CASE("another decoder finds the same records and fields where perf cannot", "[oracle][expected]") {
    for (const auto& path : expected_fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto recording = perfdata::Recording::open(path.string());
            REQUIRE(recording);
            OurRows ours;
            perfdata::Completeness completeness;
            REQUIRE(perfdata::walk(*recording, completeness, ours));
            CHECK(completeness.lossless());
            ours.rows.insert(ours.rows.end(), ours.unpacked.begin(), ours.unpacked.end());

            std::vector<std::string> theirs;
            std::istringstream lines(read_file(expectation(path.stem().string() + ".records.tsv")));
            for (std::string line; std::getline(lines, line);) theirs.push_back(line);
            REQUIRE(ours.rows.size() == theirs.size());
            for (std::size_t index = 0; index < theirs.size(); ++index) CHECK(ours.rows[index] == theirs[index]);
            std::cout << path.stem().string() << ": " << theirs.size() << " records compared\n";
        }
    }
}

// Returns the functions in KSYMBOL records by address: length, and the name behind "bpf_prog_TAG_".
std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> ksymbols(const std::filesystem::path& path) {
    constexpr std::size_t before_name = std::string_view("bpf_prog_0123456789abcdef_").size();
    std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> found;
    for (const auto& row : read_table(expectation(path.stem().string() + ".records.tsv"))) {
        std::map<std::string, std::string> fields;
        for (const auto& cell : row) {
            if (const auto equals = cell.find('='); equals != std::string::npos) {
                fields[cell.substr(0, equals)] = cell.substr(equals + 1);
            }
        }
        if (row.at(1) != "17" || !fields.at("name").starts_with("bpf_prog_")) continue;
        found[std::stoull(fields.at("addr"))] = {std::stoull(fields.at("len")), fields.at("name").substr(before_name)};
    }
    return found;
}

TEST_CASE("program infos and BTF of the foreign byte order name the functions that KSYMBOL records name",
          "[oracle][expected]") {
    const std::filesystem::path path = PERFDATA_FIXTURES "/records/s390_bpf_pre.data";
    const auto symbols = ksymbols(path);
    const auto recording = perfdata::Recording::open(path.string());
    REQUIRE(recording);
    REQUIRE(recording->order().endian() == std::endian::big);
    const auto bpf = perfdata::BpfFeatures::read(*recording);
    CHECK(bpf.diagnostics().empty());
    std::size_t functions = 0, lines = 0;
    for (const auto& program : bpf.programs()) {
        INFO("program " << program.id.value);
        const auto* blob = bpf.btf(program.btf_id);
        REQUIRE(blob != nullptr);
        const auto btf = perfdata::Btf::parse(*blob, recording->order());
        REQUIRE(btf);
        CHECK(!btf->problem());
        const auto addresses = program.jited_ksyms();
        const auto lengths = program.jited_func_lens();
        REQUIRE(addresses.size() == lengths.size());
        REQUIRE(program.functions() == addresses.size());
        std::uint64_t bytes = 0;
        for (std::size_t index = 0; index < addresses.size(); ++index) {
            REQUIRE(symbols.contains(addresses[index]));
            const auto& [length, name] = symbols.at(addresses[index]);
            CHECK(lengths[index] == length);
            CHECK(btf->function_name(program.function_info(index).type_id) == name);
            bytes += lengths[index];
            ++functions;
        }
        CHECK(program.jited_insns().size() == bytes);
        for (std::size_t index = 0; index < program.lines(); ++index) {
            CHECK(btf->text(program.line_info(index).file_name).ends_with(".c"));
            ++lines;
        }
    }
    CHECK(functions == symbols.size());
    CHECK(lines != 0);
}

}  // namespace
}  // namespace oracle
