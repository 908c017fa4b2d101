// SPDX-License-Identifier: MIT
#include "bundle/anonymize/feature_rewriter.hpp"

#include <set>

#include "perfdata/core/arch.hpp"
#include "perfdata/wire/feature/build_id.hpp"
#include "perfdata/wire/feature/nrcpus.hpp"
#include "perfdata/wire/feature/strings.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

#include "bundle/anonymize/perf_arguments.hpp"
#include "bundle/anonymize/sample_rewriter.hpp"
#include "bundle/anonymize/words.hpp"

namespace perfdata {
namespace {

constexpr std::string_view section_place = "anonymized section";

bool copy_numbers(Cursor& in, std::size_t bytes, ByteWriter& out) {
    out.bytes(in.bytes(bytes));
    return in.ok();
}

bool copy_text(const std::string& text, ByteWriter& out) {
    if (text.empty()) return false;
    out.feature_string(text);
    return true;
}

// What the kernel says of the fields that all tracepoints have. The others have no data here.
std::string format_text(std::string_view name, std::uint64_t id) {
    return "name: " + std::string(name) + "\nID: " + std::to_string(id) +
           "\nformat:\n"
           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
           "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
           "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
           // One empty line ends the common fields, one the fields of its own.
           "\n\nprint fmt: \"\"\n";
}

std::string page_text(unsigned long_size) {
    const auto size = std::to_string(long_size);
    return "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
           "\tfield: local_t commit;\toffset:8;\tsize:" +
           size +
           ";\tsigned:1;\n"
           "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
           "\tfield: char data;\toffset:" +
           std::to_string(8 + long_size) + ";\tsize:4080;\tsigned:1;\n";
}

}  // namespace

std::string FeatureRewriter::told(Told what, std::string_view before, std::string after) {
    look_();
    if (after != before) tally_.add(what);
    return after;
}

bool FeatureRewriter::write(unsigned number, ByteWriter& out) {
    const auto feature = static_cast<Feature>(number);
    // These are made of what the recording says elsewhere, too.
    if (feature == Feature::event_desc) {
        if (recording_.events().empty()) return false;
        event_descriptions(out);
        return true;
    }
    if (feature == Feature::tracing_data) return tracing_data(out);
    if (feature == Feature::arch) {
        if (find_arch(arch_) == nullptr) return false;
        out.feature_string(arch_);
        return true;
    }
    const FeatureSection* section = nullptr;
    for (const auto& each : recording_.features()) {
        if (each.number == number) section = &each;
    }
    if (section == nullptr) {
        // perf tells the byte order of the list of sections by this one, which every recorder writes.
        if (feature == Feature::hostname) out.feature_string({});
        return feature == Feature::hostname;
    }
    const auto begin = out.size();
    const auto content = recording_.read_feature(*section);
    if (!content) {
        tally_.add(Told::damaged_sections);
        return false;
    }
    if (rewrite(feature, Cursor(*content, recording_.order(), {.where = section_place}), out)) return true;
    out.cut(begin);
    return false;
}

bool FeatureRewriter::rewrite(Feature feature, Cursor in, ByteWriter& out) {
    const auto whole = [&](bool ok) {
        if (!ok) tally_.add(Told::damaged_sections);
        return ok;
    };
    const auto text = [&] { return std::string(read_feature_string(in)); };
    switch (feature) {
        case Feature::build_id: return build_ids(in, out);
        case Feature::hostname: {
            const auto name = text();
            out.feature_string(told(Told::hashed_hosts, name, names_.host(name)));
            return true;
        }
        case Feature::osrelease:
        case Feature::version: return copy_text(Names::release(text()), out);
        case Feature::cpuid: return copy_text(Names::cpuid(text()), out);
        case Feature::nrcpus:
        case Feature::clockid:
        case Feature::e_machine: return whole(copy_numbers(in, 8, out));
        case Feature::sample_time: return whole(copy_numbers(in, 16, out));
        case Feature::cln_size: return whole(copy_numbers(in, 4, out));
        case Feature::branch_stack:
        case Feature::stat: return true;
        case Feature::cmdline: return whole(command_line(in, out));
        case Feature::cpu_topology: return whole(cpu_topology(in, out));
        case Feature::numa_topology: return whole(numa_topology(in, out));
        case Feature::pmu_mappings: return whole(pmu_mappings(in, out));
        case Feature::group_desc: return whole(groups(in, out));
        case Feature::cpu_pmu_caps: capabilities(in, out); return whole(in.ok());
        case Feature::pmu_caps: return whole(pmu_capabilities(in, out));
        case Feature::hybrid_topology: return whole(hybrid_topology(in, out));
        case Feature::cpu_domain_info: return whole(domains(in, out));
        case Feature::bpf_prog_info:
            whole(write_programs(in, recording_.limits().bpf_programs, names_, tally_, out));
            return true;
        case Feature::bpf_btf: drop_types(in); return false;
        // They describe the container, which is another now.
        case Feature::dir_format:
        case Feature::compressed: return false;
        default: tally_.add_section(static_cast<unsigned>(feature)); return false;
    }
}

void FeatureRewriter::event_descriptions(ByteWriter& out) {
    const auto& events = recording_.events().events();
    out.u32(static_cast<std::uint32_t>(events.size()));
    out.u32(static_cast<std::uint32_t>(attr_bytes_));
    for (const auto& event : events) {
        write_attr(anonymous_attr(event.attr), attr_bytes_, out);
        out.u32(static_cast<std::uint32_t>(event.ids.size()));
        out.feature_string(told(Told::hashed_events, event.perf_name, names_.event(event.perf_name, event.attr)));
        for (const auto id : event.ids) out.u64(id.value);
    }
}

// perf opens no recording of tracepoints without their formats. The kernel's own texts name fields and functions of
// probes and of modules, so each gets one that has only the name.
bool FeatureRewriter::tracing_data(ByteWriter& out) {
    std::set<std::uint64_t> ids;
    ByteWriter systems(recording_.order());
    for (const auto& event : recording_.events().events()) {
        if (event.attr.type != attr_type::tracepoint || !ids.insert(event.attr.config).second) continue;
        auto name = names_.event(event.perf_name, event.attr);
        auto colon = name.find(':');
        if (colon == std::string::npos) {
            name = "e:" + name;
            colon = 1;
        }
        const auto plain = name.substr(colon + 1, name.find(':', colon + 1) - colon - 1);
        const auto format = format_text(plain, event.attr.config);
        systems.text(name.substr(0, colon));
        systems.u8(0);
        systems.u32(1);
        systems.u64(format.size());
        systems.text(format);
    }
    const auto* section = recording_.feature(Feature::tracing_data);
    if (section != nullptr) tally_.add_section(section->number);
    if (ids.empty()) return false;
    const auto* arch = find_arch(arch_);
    const unsigned long_size = arch == nullptr ? 8 : arch->address_bytes;
    constexpr std::uint32_t page = 4096;
    out.text("\x17\x08\x44tracing0.6");
    out.u8(0);
    out.u8(recording_.order().endian() == std::endian::big ? 1 : 0);
    out.u8(static_cast<std::uint8_t>(long_size));
    out.u32(page);
    const auto header = page_text(long_size);
    out.text("header_page");
    out.u8(0);
    out.u64(header.size());
    out.text(header);
    out.text("header_event");
    out.u8(0);
    out.u64(0);
    out.u32(0);  // formats of ftrace itself
    out.u32(static_cast<std::uint32_t>(ids.size()));
    out.bytes(systems.written());
    out.u32(0);  // kallsyms
    out.u32(0);  // printk formats
    out.u64(0);  // command lines
    return true;
}

bool FeatureRewriter::build_ids(Cursor in, ByteWriter& out) {
    BuildIdReader reader(in);
    for (;;) {
        const auto entry = reader.next();
        if (!entry) {
            tally_.add(Told::damaged_sections);
            return true;  // the entries in front of the damage are whole
        }
        if (!*entry) return true;
        const auto& id = **entry;
        const auto begin = out.size();
        constexpr std::uint16_t kept_misc = 7 | 1u << 15;
        const auto name = told(Told::hashed_paths, id.name, names_.path(id.name));
        constexpr std::size_t fixed = 36, longest = 4096;
        if (name.size() >= longest) continue;
        const auto padded = (name.size() + 8) / 8 * 8;
        out.u32(0);
        out.u16(id.misc & kept_misc);
        out.u16(static_cast<std::uint16_t>(fixed + padded));
        out.u32(static_cast<std::uint32_t>(id.pid));
        out.bytes(id.build_id);
        out.zeros(BuildIdEntry::max_id_bytes - id.build_id.size());
        out.u8(id.size_known ? static_cast<std::uint8_t>(id.build_id.size()) : 0);
        out.zeros(3);
        out.text(name);
        out.zeros(begin + fixed + padded - out.size());
    }
}

bool FeatureRewriter::command_line(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 4)) return false;
    out.u32(count);
    PerfArguments perf;
    for (std::uint32_t at = 0; at < count; ++at) {
        const auto word = read_feature_string(in);
        const auto shown = perf.stays(word) ? std::string(word) : names_.argument(word);
        out.feature_string(told(Told::hashed_arguments, word, shown));
    }
    return in.ok();
}

