// SPDX-License-Identifier: MIT
// Fuzz target: unwind information of any bytes, and stacks of any bytes that are unwound with it. The input is
//
//     u8 architecture, u8 choices, u16 sizes of the section, of its table (.eh_frame_hdr, or .ARM.extab) and of the
//     stack; these three; then registers, two bytes each: distance from the section's or the stack's begin
#include <algorithm>
#include <vector>

#include "promise.hpp"
#include "symbols/unwind/arm_exidx.hpp"
#include "symbols/unwind/cfi_expression.hpp"
#include "symbols/unwind/cfi_section.hpp"
#include "symbols/unwind/frame_pointer.hpp"
#include "symbols/unwind/frame_step.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::uint64_t section_at = 0x10000, table_at = 0x8000, stack_at = 0x7000;
constexpr std::size_t most_frames = 64, most_functions = 64, most_rows = 64;

struct Architecture {
    ArchFamily family;
    unsigned address_bytes;
};
constexpr Architecture architectures_here[] = {
    {ArchFamily::x86, 8},  {ArchFamily::x86, 4},     {ArchFamily::arm64, 8},   {ArchFamily::arm, 4},
    {ArchFamily::s390, 8}, {ArchFamily::powerpc, 8}, {ArchFamily::powerpc, 4}, {ArchFamily::riscv, 8},
};

// Copies, so that no view reaches into the bytes behind.
std::vector<std::byte> copy_of(Bytes bytes) {
    return {bytes.begin(), bytes.end()};
}

bool same(const RegisterFile& one, const RegisterFile& other) {
    bool equal = one.pc == other.pc && one.known_slots() == other.known_slots();
    for (Slot slot = 0; slot < slot_count; ++slot) equal = equal && one.value(slot) == other.value(slot);
    return equal;
}

// Scene is all that an input has.
struct Scene {
    UnwindTarget target;
    AnyOrder order;
    RegisterFile registers;
    std::vector<std::byte> section, table, stack;
    bool debug_frame = false, tables_of_arm = false;
    std::uint64_t first_code = 0;

    StackMemory memory() const { return {stack, stack_at, order, stack_at + 0x10000}; }
};

void check_row(const UnwindRow& row, std::uint64_t vaddr, const RuleSpill& spill) {
    require(row.contains(vaddr) && row.begin <= vaddr && vaddr < row.end());
    require(row.return_slot < slot_count && row.cfa_slot < slot_count);
    int last = -1;
    std::size_t count = 0;
    row.for_each_rule(spill, [&](const UnwindRule& rule) {
        require(rule.slot > last && rule.slot < slot_count);
        require(rule.kind != RuleKind::in_slot || static_cast<std::uint32_t>(rule.value) < slot_count);
        last = rule.slot;
        ++count;
        return true;
    });
    require(count == row.count);
}

// Steps once by a row, and checks what step() promises. Returns true if there is a caller.
bool go_on(const Scene& scene, const UnwindRow& row, const RuleSpill& spill, RegisterFile& registers) {
    const RowSource source{&spill, scene.debug_frame ? Bytes() : Bytes(scene.section),
                           scene.debug_frame ? Bytes(scene.section) : Bytes(), 0x1000, scene.order};
    const auto before = registers;
    ExpressionBudget budget;
    const auto outcome = step(scene.target, row, source, scene.memory(), registers, budget);
    require(!to_string(outcome).empty() && to_string(outcome) != "unknown");
    if (outcome != StepOutcome::ok) {
        require(same(registers, before));
        return false;
    }
    require(registers.pc != 0 && registers.pc <= scene.target.address_mask());
    require(registers.value(row.return_slot) == registers.pc);
    return true;
}

