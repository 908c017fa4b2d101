// SPDX-License-Identifier: MIT
// DwarfLines for a library built without libdw.
#include "dwarf_lines.hpp"

namespace perfdata {

struct DwarfLines::State {};

DwarfLines::DwarfLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
DwarfLines::DwarfLines(DwarfLines&&) noexcept = default;
DwarfLines& DwarfLines::operator=(DwarfLines&&) noexcept = default;
DwarfLines::~DwarfLines() = default;

bool DwarfLines::available() {
    return false;
}

Result<DwarfLines> DwarfLines::open(const DwarfFiles&, const Limits&) {
    return fail(ErrorCode::unsupported, Error::no_offset, "DWARF",
                "this perfdata was built without libdw; install libdw-dev and build it with -DPERFDATA_DWARF=ON");
}

Result<DwarfLines> DwarfLines::open(const DwarfFiles& files, const Limits& limits, LookOut&) {
    return open(files, limits);
}

void DwarfLines::unpack_lines(const LookOut&) const {}

Result<std::vector<LineStart>> DwarfLines::lines(std::uint64_t, std::uint64_t) const {
    return std::vector<LineStart>{};
}

Result<std::vector<CompiledLine>> DwarfLines::compiled(std::uint64_t, std::uint64_t) const {
    return std::vector<CompiledLine>{};
}

Result<InlinedFunctions> DwarfLines::inlined_at(std::uint64_t) const {
    return InlinedFunctions{};
}

std::uint64_t DwarfLines::memory() const {
    return 0;
}

bool DwarfLines::intact() const {
    return true;
}

std::optional<Error> DwarfLines::problem(std::span<const LineStart>) const {
    return {};
}

}  // namespace perfdata
