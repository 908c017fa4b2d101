// SPDX-License-Identifier: MIT
#include "perf.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>
#include <tuple>

#include "catch.hpp"
#include "support/shell.hpp"

namespace oracle {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// An empty directory: as home and as file system root it hides this machine's symbols from perf.
class EmptyDirectory {
  public:
    EmptyDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "perfdata-oracle-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    EmptyDirectory(const EmptyDirectory&) = delete;
    EmptyDirectory& operator=(const EmptyDirectory&) = delete;
    ~EmptyDirectory() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// perf(arguments, recording) returns the lines that perf prints.
std::vector<std::string> perf(const std::string& arguments, const std::filesystem::path& recording) {
    const EmptyDirectory empty;
    const auto command = "HOME=" + quoted(empty.path().string()) + " PERF_CONFIG=/dev/null LC_ALL=C perf " + arguments +
                         " --symfs " + quoted(empty.path().string()) + " -i " + quoted(recording.string()) +
                         " 2>/dev/null </dev/null";
    const auto output = perfdata::test::shell_output(command);

    INFO(command);
    if (output.status == 127 || output.status == 126) {
        FAIL("perf cannot be run: these tests compare with it. Install it (Debian: apt-get install linux-perf).");
    }
    REQUIRE(output.status == 0);
    REQUIRE(!output.text.empty());
    return output.lines();
}

// nanoseconds("6.398531276:") parses a time with nine decimals.
std::uint64_t nanoseconds(const std::string& text) {
    const auto point = text.find('.');
    REQUIRE(point != std::string::npos);
    REQUIRE(text.size() >= point + 10);
    return std::stoull(text) * 1'000'000'000 + std::stoull(text.substr(point + 1, 9));
}

std::uint64_t hexadecimal(const std::string& text) {
    return std::stoull(text, nullptr, 16);
}

// number_after("len 310 type 1", "len ", base) returns 310.
std::uint64_t number_after(std::string_view line, std::string_view word, int base) {
    const auto at = line.find(word);
    INFO(line << ": " << word);
    REQUIRE(at != std::string_view::npos);
    return std::stoull(std::string(line.substr(at + word.size())), nullptr, base);
}

std::uint32_t small_number_after(std::string_view line, std::string_view word, int base) {
    const auto number = number_after(line, word, base);
    REQUIRE(number <= 0xffffffff);
    return static_cast<std::uint32_t>(number);
}

// read_place("0 8084118779 0x48e8 [0x58]: PERF_RECORD_...", record) reads CPU, time, file offset and size.
void read_place(const std::string& line, PerfRecord& record) {
    std::istringstream words(line);
    std::string offset, size;
    words >> record.cpu >> record.time >> offset >> size;
    INFO(line);
    REQUIRE(words);
    record.offset = hexadecimal(offset);
    record.size = static_cast<std::uint32_t>(hexadecimal(size.substr(1)));
}

}  // namespace

std::strong_ordering PerfSample::operator<=>(const PerfSample& other) const {
    return std::tie(time, ip, event, period, pid, tid, cpu) <=>
           std::tie(other.time, other.ip, other.event, other.period, other.pid, other.tid, other.cpu);
}

std::map<std::string, std::uint64_t> perf_counts(const std::filesystem::path& recording) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& line : perf("report --stats --stdio", recording)) {
        // "        KSYMBOL events:          9  ( 0.6%)". Totals come first, then the counts of each event.
        if (line.ends_with(" stats:") && !line.starts_with("Aggregated")) break;
        std::istringstream words(line);
        std::string name, word;
        std::uint64_t count = 0;
        if (words >> name >> word >> count && word == "events:") counts[name] = count;
    }
    REQUIRE(!counts.empty());
    return counts;
}

std::vector<PerfSample> perf_samples(const std::filesystem::path& recording) {
    std::vector<PerfSample> samples;
    // "  131/131   [000]     6.398531276:    1001001 cpu-clock:  ffffffff920ba917 [unknown]"
    for (const auto& line : perf("script -G --ns -F pid,tid,cpu,time,event,ip,sym,period", recording)) {
        PerfSample sample;
        std::istringstream words(line);
        char slash = 0;
        std::string cpu, time, ip;
        words >> sample.pid >> slash >> sample.tid >> cpu >> time >> sample.period >> sample.event >> ip >> std::ws;
        INFO(line);
        REQUIRE(words);
        std::getline(words, sample.symbol);
        sample.cpu = static_cast<std::uint32_t>(std::stoul(cpu.substr(1)));
        sample.time = nanoseconds(time);
        sample.ip = hexadecimal(ip);
        REQUIRE(sample.event.ends_with(':'));
        sample.event.pop_back();
        samples.push_back(sample);
    }
    return samples;
}

