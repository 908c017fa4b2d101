// SPDX-License-Identifier: MIT
// A complete crafted program: code of two functions, BTF, lines. Tests remove parts of it.
#pragma once

#include "support/scene.hpp"
#include "unit/symbols/btf_builder.hpp"

namespace perfdata::test {

struct CraftedLine {
    std::uint64_t address = 0;
    std::uint32_t instruction = 0;
    std::string file, text;
    std::uint32_t line = 0, column = 0;
};

class CraftedProgram {
  public:
    explicit CraftedProgram(Program program, std::endian order = std::endian::little)
        : program_(std::move(program)), info_(info_of(program_, order)), btf_(order), order_(order) {}

    // code(bytes): the native code of all functions in a row.
    CraftedProgram& code(const Blob& bytes) {
        info_.array(BpfArray::jited_insns, static_cast<std::uint32_t>(bytes.size()), bytes);
        return *this;
    }
    // names(...) gives every function a BTF FUNC "int NAME(void)", all static except the first.
    CraftedProgram& names(const std::vector<std::string>& names) {
        Writer functions(order_);
        const auto prototype = btf_.prototype(btf_.integer("int"));
        std::uint32_t instruction = 0;
        for (const auto& name : names) {
            const auto linkage = instruction == 0 ? BtfBuilder::is_global : BtfBuilder::is_static;
            functions.u32(instruction++).u32(btf_.function(name, prototype, linkage));
        }
        info_.array(BpfArray::func_info, static_cast<std::uint32_t>(names.size()), functions.blob());
        return with_btf();
    }
    CraftedProgram& lines(const std::vector<CraftedLine>& lines) {
        Writer table(order_);
        std::vector<std::uint64_t> addresses;
        for (const auto& line : lines) {
            table.u32(line.instruction).u32(btf_.text(line.file)).u32(btf_.text(line.text));
            table.u32(line.line << 10 | line.column);
            addresses.push_back(line.address);
        }
        info_.array(BpfArray::line_info, static_cast<std::uint32_t>(lines.size()), table.blob());
        return line_addresses(addresses).with_btf();
    }
    CraftedProgram& line_addresses(const std::vector<std::uint64_t>& addresses) {
        const auto count = static_cast<std::uint32_t>(addresses.size());
        info_.array(BpfArray::jited_line_info, count, array_u64(order_, addresses));
        return *this;
    }
    CraftedProgram& with_btf() {
        info_.u32(info_field::btf_id, btf_id());
        return *this;
    }

    ProgramInfo& info() { return info_; }
    BtfBuilder& btf() { return btf_; }
    const Program& program() const { return program_; }
    std::uint32_t btf_id() const { return 1000 + program_.id; }

    // known_in(scene), loaded_in(scene) add records, info and BTF.
    void known_in(Scene& scene) const { parts(scene.known(program_)); }
    void loaded_in(Scene& scene, Stamp at) const { parts(scene.loaded(at, program_)); }

  private:
    void parts(Scene& scene) const { scene.info(info_).btf(btf_id(), btf_.blob()); }

    Program program_;
    ProgramInfo info_;
    BtfBuilder btf_;
    std::endian order_;
};

}  // namespace perfdata::test