void FeatureRewriter::cpu_list(Cursor& in, ByteWriter& out, bool (*is_one)(std::string_view)) {
    look_();
    const auto list = read_feature_string(in);
    out.feature_string(is_one(list) ? list : std::string_view());
}

void FeatureRewriter::cpu_lists(Cursor& in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 4)) return;
    out.u32(count);
    for (std::uint32_t at = 0; at < count; ++at) cpu_list(in, out);
}

bool FeatureRewriter::cpu_topology(Cursor in, ByteWriter& out) {
    std::uint32_t cpus = 0;
    if (const auto content = recording_.read_feature(Feature::nrcpus)) {
        cpus = Cursor(*content, recording_.order(), {.where = section_place}).u32();
    }
    cpu_lists(in, out);
    cpu_lists(in, out);
    if (!in.ok() || in.remaining() < std::uint64_t{cpus} * 8 || cpus == 0) return in.ok();
    copy_numbers(in, std::size_t{cpus} * 8, out);
    if (in.remaining() < 4) return true;
    cpu_lists(in, out);
    return copy_numbers(in, std::size_t{cpus} * 4, out);
}

bool FeatureRewriter::numa_topology(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 24)) return false;
    out.u32(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        out.u32(in.u32());
        in.skip(16);  // its memory
        out.zeros(16);
        cpu_list(in, out);
    }
    return in.ok();
}