std::vector<PerfPlace> perf_places(const std::filesystem::path& recording) {
    std::vector<PerfPlace> places;
    // "  kworker/0:1 x   207    23.062672509:      7fabfae5e596 [unknown] (/lib64/ld-linux-x86-64.so.2)"
    const std::regex form(R"(\s*(.*\S)\s+(-?\d+)\s+(\d+\.\d+):\s+([0-9a-f]+) .*? \((.*)\))");
    for (const auto& line : perf("script -G --ns -F comm,tid,time,ip,sym,dso", recording)) {
        std::smatch parts;
        INFO(line);
        REQUIRE(std::regex_match(line, parts, form));
        PerfPlace place;
        place.comm = parts[1];
        place.tid = static_cast<std::uint32_t>(std::stol(parts[2]));
        place.time = nanoseconds(parts[3]);
        place.ip = hexadecimal(parts[4]);
        place.object = parts[5];
        places.push_back(place);
    }
    return places;
}

std::vector<std::string> perf_script(const std::filesystem::path& recording, const std::string& arguments) {
    return perf("script " + arguments, recording);
}

std::vector<std::string> perf_output(const std::filesystem::path& recording, const std::string& arguments) {
    return perf(arguments, recording);
}

std::vector<std::string> perf_sample_events(const std::filesystem::path& recording) {
    std::vector<std::string> samples;
    // "   105    11.839247013:  page-faults: "
    for (const auto& line : perf("script -G --ns -F tid,time,event", recording)) {
        std::istringstream words(line);
        std::string tid, time, event;
        words >> tid >> time >> event;
        INFO(line);
        REQUIRE(words);
        REQUIRE(event.ends_with(':'));
        event.pop_back();
        samples.push_back(tid + " " + std::to_string(nanoseconds(time)) + " " + event);
    }
    return samples;
}

