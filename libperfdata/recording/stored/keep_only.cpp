// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"

#include "canonical.hpp"
#include "merge_rules.hpp"

namespace perfdata::stored {
namespace {

constexpr std::uint32_t not_recorded = ~std::uint32_t{0};

class Keeper {
  public:
    Keeper(Model& model, std::uint32_t dimensions) : model_(model), dimensions_(dimensions) {}

    void run() {
        if (drops(Dimension::symbol)) drop_symbols();
        if (drops(Dimension::line)) drop_lines();
        if (drops(Dimension::code)) drop_code();
        if (drops(Dimension::object)) drop_objects();
        if (drops(Dimension::chains)) drop_chains();
        for (auto& task : model_.tasks) keep_task(task);
    }

  private:
    bool drops(Dimension dimension) const { return (dimensions_ & bit(dimension)) == 0; }

    Ref<Text> add_text(std::string bytes) {
        model_.texts.push_back({std::move(bytes)});
        return Ref<Text>(model_.texts.size() - 1);
    }

    // What is in a function is one place of its object, or of its program.
    void drop_symbols() {
        const auto reason = add_text("symbols are not kept in the profile (--keep)");
        std::vector<Ref<Nameless>> nameless(model_.functions.size());
        for (auto& frame : model_.frames) {
            frame.offset = 0;
            frame.version = 0;
            frame.inlined.clear();
            frame.inlined_at_return.clear();
            if (!frame.function) continue;
            const auto& function = model_.at(frame.function);
            auto& of = nameless[frame.function.number];
            if (!of) {
                Nameless row;
                row.object = function.object_name;
                row.kind = function.kind_of_code;
                row.miss = no_symbols;
                row.reason = reason;
                of = Ref<Nameless>(model_.nameless.size());
                model_.nameless.push_back(row);
            }
            frame.nameless = of;
            frame.object = function.object;
            frame.code = function.code;
            // JIT code and memory with names are told apart by their objects alone.
            frame.kind = function.kind;
            if (function.kind.is(frame_kind::jit)) frame.kind = frame_kind::memory;
            frame.number = 0;
            if (function.kind.is(frame_kind::nowhere)) frame.number = function.number;
            frame.function = {};
        }
        for (auto& code : model_.codes) {
            code.name = code.program = code.prototype = {};
            if (drops(Dimension::object)) code.symbol = {};
        }
        model_.functions.clear();
        model_.versions.clear();
        model_.lines.clear();
        model_.inlined.clear();
        model_.branches.clear();
    }

    void drop_lines() {
        model_.lines.clear();
        model_.facts.left_out.clear();  // text of lines
        for (auto& frame : model_.frames) {
            frame.place = {};
            frame.calls = {};
            frame.line_problem.clear();
            frame.lines_from = {};
        }
    }

    void drop_code() {
        Ref<Text> reason;
        for (auto& version : model_.versions) {
            if (!reason) reason = add_text("code is not kept in the profile (--keep)");
            Problem problem;
            problem.code = ErrorCode::missing;
            problem.where = model_.at(version.function).symbol;
            problem.detail = reason;
            version.differs = false;
            version.image = {};
            version.image.absent = true;
            version.image.problems.push_back(problem);
        }
        for (auto& function : model_.functions) drop_place(function);
    }

    static void drop_place(Function& function) {
        function.place_kind = {};
        function.place_from = {};
        function.place_begin = 0;
    }

    void drop_objects() {
        for (auto& object : model_.objects) {
            const auto kind = object.kind;
            const auto base = object.base;
            object = {};
            object.kind = kind;
            object.base = base;
            object.file.missing = true;
        }
        for (auto& row : model_.nameless) row.object = {};
        for (auto& frame : model_.frames) frame.lines_from = {};
        for (auto& row : model_.inlined) row.object_name = {};
        for (auto& function : model_.functions) {
            function.object_name = {};
            drop_place(function);
        }
        for (auto& lines : model_.lines) lines.from = {};
        for (auto& version : model_.versions) version.image.origin = {};
    }

    void drop_chains() {
        for (auto& node : model_.nodes) {
            node.caller = {};
            node.returns = false;
        }
        model_.branches.clear();
    }

    void keep_task(Task& task) const {
        if (task.further) return;
        if (drops(Dimension::pid)) task.pid = 0;
        // A thread without a name is known by its number.
        if (drops(Dimension::tid) && (task.comm || drops(Dimension::comm))) task.tid = 0;
        if (drops(Dimension::comm)) task.comm = {};
        if (drops(Dimension::cpu)) task.cpu = not_recorded;
        if (drops(Dimension::cgroup)) task.cgroup = {};
    }

    static constexpr std::uint8_t no_symbols = 8;  // SymbolMiss::no_symbols

    Model& model_;
    std::uint32_t dimensions_;
};

}  // namespace

Model keep_only(Model model, std::uint32_t dimensions) {
    dimensions &= model.facts.keeps;  // what is gone already decides on other things, too
    if ((dimensions & bit(Dimension::symbol)) == 0) dimensions &= ~(bit(Dimension::line) | bit(Dimension::code));
    Keeper(model, dimensions).run();
    model.facts.keeps = dimensions;
    if (model.facts.merged) {
        // What is alike now would be one row if this had been left out before merging: programs of other loads, kernels
        // at other places.
        Unifier<MergeRules>(model).run(nullptr);
    }
    return canonical(std::move(model));
}

}  // namespace perfdata::stored
