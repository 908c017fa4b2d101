// SPDX-License-Identifier: MIT
#include "bpf_code.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "format/words.hpp"

namespace perfdata::tool {
namespace {

std::string_view without_indent(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t\n\v\f\r");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// ShownLines finds the source line to print in front of each instruction, as libbpf does for bpftool: the last line
// that has begun there, of those behind the ones counted as printed, and each instruction counts one. So a line may
// come twice where two entries begin at one instruction.
class ShownLines {
  public:
    explicit ShownLines(const std::vector<LineStart>& lines) : lines_(lines) {}

    // at(offset): offsets must not fall. Null: none.
    const SourceLine* at(std::uint64_t offset) {
        if (counted_ >= lines_.size() || lines_[counted_].offset > offset) return nullptr;
        reached_ = std::max(reached_, counted_);
        while (reached_ + 1 < lines_.size() && lines_[reached_ + 1].offset <= offset) ++reached_;
        ++counted_;
        return &lines_[reached_].source;
    }

  private:
    const std::vector<LineStart>& lines_;
    std::size_t counted_ = 0, reached_ = 0;
};

}  // namespace

std::string bpftool_prototype(std::string_view prototype) {
    for (const std::string_view linkage : {"static ", "extern "}) {
        if (prototype.starts_with(linkage)) prototype.remove_prefix(linkage.size());
    }
    std::string text;
    for (std::size_t index = 0; index < prototype.size(); ++index) {
        text += prototype[index];
        const auto next = index + 1 < prototype.size() ? prototype[index + 1] : ' ';
        if (prototype[index] == '*' && next != ' ' && next != ',' && next != ')') text += ' ';
    }
    return text;
}

struct BpfCode::Decoded {
    std::vector<Instruction> instructions;
    std::vector<LineStart> lines;
    std::optional<Error> missing;  // the code
    bool cut = false;
};

BpfCode::BpfCode(const BpfPrograms& programs, std::string_view arch, bool linum, const Limits& limits)
    : programs_(programs),
      disassembler_(Disassembler::create(arch)),
      linum_(linum),
      most_(limits.listed_instructions),
      left_(4 * limits.listed_instructions) {}

BpfCode::Decoded BpfCode::decode(CodeIndex index) {
    Decoded decoded;
    const auto image = programs_.image(index);
    if (!image || !disassembler_) {
        decoded.missing = image ? disassembler_.error() : image.error();
        return decoded;
    }
    const auto begin = programs_.timeline().code()[index].range.begin;
    decoded.instructions = disassembler_->decode(*image, begin, std::min(most_, left_));
    left_ -= decoded.instructions.size();
    const auto& last = decoded.instructions;
    decoded.cut = last.empty() || last.back().offset + last.back().size < image->size();
    if (decoded.cut) ++left_out_;
    if (auto lines = programs_.lines(index)) decoded.lines = std::move(*lines);
    return decoded;
}

std::string BpfCode::source_text(const SourceLine& line) const {
    auto text = fmt::format("; {}", printable(InLine(without_indent(line.text))));
    if (linum_) {
        fmt::format_to(std::back_inserter(text), " [file:{} line_num:{} line_col:{}]",
                       printable(InLine(line.file, InLine::Keep::end)), line.line, line.column);
    }
    return text + '\n';
}

std::string BpfCode::text(CodeIndex index) {
    const auto& code = programs_.timeline().code()[index];
    const auto name = programs_.name(index);
    std::string text;
    if (!name.prototype.empty()) text += shown(bpftool_prototype(name.prototype)) + ":\n";
    // The kernel names the first function by the tag of the whole program; perf by the function's own.
    const auto symbol = parse_bpf_symbol(code.symbol);
    if (symbol && code.load && code.subprogram == 0) {
        const auto tag = hex(programs_.timeline().loads()[*code.load].tag);
        text += fmt::format("bpf_prog_{}{}{}:\n", tag, symbol->name.empty() ? "" : "_", shown(symbol->name));
    } else {
        text += shown(code.symbol) + ":\n";
    }
    const auto decoded = decode(index);
    if (decoded.missing) return text + fmt::format("(no code: {})\n\n", shown(decoded.missing->detail));
    ShownLines lines(decoded.lines);
    for (const auto& instruction : decoded.instructions) {
        if (const auto* line = lines.at(instruction.offset)) text += source_text(*line);
        fmt::format_to(std::back_inserter(text), "{:4x}:\t{}{}{}\n", instruction.offset, instruction.mnemonic,
                       instruction.operands.empty() ? "" : "\t", instruction.operands);
    }
    if (decoded.cut) text += "(the rest is left out: too many instructions)\n";
    return text + '\n';
}

void BpfCode::write(const Listed& listed, const Sink& sink) {
    if (listed.loads.size() != 1) {
        if (const auto headline = listed.counts.headline("entries"); !headline.empty()) sink(headline + "\n\n");
    }
    if (programs_.timeline().loads().empty()) return sink("No BPF programs in this recording.\n");
    if (listed.loads.empty()) return sink("No BPF program passes the filters.\n");
    for (const auto& one : listed.loads) {
        const auto& load = *one.load;
        if (listed.loads.size() > 1) {
            const auto name = programs_.program_name(load);
            sink(fmt::format("{}: {}  name {}  tag {}\n", load.id.value,
                             load.info == nullptr ? "unknown type" : program_type(load.info->type),
                             name.empty() ? "(no name)" : shown(name), hex(load.tag)));
        }
        for (const auto index : one.functions) sink(text(index));
    }
}

void BpfCode::write(CodeIndex index, JsonWriter& json) {
    json.key("instructions");
    const auto decoded = decode(index);
    if (decoded.missing) return json.null();
    json.begin_array();
    ShownLines lines(decoded.lines);
    for (const auto& instruction : decoded.instructions) {
        json.begin_object();
        json.member("offset", instruction.offset);
        json.member("mnemonic", instruction.mnemonic);
        json.member("operands", instruction.operands);
        if (const auto* line = lines.at(instruction.offset)) {
            json.member("file", std::string_view(InLine(line->file, InLine::Keep::end)));
            json.member("line", line->line);
            json.member("column", line->column);
            json.member("text", std::string_view(InLine(without_indent(line->text))));
        }
        json.end_object();
    }
    json.end_array();
    if (decoded.cut) json.member("instructions_cut", true);
}

}  // namespace perfdata::tool
