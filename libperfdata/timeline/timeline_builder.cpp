// SPDX-License-Identifier: MIT
#include "timeline_builder.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "perfdata/wire/feature/build_id.hpp"

#include "unclaimed_code.hpp"

namespace perfdata {
namespace {

// The live record of a program's main function contains the tag of the whole program, the synthesized one that of the
// main function alone. Without the tag the names agree.
bool same_function_name(std::string_view one, std::string_view other) {
    if (one == other) return true;
    const auto a = parse_bpf_symbol(one);
    const auto b = parse_bpf_symbol(other);
    return a && b && a->name == b->name;
}

bool is_program(std::uint16_t kind, std::string_view name) {
    return kind != static_cast<std::uint16_t>(Ksymbol::Kind::out_of_line) && !is_bpf_image(name);
}

// merge(ranges) makes the ranges sorted and disjoint; they cover the same addresses.
void merge(std::vector<AddressRange>& ranges) {
    std::ranges::sort(ranges, {}, &AddressRange::begin);
    std::size_t kept = 0;
    for (const auto& range : ranges) {
        if (kept != 0 && range.begin <= ranges[kept - 1].last()) {
            auto& before = ranges[kept - 1];
            before.size = std::max(before.last(), range.last()) - before.begin + 1;
        } else {
            ranges[kept++] = range;
        }
    }
    ranges.resize(kept);
}

}  // namespace

// room_for_more(...) returns true if there is room for one more than `known`, with a name of `name_size` bytes.
bool TimelineBuilder::room_for_more(std::uint64_t offset, std::size_t known, std::size_t name_size) {
    const auto name_bytes = code_name_bytes(limits_.code_versions);
    if (!full_ && known < limits_.code_versions && name_size <= name_bytes - timeline_.symbols_.bytes()) return true;
    if (!full_) {
        full_ = true;
        timeline_.completeness_.diagnostics.add({ErrorCode::limit, offset, "timeline",
                                                 "more than " + std::to_string(limits_.code_versions) +
                                                     " registrations of code, or than " + std::to_string(name_bytes) +
                                                     " bytes of their names; later ones are ignored"});
    }
    return false;
}

void TimelineBuilder::take_change(const RecordContext& context, std::variant<Symbol, Program> what) {
    const auto& trailer = context.trailer;
    const Writer writer{trailer.pid.value_or(Pid{}).value, trailer.tid.value_or(Tid{}).value, trailer.cpu.value_or(0)};
    changes_.push_back({context.time, static_cast<std::uint32_t>(changes_.size()), writer, what});
}

void TimelineBuilder::operator()(const RecordContext& context, const Ksymbol& symbol) {
    const auto name = symbol.unregister() ? std::string_view() : symbol.name;
    if (!room_for_more(context.view.offset, changes_.size(), name.size())) return;
    take_change(context, Symbol{symbol.address, symbol.size, symbol.kind, symbol.unregister(),
                                is_program(symbol.kind, symbol.name), timeline_.symbols_.keep(name)});
}

void TimelineBuilder::operator()(const RecordContext& context, const BpfEvent& event) {
    if (room_for_more(context.view.offset, changes_.size(), 0))
        take_change(context, Program{event.kind, event.id, event.tag});
}

void TimelineBuilder::operator()(const RecordContext& context, const TextPoke& poke) {
    if (auto full = patches_.add(context.time, context.view.offset, poke)) {
        timeline_.completeness_.diagnostics.add(std::move(*full));
    }
}

// A damaged entry hides those behind it.
void TimelineBuilder::take_build_ids(const Recording& recording) {
    const auto* feature = recording.feature(Feature::build_id);
    if (feature == nullptr || !feature->inside_file) return;
    auto& diagnostics = timeline_.completeness_.diagnostics;
    const auto section = recording.read_feature(Feature::build_id);
    if (!section) {
        diagnostics.add(section.error());
        return;
    }
    BuildIdReader reader(
        Cursor(*section, recording.order(), {.where = "feature BUILD_ID", .offset = feature->section.offset}));
    for (;;) {
        const auto entry = reader.next();
        if (!entry) diagnostics.add(entry.error());
        if (!entry || !*entry) return;
        if ((*entry)->pid != BuildIdEntry::host) continue;
        BuildId id;
        id.size = static_cast<std::uint8_t>(std::min((*entry)->build_id.size(), id.value.size()));
        std::ranges::copy((*entry)->build_id.first(id.size), id.value.begin());
        timeline_.build_ids_.emplace(std::string((*entry)->name), id);
    }
}

// The first record of a path counts.
void TimelineBuilder::operator()(const RecordContext& context, const HeaderBuildId& header) {
    if (header.pid != BuildIdEntry::host) return;
    auto& known = timeline_.build_ids_;
    if (known.size() < limits_.task_records) {
        known.emplace(header.filename, header.build_id);
    } else if (!build_ids_full_) {
        build_ids_full_ = true;
        timeline_.completeness_.diagnostics.add(
            {ErrorCode::limit, context.view.offset, "timeline",
             "build ids of more than " + std::to_string(limits_.task_records) + " files; later ones are ignored"});
    }
}

template <class Map>
void TimelineBuilder::take_mapping(const RecordContext& context, const Map& map) {
    constexpr std::string_view prefix = "[kernel.kallsyms]";
    if (cpu_mode(context.view.header().misc) != CpuMode::kernel || !map.filename.starts_with(prefix)) return;
    if (timeline_.kernel_) return;
    timeline_.kernel_ = KernelMapping{map.range, std::string(map.filename.substr(prefix.size())), {map.page_offset}};
}

template void TimelineBuilder::take_mapping(const RecordContext&, const Mmap&);
template void TimelineBuilder::take_mapping(const RecordContext&, const Mmap2&);

void TimelineBuilder::finish(LookOut& look) {
    // Records of one time stay in file order, synthesized ones (time 0) come first.
    std::ranges::sort(changes_, {},
                      look.by([](const Change& change) { return std::pair(change.time, change.sequence); }));
    add_programs_without_records();
    for (const auto& change : changes_) {
        look();
        std::visit([&](const auto& what) { replay(change.time, change.writer, what); }, change.what);
    }
    std::vector<Change>().swap(changes_);
    claim_by_info();
    close_intervals(look);
    timeline_.patches_ = std::move(patches_).build(look);
}

CodeIndex TimelineBuilder::add_code(VersionedMap<CodeIndex>::Builder& map, Time time, Code code) {
    const auto index = static_cast<CodeIndex>(timeline_.code_.size());
    code.from = time;
    map.add(time, code.range, index);
    timeline_.code_.push_back(std::move(code));
    return index;
}

void TimelineBuilder::replay(Time time, const Writer& writer, const Symbol& symbol) {
    const bool out_of_line = symbol.kind == static_cast<std::uint16_t>(Ksymbol::Kind::out_of_line);
    const bool program = symbol.program;
    auto& map = program ? programs_ : images_;
    if (symbol.unregister) {
        map.remove(time, symbol.address);
        return;
    }
    if (symbol.size == 0) return;  // an interpreted program: no code of its own

    const auto* live = map.live(symbol.address);
    if (live != nullptr && live->range.size == symbol.size) {
        // Registered twice: by two events that both asked, or synthesized and then live because the program was loaded
        // while the recording began. If an unregister was lost, the load's program id reveals it (attach()).
        auto& code = timeline_.code_[live->value];
        if (same_function_name(code.symbol, symbol.name)) {
            if (program) unclaimed_[writer].push_back(live->value);
            return;
        }
    }
    Code code;
    code.kind = program ? CodeKind::bpf_program : out_of_line ? CodeKind::out_of_line : CodeKind::bpf_image;
    code.range = {symbol.address, symbol.size};
    code.symbol = symbol.name;
    const auto index = add_code(map, time, std::move(code));
    if (program) unclaimed_[writer].push_back(index);
}

void TimelineBuilder::replay(Time time, const Writer& writer, const Program& program) {
    if (program.kind == static_cast<std::uint16_t>(BpfEvent::Kind::load)) load(time, writer, program);
    if (program.kind == static_cast<std::uint16_t>(BpfEvent::Kind::unload)) unload(time, program);
}

// If two events asked for KSYMBOLs, each comes twice; code that was unregistered before the load does not belong to it.
std::vector<CodeIndex> TimelineBuilder::still_live(std::vector<CodeIndex> written) {
    std::set<CodeIndex> seen;
    std::erase_if(written, [&](CodeIndex index) { return !is_live(index) || !seen.insert(index).second; });
    return written;
}

// Returns the functions of a program that was just loaded: by address if the program's info has the addresses, else
// those that the same writer registered since its last BPF_EVENT.
std::vector<TimelineBuilder::Function> TimelineBuilder::functions_of(const Writer& writer, const Program& program,
                                                                     const BpfProgramInfo* info) {
    const auto written = still_live(std::exchange(unclaimed_[writer], {}));
    if (info != nullptr && !info->jited_ksyms().empty()) return functions_by_address(*info, written);
    const bool synthesized = writer == Writer{};
    const auto tag = hex(program.tag);
    auto main = std::ranges::find_if(written, [&](CodeIndex index) {
        const auto name = parse_bpf_symbol(timeline_.code_[index].symbol);
        return name && name->tag == tag;
    });
    if (main == written.end() && synthesized) main = written.begin();
    std::vector<Function> functions;
    for (; main != written.end(); ++main) functions.push_back({*main, static_cast<std::uint32_t>(functions.size())});
    return functions;
}

// The first load of a program searches all its functions. Program ids are never reused: when the same id is loaded
// again, only code registered since then, or again, can be new.
std::vector<TimelineBuilder::Function> TimelineBuilder::functions_by_address(const BpfProgramInfo& info,
                                                                             const std::vector<CodeIndex>& written) {
    std::vector<Function> functions;
    const auto [known, first] = places_.try_emplace(info.id.value);
    auto& places = known->second;
    if (first) {
        const auto addresses = info.jited_ksyms();
        places.reserve(addresses.size());
        for (std::uint32_t index = 0; index < addresses.size(); ++index) places.emplace_back(addresses[index], index);
        std::ranges::sort(places);
        const auto repeated = std::ranges::unique(places, {}, &Places::value_type::first);
        places.erase(repeated.begin(), repeated.end());
        for (const auto& [address, subprogram] : places) {
            if (const auto* live = programs_.live({address})) functions.push_back({live->value, subprogram});
        }
    } else {
        for (const auto index : written) {
            const auto begin = timeline_.code_[index].range.begin.value;
            const auto place = std::ranges::lower_bound(places, begin, {}, &Places::value_type::first);
            if (place != places.end() && place->first == begin) functions.push_back({index, place->second});
        }
    }
    std::ranges::sort(functions, {}, &Function::subprogram);
    return functions;
}

bool TimelineBuilder::is_live(CodeIndex index) {
    const auto* live = programs_.live(timeline_.code_[index].range.begin);
    return live != nullptr && live->value == index;
}

// An unload may have been lost: a load whose code is all gone has ended. Gone code does not return, so each function is
// checked once.
bool TimelineBuilder::still_there(std::uint32_t index) {
    const auto& load = timeline_.loads_[index];
    if (load.unloaded_at != Time::forever()) return false;
    auto& gone = gone_[index];
    while (gone < load.functions.size() && !is_live(load.functions[gone])) ++gone;
    return load.functions.empty() || gone < load.functions.size();
}

void TimelineBuilder::load(Time time, const Writer& writer, const Program& program) {
    const auto* info = timeline_.bpf_.program(program.id);
    const auto functions = functions_of(writer, program, info);

    const auto known = loads_by_id_.find(program.id.value);
    std::uint32_t index = 0;
    if (known != loads_by_id_.end() && still_there(known->second)) {
        // Recorded twice. The live record has the time, the synthesized one does not.
        index = known->second;
        auto& load = timeline_.loads_[index];
        if (load.loaded_at == Time{} && time != Time{}) {
            load.loaded_at = time;
            for (const auto function : load.functions) {
                if (is_live(function)) timeline_.code_[function].from = time;
            }
        }
    } else {
        BpfLoad load;
        load.id = program.id;
        load.tag = program.tag;
        load.info = info;
        load.loaded_at = time;
        index = add_load(std::move(load));
    }
    for (const auto& [code, subprogram] : functions) attach(time, code, index, subprogram);
}

std::uint32_t TimelineBuilder::add_load(BpfLoad load) {
    const auto index = static_cast<std::uint32_t>(timeline_.loads_.size());
    loads_by_id_[load.id.value] = index;
    timeline_.loads_.push_back(std::move(load));
    gone_.push_back(0);
    return index;
}

void TimelineBuilder::attach(Time time, CodeIndex index, std::uint32_t load, std::uint32_t subprogram) {
    auto& code = timeline_.code_[index];
    if (code.load && *code.load != load) {
        // Another program's function lay here and its unregister was lost: the current code began with this load.
        Code successor = code;
        successor.load.reset();
        index = add_code(programs_, time, std::move(successor));
    }
    auto& owned = timeline_.code_[index];
    if (owned.load) return;  // recorded twice
    owned.load = load;
    owned.subprogram = subprogram;
    auto& functions = timeline_.loads_[load].functions;
    functions.push_back(index);
}

void TimelineBuilder::unload(Time time, const Program& program) {
    // Some kernels have forgotten the id by now; then only the KSYMBOL records end the code.
    const auto known = loads_by_id_.find(program.id.value);
    if (program.id.value == 0 || known == loads_by_id_.end()) return;
    auto& load = timeline_.loads_[known->second];
    if (load.unloaded_at != Time::forever()) return;
    load.unloaded_at = time;
    for (const auto index : load.functions) {
        if (is_live(index)) programs_.remove(time, timeline_.code_[index].range.begin);
    }
}

// Handles programs that the recorder queried but whose BPF_EVENT is missing: their info has addresses and lengths.
void TimelineBuilder::claim_by_info() {
    UnclaimedCode unclaimed;
    for (CodeIndex index = 0; index < timeline_.code_.size(); ++index) {
        const auto& code = timeline_.code_[index];
        if (code.kind == CodeKind::bpf_program && !code.load) unclaimed.add(code, index);
    }
    for (const auto& info : timeline_.bpf_.programs()) {
        if (loads_by_id_.contains(info.id.value)) continue;
        const auto addresses = info.jited_ksyms();
        const auto sizes = info.jited_func_lens();
        if (addresses.empty() || addresses.size() != sizes.size()) continue;

        BpfLoad load;
        load.id = info.id;
        load.tag = info.tag;
        load.info = &info;
        const auto load_index = static_cast<std::uint32_t>(timeline_.loads_.size());
        for (std::uint32_t subprogram = 0; subprogram < addresses.size(); ++subprogram) {
            // Take the one at this address that was registered nearest to the program's load time.
            const auto nearest = unclaimed.take(addresses[subprogram], sizes[subprogram], info.load_time);
            if (!nearest) continue;
            auto& code = timeline_.code_[*nearest];
            code.load = load_index;
            code.subprogram = subprogram;
            load.loaded_at = load.functions.empty() ? code.from : std::max(load.loaded_at, code.from);
            load.functions.push_back(*nearest);
        }
        add_load(std::move(load));
    }
}

// Handles programs that no record mentions, neither by id nor by address: if nothing else was ever registered at the
// addresses in their info, they were there all the time.
void TimelineBuilder::add_programs_without_records() {
    std::set<std::uint32_t> loaded;
    std::vector<AddressRange> registered;
    for (const auto& change : changes_) {
        if (const auto* program = std::get_if<Program>(&change.what)) loaded.insert(program->id.value);
        // Images claim more than they use: a program may well lie in an image's range.
        const auto* symbol = std::get_if<Symbol>(&change.what);
        if (symbol != nullptr && symbol->size != 0 && symbol->program) {
            registered.push_back({symbol->address, symbol->size});
        }
    }
    merge(registered);
    for (const auto& info : timeline_.bpf_.programs()) {
        if (loaded.contains(info.id.value)) continue;
        const auto addresses = info.jited_ksyms();
        const auto sizes = info.jited_func_lens();
        const auto free = [&](std::size_t index) {
            const AddressRange range{{addresses[index]}, sizes[index]};
            if (range.size == 0) return false;
            const auto above = std::ranges::upper_bound(registered, range.last(), {}, &AddressRange::begin);
            return above == registered.begin() || !std::prev(above)->overlaps(range);
        };
        if (addresses.empty() || addresses.size() != sizes.size() || !free(0)) continue;

        const auto load = add_load({info.id, info.tag, &info, Time{}, Time::forever(), {}, {}});
        for (std::uint32_t subprogram = 0; subprogram < addresses.size(); ++subprogram) {
            if (!free(subprogram)) continue;
            auto symbol = "bpf_prog_" + hex(subprogram < info.tags() ? info.function_tag(subprogram) : info.tag);
            if (subprogram == 0 && !info.name.empty()) symbol += "_" + std::string(info.name);
            if (!room_for_more(info.offset, timeline_.code_.size(), symbol.size())) return;
            Code code;
            code.range = {{addresses[subprogram]}, sizes[subprogram]};
            code.symbol = timeline_.symbols_.keep(symbol);
            code.load = load;
            code.subprogram = subprogram;
            timeline_.loads_[load].functions.push_back(add_code(programs_, Time{}, std::move(code)));
        }
    }
}

// Handles an unload that did not name its program, or was lost: the load ended when the last of its code did.
void TimelineBuilder::end_forgotten_loads() {
    for (auto& load : timeline_.loads_) {
        if (load.unloaded_at != Time::forever() || load.functions.empty()) continue;
        auto last = load.loaded_at;
        for (const auto function : load.functions) last = std::max(last, timeline_.code_[function].until);
        load.unloaded_at = last;
    }
}

// Without program info, the kernel's name for a program is in the symbol of its first function.
void TimelineBuilder::name_loads() {
    for (auto& load : timeline_.loads_) {
        if (load.info != nullptr) continue;
        for (const auto function : load.functions) {
            const auto& code = timeline_.code_[function];
            const auto symbol = code.subprogram == 0 ? parse_bpf_symbol(code.symbol) : std::nullopt;
            if (!symbol) continue;
            load.symbol_name = symbol->name;
            break;
        }
    }
}

// Loads are in the order of their records; a live record may have corrected the time of one.
void TimelineBuilder::sort_loads() {
    auto& loads = timeline_.loads_;
    std::vector<std::uint32_t> order(loads.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t index) { return std::pair(loads[index].loaded_at, index); });
    std::vector<BpfLoad> sorted;
    sorted.reserve(loads.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        auto& load = loads[order[place]];
        for (const auto function : load.functions) timeline_.code_[function].load = place;
        sorted.push_back(std::move(load));
    }
    loads = std::move(sorted);
}

void TimelineBuilder::close_intervals(LookOut& look) {
    timeline_.programs_ = std::move(programs_).build(look);
    timeline_.images_ = std::move(images_).build(look);
    for (const auto* map : {&timeline_.programs_, &timeline_.images_}) {
        for (const auto& entry : map->entries()) timeline_.code_[entry.value].until = entry.until;
    }
    end_forgotten_loads();
    name_loads();
    sort_loads();
    auto& ever = timeline_.ever_;
    for (const auto& code : timeline_.code_) ever.push_back(code.range);
    merge(ever);
}

}  // namespace perfdata