bool FeatureRewriter::pmu_mappings(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 8)) return false;
    out.u32(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        out.u32(in.u32());
        const auto name = read_feature_string(in);
        out.feature_string(told(Told::hashed_words, name, names_.pmu(name)));
    }
    return in.ok();
}

bool FeatureRewriter::groups(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 12)) return false;
    out.u32(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        const auto name = read_feature_string(in);
        out.feature_string(told(Told::hashed_words, name, names_.group(name)));
        out.u32(in.u32());
        out.u32(in.u32());
    }
    return in.ok();
}

// Those whose names are known and whose values are numbers.
void FeatureRewriter::capabilities(Cursor& in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 8)) return;
    const auto at_count = out.size();
    std::uint32_t kept = 0;
    out.u32(0);
    for (std::uint32_t at = 0; at < count; ++at) {
        look_();
        const auto name = read_feature_string(in);
        const auto value = read_feature_string(in);
        if (!is_capability(name) || !is_number(value)) continue;
        out.feature_string(name);
        out.feature_string(value);
        ++kept;
    }
    out.patch_u32(at_count, kept);
}

bool FeatureRewriter::pmu_capabilities(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 8)) return false;
    out.u32(count);
    for (std::uint32_t at = 0; at < count && in.ok(); ++at) {
        capabilities(in, out);
        const auto name = read_feature_string(in);
        out.feature_string(told(Told::hashed_words, name, names_.pmu(name)));
    }
    return in.ok();
}

bool FeatureRewriter::hybrid_topology(Cursor in, ByteWriter& out) {
    const auto count = in.u32();
    if (!in.fits(count, 8)) return false;
    out.u32(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        const auto name = read_feature_string(in);
        out.feature_string(told(Told::hashed_words, name, names_.pmu(name)));
        cpu_list(in, out);
    }
    return in.ok();
}

bool FeatureRewriter::domains(Cursor in, ByteWriter& out) {
    constexpr std::uint32_t first_with_names = 17;
    const auto version = in.u32();
    out.u32(version);
    out.u32(in.u32());
    while (in.ok() && in.remaining() >= 8) {
        out.u32(in.u32());
        const auto count = in.u32();
        if (!in.fits(count, 12)) return false;
        out.u32(count);
        for (std::uint32_t at = 0; at < count && in.ok(); ++at) {
            out.u32(in.u32());
            if (version >= first_with_names) {
                const auto name = read_feature_string(in);
                out.feature_string(told(Told::hashed_words, name, names_.domain(name)));
            }
            cpu_list(in, out, is_cpu_mask);
            cpu_list(in, out);
        }
    }
    return in.ok();
}

void FeatureRewriter::drop_types(Cursor in) {
    const auto count = in.u32();
    if (in.fits(count, 8)) tally_.add(Told::type_blobs, count);
    if (count != 0) tally_.add_section(static_cast<unsigned>(Feature::bpf_btf));
}

}  // namespace perfdata
