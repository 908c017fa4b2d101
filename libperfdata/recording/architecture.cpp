// SPDX-License-Identifier: MIT
#include "perfdata/recording/architecture.hpp"

#include <algorithm>
#include <array>

#include "perfdata/core/arch.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/feature/e_machine.hpp"

#include "stored/model.hpp"

namespace perfdata {
namespace {

struct PathSign {
    std::string_view sign;  // the last part of a path, or a directory in it
    std::string_view name;
};
// Loader names of the GNU and the musl C library. Names shared by several architectures are left out.
constexpr std::array loaders = {
    PathSign{"ld-linux-x86-64.so.2", "x86_64"},
    PathSign{"ld-musl-x86_64.so.1", "x86_64"},
    PathSign{"ld-linux-aarch64.so.1", "aarch64"},
    PathSign{"ld-musl-aarch64.so.1", "aarch64"},
    PathSign{"ld-linux-riscv64-lp64d.so.1", "riscv64"},
    PathSign{"ld-musl-riscv64.so.1", "riscv64"},
    PathSign{"ld64.so.2", "ppc64le"},
    PathSign{"ld-musl-s390x.so.1", "s390x"},
};
constexpr std::array folders = {
    PathSign{"/lib/x86_64-linux-gnu/", "x86_64"},       PathSign{"/lib/aarch64-linux-gnu/", "aarch64"},
    PathSign{"/lib/s390x-linux-gnu/", "s390x"},         PathSign{"/lib/riscv64-linux-gnu/", "riscv64"},
    PathSign{"/lib/powerpc64le-linux-gnu/", "ppc64le"},
};

// RecordSigns looks for evidence in records. If it is contradictory, as on a machine that runs programs of other
// machines, the result is unknown.
struct RecordSigns {
    Architecture found;
    bool contradiction = false;

    template <class Map>
    void map(const Map& record) {
        const auto name = path_architecture(record.filename);
        if (name.empty()) return;
        const auto slash = record.filename.rfind('/');
        tell(name,
             "the mapping of " + std::string(record.filename.substr(slash == std::string_view::npos ? 0 : slash + 1)));
    }
    void operator()(const RecordContext&, const Mmap& record) { map(record); }
    void operator()(const RecordContext&, const Mmap2& record) { map(record); }
    void operator()(const RecordContext&, const AuxtraceInfo& record) {
        const auto kind = static_cast<AuxtraceInfo::Kind>(record.kind);
        if (kind == AuxtraceInfo::Kind::arm_spe) tell("aarch64", "a trace of Arm SPE");
        if (kind == AuxtraceInfo::Kind::s390_cpumsf) tell("s390x", "a trace of the s390x CPU-measurement facility");
    }

    void tell(std::string_view name, std::string told_by) {
        if (found.name.empty()) found = {std::string(name), std::move(told_by)};
        contradiction = contradiction || found.name != name;
    }
};

Architecture told_by_machine(const Recording& recording) {
    const auto* section = recording.feature(Feature::e_machine);
    if (section == nullptr || !section->inside_file) return {};
    const auto content = recording.read_feature(Feature::e_machine);
    if (!content) return {};
    const auto machine = ElfMachine::decode(Cursor(*content, recording.order(), {.where = "feature E_MACHINE"}));
    if (!machine) return {};
    return {std::string(elf_architecture(machine->machine, recording.order().endian())), "the feature E_MACHINE"};
}

}  // namespace

std::string_view elf_architecture(std::uint32_t machine, std::endian endian) {
    const auto* known = find_arch(machine, endian);
    if (known != nullptr) return known->name;
    // CPUs with only one byte order: the file was rewritten in the other one.
    known = find_arch(machine, endian == std::endian::little ? std::endian::big : std::endian::little);
    if (known == nullptr) return {};
    const auto family = known->family;
    const bool one_order = family == ArchFamily::x86 || family == ArchFamily::loongarch;
    return one_order ? known->name : std::string_view();
}

std::string_view path_architecture(std::string_view path) {
    const auto slash = path.rfind('/');
    const auto last = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (const auto* known = std::ranges::find(loaders, last, &PathSign::sign); known != loaders.end())
        return known->name;
    for (const auto& folder : folders) {
        if (path.find(folder.sign) != std::string_view::npos) return folder.name;
    }
    return {};
}

Architecture find_architecture(const Recording& recording, const Watch& watch) {
    if (!recording.arch().empty()) return {recording.arch(), {}};
    if (const auto* model = recording.stored()) {
        return {std::string(model->text(model->facts.code_arch)),
                std::string(model->text(model->facts.code_arch_from))};
    }
    if (auto told = told_by_machine(recording); !told.name.empty()) return told;
    RecordSigns signs;
    Completeness seen;
    // The walk fails only if it was stopped, or if memory runs out.
    if (!walk(recording, seen, signs, {.stop = watch.stop, .progress = watch.progress}) || signs.contradiction)
        return {};
    return std::move(signs.found);
}

}  // namespace perfdata