void check_sections(const Scene& scene) {
    CfiInput input;
    input.format = scene.debug_frame ? CfiInput::Format::debug_frame : CfiInput::Format::eh_frame;
    input.order = scene.order;
    input.section = scene.section;
    input.address = section_at;
    input.table = scene.table;
    input.table_address = table_at;
    input.text_address = 0x1000;
    input.data_address = 0x20000;
    input.first_code = scene.first_code;
    auto limits = fuzz::small_limits();
    limits.cfi_entries = 1024;
    limits.cfi_row_instructions = 256;
    const auto opened = CfiSection::open(input, scene.target, limits);
    if (!opened) return require(!opened.error().message().empty());

    RuleSpill spill;
    auto registers = scene.registers;
    for (std::size_t frame = 0; frame < most_frames; ++frame) {
        const auto row = opened->row_at(registers.pc, spill);
        if (!row) {
            require(!row.error().message().empty());
            break;
        }
        if (!*row) break;
        check_row(**row, registers.pc, spill);
        const auto again = opened->row_at(registers.pc, spill);
        require(again && *again && (*again)->begin == (*row)->begin && (*again)->size == (*row)->size);
        if (!go_on(scene, **row, spill, registers)) break;
    }

    std::size_t functions = 0;
    const auto visited = opened->functions([&](const CfiFunction& function) {
        require(function.begin <= function.end);
        std::size_t rows = 0;
        bool cut = false;
        std::uint64_t end = function.begin;
        const auto all = opened->rows(function, spill, [&](const UnwindRow& row) {
            // Rows follow on each other, but for those that are too large to be visited as a whole.
            require(row.size != 0 && (row.begin == end || cut));
            end = row.end();
            cut = cut || row.size == UINT32_MAX;
            check_row(row, row.begin, spill);
            auto caller = scene.registers;
            (void)go_on(scene, row, spill, caller);
            return ++rows < most_rows;
        });
        if (all && rows < most_rows && !cut) require(end == function.end);
        return ++functions < most_functions;
    });
    if (!visited) require(!visited.error().message().empty());
    const auto damage = opened->damage();
    if (damage) require(!damage->message().empty());
}

void check_tables_of_arm(const Scene& scene) {
    ArmTables tables;
    tables.order = scene.order;
    tables.index = scene.section;
    tables.index_address = section_at;
    tables.table = scene.table;
    tables.table_address = table_at;
    const auto opened = ArmExidx::open(tables);
    if (!opened) return require(!opened.error().message().empty());
    require(opened->size() == scene.section.size() / 8);
    RuleSpill spill;
    auto registers = scene.registers;
    for (std::size_t frame = 0; frame < most_frames; ++frame) {
        const auto row = opened->row_at(registers.pc, spill);
        if (!row) return require(!row.error().message().empty());
        if (!*row) return;
        check_row(**row, registers.pc, spill);
        if (!go_on(scene, **row, spill, registers)) return;
    }
}

void check_chain(const Scene& scene) {
    const auto memory = scene.memory();
    auto registers = scene.registers;
    for (std::size_t frame = 0; frame < most_frames; ++frame) {
        const auto before = registers;
        if (step_by_frame_pointer(scene.target, memory, registers) != StepOutcome::ok) {
            require(same(registers, before));
            break;
        }
        require(registers.pc != 0);
    }
    const auto before = registers;
    if (step_from_leaf(scene.target, memory, registers, 1) != StepOutcome::ok) require(same(registers, before));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const auto& architecture = architectures_here[choices.u8() % std::size(architectures_here)];
    const auto chosen = choices.u8();
    Scene scene{UnwindTarget::of(architecture.family, architecture.address_bytes).value(),
                AnyOrder((chosen & 1) != 0 ? std::endian::big : std::endian::little),
                {},
                {},
                {},
                {}};
    scene.debug_frame = (chosen & 2) != 0;
    scene.tables_of_arm = (chosen & 4) != 0;
    scene.first_code = (chosen & 8) != 0 ? 0x1000 : 0;
    const auto section_bytes = choices.u16(), table_bytes = choices.u16(), stack_bytes = choices.u16();
    scene.section = copy_of(choices.bytes(section_bytes));
    scene.table = copy_of(choices.bytes(table_bytes));
    scene.stack = copy_of(choices.bytes(stack_bytes));
    scene.registers.pc = choices.u16();
    scene.registers.set(scene.target.stack_pointer(), stack_at);
    for (Slot slot = 0; slot < slot_count && !choices.empty(); ++slot) {
        if (!scene.target.dwarf_number(slot)) continue;
        const auto distance = choices.u16();
        if (distance != UINT16_MAX) scene.registers.set(slot, stack_at + distance);
    }
    if (!scene.target.has_link_register()) scene.registers.set(scene.target.return_slot(), scene.registers.pc);

    if (scene.tables_of_arm) {
        check_tables_of_arm(scene);
    } else {
        check_sections(scene);
    }
    check_chain(scene);
    const auto memory = scene.memory();
    const ExpressionInput input{scene.target, scene.registers, memory, scene.order, 0x1000, 0x7040};
    ExpressionBudget budget;
    (void)compute(scene.table, 0, input, budget);
    require(budget.operations <= ExpressionBudget().operations);
    return 0;
}
