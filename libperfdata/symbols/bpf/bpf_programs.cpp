// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "symbols/stored/stored_programs.hpp"

namespace perfdata {
namespace {

constexpr std::string_view info_section = "feature BPF_PROG_INFO";

std::string program_place(const BpfLoad& load) {
    return "BPF program " + std::to_string(load.id.value);
}

// Returns why an array that a listing needs is absent.
Error why_absent(const BpfLoad& load, BpfArray which) {
    const auto& info = *load.info;
    const auto name = std::string(to_string(which));
    switch (info.array(which).state) {
        case BpfArrayState::withheld:
            return {ErrorCode::missing, info.offset, program_place(load),
                    "the kernel withheld " + name + " from the recorder; record as root"};
        case BpfArrayState::damaged:
            return {ErrorCode::malformed, info.offset, std::string(info_section),
                    program_place(load) + ": " + name + " points outside the program's data"};
        default:
            return {ErrorCode::missing, info.offset, program_place(load), "the recording has no " + name + " of it"};
    }
}

}  // namespace

// Program indexes the arrays of an info.
struct BpfPrograms::Program {
    explicit Program(const BpfProgramInfo& info) {
        const auto sizes = info.jited_func_lens();
        code_begins.reserve(sizes.size());
        std::uint64_t begin = 0;
        for (std::size_t index = 0; index < sizes.size(); ++index) {
            code_begins.push_back(begin);
            begin += sizes[index];
        }
        const auto functions = info.jited_ksyms();
        for (std::size_t index = 0; index < functions.size(); ++index) function_begins.push_back(functions[index]);
        std::ranges::sort(function_begins);
        const auto lines = info.jited_line_info();
        line_places.reserve(lines.size());
        for (std::uint32_t index = 0; index < lines.size(); ++index) line_places.emplace_back(lines[index], index);
        std::ranges::sort(line_places);
    }

    bool is_function(std::uint64_t address) const { return std::ranges::binary_search(function_begins, address); }

