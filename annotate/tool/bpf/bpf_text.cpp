// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <iterator>
#include <string>

#include "format/words.hpp"
#include "tool/bpf/bpf_facts.hpp"
#include "tool/bpf/bpf_page.hpp"

namespace perfdata::tool {
namespace {

std::string life_text(Time from, Time until) {
    return fmt::format("{} to {}", from == Time{} ? "before the recording" : seconds(from),
                       until == Time::forever() ? "its end" : seconds(until));
}

// BpfText writes in blocks: prototypes repeat names, so the text may be many times the size of the recording.
class BpfText {
  public:
    BpfText(const BpfView& view, const Sink& sink) : view_(view), sink_(sink) {}

    void write() {
        if (const auto headline = view_.listed.counts.headline("entries"); !headline.empty()) {
            text_ += headline + "\n\n";
        }
        for (const auto& one : view_.listed.loads) load(one);
        if (!view_.listed.others.empty()) text_ += "Trampolines, dispatchers and functions of unknown programs\n";
        for (const auto index : view_.listed.others) function(index);
        if (const auto others = variables_text(view_.variables.others()); !others.empty()) {
            text_ += "Variables of programs that are not listed\n" + others;
        }
        if (!view_.listed.loads.empty()) {
            if (!view_.listed.others.empty()) text_ += '\n';
            text_ += "Not in the recording: attach types, BPF instructions (xlated), names of maps\n";
        }
        flush(0);
        if (!any_) sink_("No BPF programs in this recording.\n");
    }

  private:
    void flush(std::size_t held) {
        any_ = any_ || !text_.empty();
        if (text_.size() <= held) return;
        sink_(text_);
        text_.clear();
    }

    void function(CodeIndex index) {
        const auto& code = view_.timeline().code()[index];
        const auto name = view_.programs.name(index);
        line(code.load ? std::to_string(code.subprogram) : std::string(), hex(code.range.begin),
             std::to_string(code.range.size), shown(name.prototype.empty() ? name.name : name.prototype));
        if (!code.load) {
            line({}, {}, {}, life_text(code.from, code.until));
            if (const auto image = image_text(view_, index); !image.empty()) line({}, {}, {}, image);
        }
        flush(block);
    }

    void line(const std::string& number, const std::string& address, const std::string& size, const std::string& what) {
        fmt::format_to(std::back_inserter(text_), "  {:>3}  {:>18} {:>6}  {}\n", number, address, size, what);
    }

    void load(const ListedLoad& one) {
        const auto& load = *one.load;
        const auto name = view_.programs.program_name(load);
        fmt::format_to(std::back_inserter(text_), "{}  {}  {}  tag {}", load.id.value,
                       name.empty() ? "(no name)" : shown(name),
                       load.info == nullptr ? "unknown type" : program_type(load.info->type), hex(load.tag));
        if (load.info != nullptr && load.info->btf_id != 0) {
            fmt::format_to(std::back_inserter(text_), "  BTF {}", load.info->btf_id);
        }
        fmt::format_to(std::back_inserter(text_), "\n  there from {}; code: {}\n",
                       life_text(load.loaded_at, load.unloaded_at), shown(code_state(view_.programs, load)));
        if (const auto problem = view_.programs.problem(load)) {
            fmt::format_to(std::back_inserter(text_), "  {}\n", shown(problem->message()));
        }
        text_ += facts_text(view_, load);
        for (const auto index : one.functions) function(index);
        if (one.left_out() != 0) {
            fmt::format_to(std::back_inserter(text_), "  ({} of its functions left out)\n", one.left_out());
        }
        text_ += '\n';
        flush(block);
    }

    static constexpr std::size_t block = 1 << 16;
    const BpfView& view_;
    const Sink& sink_;
    std::string text_;
    bool any_ = false;
};

}  // namespace

void write_bpf_text(const BpfView& view, const Sink& sink) {
    BpfText(view, sink).write();
}

}  // namespace perfdata::tool