std::vector<PerfRow> perf_report(const std::filesystem::path& recording, bool children,
                                 const std::filesystem::path& kallsyms, const std::string& arguments, bool by_thread) {
    const auto trimmed = [](const std::string& text) {
        const auto begin = text.find_first_not_of(' ');
        return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
    };
    const std::string fields =
        (children ? "--children -F overhead_children,overhead" : "--no-children -F overhead,sample,period") +
        std::string(by_thread ? ",pid" : "");
    // Use wide columns: perf cuts commands longer than the first ones it saw.
    const std::string widths =
        std::string(" -w ") + (by_thread ? "40," : "") + (children ? "" : "40,") + "40,40,40,200,999 ";
    std::vector<PerfRow> rows;
    std::string event;
    for (const auto& line :
         perf("report --stdio --no-group -g none --percent-limit 0 -t '|' " + fields + ",comm,dso,sym" + widths +
                  arguments + (kallsyms.empty() ? "" : " --kallsyms " + quoted(kallsyms.string())),
              recording)) {
        if (line.starts_with("# Samples: ")) {
            const auto begin = line.find('\'');
            event = line.substr(begin + 1, line.rfind('\'') - begin - 1);
        }
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> parts;
        std::istringstream stream(line);
        for (std::string part; std::getline(stream, part, '|');) parts.push_back(trimmed(part));
        INFO(line);
        REQUIRE(parts.size() == (children ? 5u : 6u) + (by_thread ? 1 : 0));
        PerfRow row;
        row.event = event;
        row.symbol = parts.back();
        row.object = parts[parts.size() - 2];
        row.comm = parts[parts.size() - 3];
        row.self = parts[children ? 1 : 0];
        if (children) {
            row.children = parts[0];
        } else {
            row.hits = std::stoull(parts[1]);
            row.periods = std::stoull(parts[2]);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::vector<std::string>> perf_group_report(const std::filesystem::path& recording) {
    const auto packed = [](const std::string& line) {
        std::string result;
        std::istringstream stream(line);
        for (std::string part; std::getline(stream, part, '|');) {
            const auto begin = part.find_first_not_of(' ');
            if (!result.empty()) result += '|';
            if (begin != std::string::npos) result += part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
        }
        return result;
    };
    std::vector<std::vector<std::string>> tables;
    for (const auto& line : perf("report --stdio --group --no-children -g none --percent-limit 0 -t '|' "
                                 "-F overhead,sample,period,comm,dso,sym",
                                 recording)) {
        if (line.starts_with("# Samples: ")) tables.emplace_back();
        if (line.empty() || line.front() == '#' || tables.empty()) continue;
        tables.back().push_back(packed(line));
    }
    for (auto& table : tables) std::ranges::sort(table);
    return tables;
}

PerfSideBand perf_side_band(const std::filesystem::path& recording) {
    PerfSideBand found;
    for (const auto& line : perf("report -D", recording)) {
        // "0 0 0x588 [0x60]: PERF_RECORD_KSYMBOL addr ffffffffc038b650 len 310 type 1 flags 0x0 name bpf_prog_..."
        if (line.find("]: PERF_RECORD_KSYMBOL ") != std::string::npos) {
            PerfKsymbol symbol;
            read_place(line, symbol);
            symbol.address = number_after(line, " addr ", 16);
            symbol.length = small_number_after(line, " len ", 10);
            symbol.kind = small_number_after(line, " type ", 10);
            symbol.flags = small_number_after(line, " flags ", 16);
            symbol.name = line.substr(line.find(" name ") + 6);
            found.ksymbols.push_back(symbol);
        }
        // "0 8084315424 0x4940 [0x38]: PERF_RECORD_BPF_EVENT type 1, flags 0, id 9"
        if (line.find("]: PERF_RECORD_BPF_EVENT ") != std::string::npos) {
            PerfBpfEvent event;
            read_place(line, event);
            event.kind = small_number_after(line, " type ", 10);
            event.flags = small_number_after(line, " flags ", 10);
            event.id = small_number_after(line, " id ", 10);
            found.bpf_events.push_back(event);
        }
    }
    std::ranges::sort(found.ksymbols, {}, &PerfKsymbol::offset);
    std::ranges::sort(found.bpf_events, {}, &PerfBpfEvent::offset);
    return found;
}

std::vector<PerfDumped> perf_dump(const std::filesystem::path& recording) {
    constexpr std::string_view title = "]: PERF_RECORD_";
    std::vector<PerfDumped> found;
    bool in_text = false;
    for (const auto& line : perf("report -D", recording)) {
        if (line.starts_with("0") && line.find("]: event: ") != std::string::npos) {
            // "0x1a8@group.data [0x90]: event: 69"; the first record of a pipe is at "0@pipe".
            auto& record = found.emplace_back();
            record.offset = hexadecimal(line);
            record.type = small_number_after(line, "]: event: ", 10);
            in_text = false;
        } else if (found.empty()) {
            continue;
        } else if (line.starts_with(".  ") && line.size() > 8 && line[7] == ':') {
            // ".  0000:  45 00 00 00 00 00 90 00 04 ...  E......."
            constexpr std::size_t begin = 10, bytes_a_line = 16;
            for (std::size_t at = begin; at < begin + 3 * bytes_a_line && line[at] != ' '; at += 3) {
                found.back().bytes += line.substr(at, 2);
            }
        } else if (const auto at = line.find(title); at != std::string::npos) {
            // "0 31385956975 0x7b0 [0x80]: PERF_RECORD_SAMPLE(IP, 0x1): ...": CPU, time, offset. A field that the
            // record does not have is absent or -1.
            std::istringstream words(line.substr(0, at));
            std::vector<std::string> place(std::istream_iterator<std::string>(words), {});
            REQUIRE(place.size() >= 2);  // including the size
            place.resize(place.size() - 2);
            std::erase(place, "-1");
            for (const auto& word : place) found.back().place += word + " ";
            const auto end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at + title.size());
            found.back().text = end == std::string::npos ? "" : line.substr(end);
            in_text = true;
        } else if (line.empty() || line == ".") {
            in_text = false;
        } else if (in_text && line.find(" thread: ") == std::string::npos && line.find(" dso: ") == std::string::npos) {
            const auto begin = line.find_first_not_of(" \t");
            const auto end = std::min(line.find_last_not_of(' ') + 1, line.find(", offset 0x"));
            found.back().text += "\n" + line.substr(begin, end - begin);
        }
    }
    return found;
}

}  // namespace oracle