    // The image has all functions in sequence: each begins where the one before it ends.
    std::vector<std::uint64_t> code_begins;
    std::vector<std::uint64_t> function_begins;                        // addresses, sorted
    std::vector<std::pair<std::uint64_t, std::uint32_t>> line_places;  // addresses and entries, sorted
};

// Filled on first use and kept: thousands of programs may share or repeat types, but few are looked at.
struct BpfPrograms::Cache {
    std::mutex mutex;
    std::map<std::uint32_t, Result<Btf>> btf;   // by id
    std::map<std::uint32_t, Program> programs;  // by id, which is unique in programs()
};

BpfPrograms::BpfPrograms(const Timeline& timeline) : timeline_(&timeline), cache_(std::make_unique<Cache>()) {}
BpfPrograms::BpfPrograms(const Timeline& timeline, const stored::Model& stored)
    : timeline_(&timeline), stored_(&stored), cache_(std::make_unique<Cache>()) {}
BpfPrograms::~BpfPrograms() = default;
BpfPrograms::BpfPrograms(BpfPrograms&&) noexcept = default;
BpfPrograms& BpfPrograms::operator=(BpfPrograms&&) noexcept = default;

const Result<Btf>* BpfPrograms::cached(const BpfLoad& load) const {
    if (load.info == nullptr || load.info->btf_id == 0) return nullptr;
    const auto* blob = timeline_->bpf().btf(load.info->btf_id);
    if (blob == nullptr) return nullptr;
    const std::lock_guard lock(cache_->mutex);
    const auto found = cache_->btf.find(blob->id);
    if (found != cache_->btf.end()) return &found->second;
    return &cache_->btf.emplace(blob->id, Btf::parse(*blob, load.info->order)).first->second;
}

const BpfPrograms::Program& BpfPrograms::program(const BpfProgramInfo& info) const {
    const std::lock_guard lock(cache_->mutex);
    return cache_->programs.try_emplace(info.id.value, info).first->second;
}

const Btf* BpfPrograms::btf(const BpfLoad& load) const {
    const auto* parsed = cached(load);
    return parsed != nullptr && *parsed ? &**parsed : nullptr;
}

std::optional<Error> BpfPrograms::problem(const BpfLoad& load) const {
    if (stored_ != nullptr) return stored_program_problem(*stored_, *timeline_, load);
    const auto* parsed = cached(load);
    if (parsed == nullptr) return {};
    return *parsed ? (*parsed)->problem() : std::optional(parsed->error());
}

std::string_view BpfPrograms::program_name(const BpfLoad& load) const {
    if (stored_ != nullptr) return stored_program_name(*stored_, *timeline_, load);
    const auto* types = btf(load);
    if (types != nullptr && load.info->functions() != 0) {
        const auto main = types->function_name(load.info->function_info(0).type_id);
        if (!main.empty()) return main;
    }
    if (load.info != nullptr) return load.info->name;
    return load.symbol_name;
}

FunctionName BpfPrograms::name(CodeIndex index) const {
    if (stored_ != nullptr) return stored_function_name(*stored_, index, true);
    auto result = plain_name(index);
    const auto& code = timeline_->code()[index];
    if (!code.load) return result;
    const auto& load = timeline_->loads()[*code.load];
    const auto* types = btf(load);
    if (types != nullptr && code.subprogram < load.info->functions()) {
        result.prototype = types->prototype(load.info->function_info(code.subprogram).type_id);
    }
    return result;
}

FunctionName BpfPrograms::plain_name(CodeIndex index) const {
    if (stored_ != nullptr) return stored_function_name(*stored_, index, false);
    const auto& code = timeline_->code()[index];
    FunctionName result;
    if (code.load) {
        const auto& load = timeline_->loads()[*code.load];
        result.program = program_name(load);
        const auto* types = btf(load);
        // func_info is parallel to the functions, or there is none.
        if (types != nullptr && code.subprogram < load.info->functions()) {
            result.name = types->function_name(load.info->function_info(code.subprogram).type_id);
        }
    }
    if (result.name.empty()) {
        const auto symbol = parse_bpf_symbol(code.symbol);
        result.name = symbol && !symbol->name.empty() ? symbol->name : std::string_view(code.symbol);
    }
    if (result.name.empty()) result.name = "(no name)";
    return result;
}

CodePart BpfPrograms::left_out(CodeIndex index, std::uint64_t offset, const CodeFilter& filter) const {
    if (filter.empty()) return CodePart::none;
    const auto& code = timeline_->code()[index];
    const auto kind = code_class(code.kind);
    const auto object = object_of(code);
    if (!code.load) return filter.leaves_out(kind, object, code.symbol, offset);
    // Listings call the object of a BPF program by its id, and its functions as BTF does.
    if (!filter.takes_kind(kind)) return CodePart::kind;
    const auto listed = "[bpf:" + std::to_string(timeline_->loads()[*code.load].id.value) + "]";
    if (!filter.takes_object(object, kind) && !filter.takes_object(listed, kind)) return CodePart::object;
    if (filter.takes_symbol(code.symbol, offset)) return CodePart::none;
    const auto function = plain_name(index).name;
    return !function.empty() && filter.takes_symbol(function, 0) ? CodePart::none : CodePart::symbol;
}

Result<Bytes> BpfPrograms::image(CodeIndex index) const {
    const auto& code = timeline_->code()[index];
    if (stored_ != nullptr) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(code.symbol),
                    "a profile file has the code of versions of functions, and no programs");
    }
    if (code.kind != CodeKind::bpf_program) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(code.symbol),
                    "recordings hold no code of trampolines, dispatchers and out-of-line code");
    }
    if (!code.load) {
        return fail(ErrorCode::missing, Error::no_offset, std::string(code.symbol),
                    "no BPF program of this recording claims it");
    }
    const auto& load = timeline_->loads()[*code.load];
    if (load.info == nullptr) {
        return fail(ErrorCode::missing, Error::no_offset, program_place(load),
                    timeline_->bpf().programs().empty()
                        ? "the recording has no infos of BPF programs: it was cut off, not ended, or is a pipe's"
                        : "the recorder could not query it: it was unloaded too soon");
    }
    for (const auto needed : {BpfArray::jited_insns, BpfArray::jited_func_lens}) {
        if (load.info->array(needed).state != BpfArrayState::present) return fail(why_absent(load, needed));
    }
    const auto sizes = load.info->jited_func_lens();
    const auto all = load.info->jited_insns();
    const auto& begins = program(*load.info).code_begins;
    const auto begin = code.subprogram < begins.size() ? begins[code.subprogram] : 0;
    if (code.subprogram >= sizes.size() || begin > all.size() || sizes[code.subprogram] > all.size() - begin) {
        return fail(ErrorCode::malformed, load.info->offset, std::string(info_section),
                    program_place(load) + ": function " + std::to_string(code.subprogram) + " of " +
                        std::to_string(sizes.size()) + " lies outside its code of " + std::to_string(all.size()) +
                        " bytes");
    }
    const auto size = std::min<std::uint64_t>(sizes[code.subprogram], code.range.size);
    if (size == 0) {
        return fail(ErrorCode::malformed, load.info->offset, std::string(info_section),
                    program_place(load) + ": function " + std::to_string(code.subprogram) + " has no bytes");
    }
    return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
}

