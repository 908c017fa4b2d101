// SPDX-License-Identifier: MIT
#include "file_frames.hpp"

#include "catch.hpp"

namespace oracle {

using namespace perfdata;

namespace {

// register_names(machine) returns readelf's names by DWARF number; those without name are "r5".
std::vector<std::string> register_names(std::uint16_t machine) {
    switch (machine) {
        case em_x86_64:
            return {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
        case em_386: return {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"};
        case em_aarch64: {
            std::vector<std::string> names;
            for (int number = 0; number < 31; ++number) names.push_back("x" + std::to_string(number));
            names.emplace_back("sp");
            return names;
        }
        case em_s390:
            return {"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6", "r7",  "r8",  "r9", "r10",
                    "r11", "r12", "r13", "r14", "r15", "f0",  "f2", "f4",  "f6",  "f1", "f3",
                    "f5",  "f7",  "f8",  "f10", "f12", "f14", "f9", "f11", "f13", "f15"};
        case em_riscv:
            return {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
        default: return {};
    }
}

}  // namespace

FileFrames::FileFrames(const std::string& path)
    : elf_(ElfFile::open(open_source(path, {}).value()).value()), names_(register_names(elf_.machine())) {
    const auto* arch = find_arch(elf_.machine(), elf_.order().endian());
    REQUIRE(arch != nullptr);
    target_ = UnwindTarget::of(arch->family, elf_.wide() ? 8 : 4);
    REQUIRE(target_);
}

const CfiSection* FileFrames::open(const std::string& name) {
    constexpr std::uint32_t no_bits = 8;
    const auto* section = elf_.section(name);
    if (section == nullptr || section->type == no_bits || section->size == 0) return nullptr;
    content_ = elf_.content(*section).value();
    CfiInput input;
    input.order = elf_.order();
    input.section = as_bytes(content_);
    input.address = section->address;
    input.file_offset = section->offset;
    if (name == ".debug_frame") input.format = CfiInput::Format::debug_frame;
    if (const auto* header = elf_.section(".eh_frame_hdr"); header != nullptr && name == ".eh_frame") {
        table_ = elf_.content(*header).value();
        input.table = as_bytes(table_);
        input.table_address = header->address;
    }
    if (const auto* got = elf_.section(".got"); got != nullptr) input.data_address = got->address;
    section_ = CfiSection::open(input, *target_).value();
    return &*section_;
}

std::string FileFrames::name(Slot slot) const {
    const auto number = target_->dwarf_number(slot).value();
    return number < names_.size() ? names_[number] : "r" + std::to_string(number);
}

}  // namespace oracle