Result<std::vector<LineStart>> BpfPrograms::lines(CodeIndex index) const {
    std::vector<LineStart> result;
    const auto& code = timeline_->code()[index];
    if (!code.load) return result;
    const auto& load = timeline_->loads()[*code.load];
    const auto* types = btf(load);
    if (types == nullptr) return result;
    const auto& info = *load.info;
    for (const auto needed : {BpfArray::line_info, BpfArray::jited_line_info}) {
        if (info.array(needed).state == BpfArrayState::absent) return result;
        if (info.array(needed).state != BpfArrayState::present) return fail(why_absent(load, needed));
    }
    const auto addresses = info.jited_line_info();
    const auto malformed = [&](std::string what) {
        return fail(ErrorCode::malformed, info.offset, std::string(info_section), program_place(load) + ": " + what);
    };
    if (addresses.size() != info.lines()) {
        return malformed(std::to_string(info.lines()) + " lines, but native addresses of " +
                         std::to_string(addresses.size()));
    }
    // The entries of a function begin with the one at its start. Functions are in program order, not by address.
    const auto start = code.range.begin.value;
    const auto& places = program(info);
    const auto first = std::ranges::lower_bound(places.line_places, std::pair(start, std::uint32_t{0}));
    if (first == places.line_places.end() || first->first != start) {
        return malformed("no line begins where function " + std::to_string(code.subprogram) + " begins");
    }
    for (std::size_t entry = first->second; entry < addresses.size(); ++entry) {
        if (!code.range.contains({addresses[entry]})) break;
        const auto offset = addresses[entry] - start;
        if (!result.empty() && offset < result.back().offset) break;
        // Each entry belongs to one function, even if functions before it claim to reach as far.
        if (offset != 0 && places.is_function(addresses[entry])) break;
        const auto line = info.line_info(entry);
        result.push_back(
            {offset, line.instruction, {types->text(line.file_name), line.line, line.column, types->text(line.text)}});
    }
    return result;
}

std::optional<Target> BpfPrograms::target(Address address, Time time) const {
    if (const auto place = timeline_->code_at(address, time)) {
        const auto& code = timeline_->code()[place->index];
        const auto function = plain_name(place->index);
        Target target{std::string(function.name), place->offset, place->index};
        if (code.load && code.subprogram != 0 && !function.program.empty()) {
            target.name = std::string(function.program) + "/" + target.name;
        }
        return target;
    }
    return {};
}

}  // namespace perfdata
