// SPDX-License-Identifier: MIT
#include "check_rows.hpp"

#include <algorithm>
#include <functional>

#include "unify.hpp"

namespace perfdata::stored {
namespace {

constexpr std::size_t hash_bytes = 32, attr_bytes = 144, most_build_id = 20;

void promise(bool kept, std::string_view otherwise) {
    if (!kept) throw BadRow{otherwise};
}

template <class Rows, class Member>
bool ascends(const Rows& rows, Member member) {
    return std::ranges::is_sorted(rows, {}, member);
}
template <class Rows, class Member>
bool ascends_strictly(const Rows& rows, Member member) {
    return std::ranges::adjacent_find(rows, std::ranges::greater_equal(), member) == rows.end();
}

// A place that is in no function.
template <class Row>
void check_place(const Row& row) {
    promise(!row.kind.is(frame_kind::inlined), "a place is of a kind that it cannot be of");
    promise(static_cast<bool>(row.object) == row.kind.is(frame_kind::object), "a place has no object, or too many");
    promise(static_cast<bool>(row.code) == row.kind.is(frame_kind::code), "a place has no code, or too much");
    promise(!row.kind.is(frame_kind::nowhere) || row.number < MissChoice::count, "a number stands for nothing");
}

void check_image(const Image& image) {
    if (image.absent) {
        promise(image.bytes.empty() && image.gaps.empty() && image.changes.empty() && image.relocations.empty() &&
                    image.targets.empty(),
                "code that is absent has bytes");
        return promise(image.problems.size() == 1, "code that is absent does not say why");
    }
    promise(!image.bytes.empty(), "code has no bytes");
    std::uint64_t end = 0;
    for (const auto& gap : image.gaps) {
        promise(gap.offset >= end && gap.offset <= image.bytes.size() && gap.size <= image.bytes.size() - gap.offset,
                "a gap is not inside of the code");
        end = gap.offset + gap.size;
    }
    for (const auto& change : image.changes) {
        promise(change.before.size() == change.after.size(), "a change has more bytes before than after");
    }
    promise(ascends(image.changes, &Change::time), "changes are not in their order");
    promise(ascends(image.relocations, &Relocation::offset), "relocations are not in their order");
    promise(ascends_strictly(image.targets, std::identity()), "targets are not in their order");
    promise(std::ranges::all_of(image.targets, [](const Target& one) { return static_cast<bool>(one.name); }),
            "a target has no name");
}

void check_log(const Log& log) {
    promise(log.kept.size() <= log.count, "more losses are kept than there were");
}

bool has_objects(const std::vector<ObjectSum>& sums) {
    return ascends_strictly(sums, &ObjectSum::object) &&
           std::ranges::all_of(sums, [](const ObjectSum& sum) { return static_cast<bool>(sum.object); });
}

}  // namespace

void RowChecker::look_at(const Source& row) const {
    promise(row.content.size() == hash_bytes, "the hash of a recording has another length");
    promise(row.times != 0, "a recording is there 0 times");
    promise(model_.sources.empty() || model_.sources.back().content != row.content, "a recording is there twice");
}

void RowChecker::look_at(const Event& row) const {
    promise(row.name && row.perf_name, "an event has no name");
    promise(row.attr.size() == attr_bytes, "an attr has another length");
    promise(!row.from_zero || row.first_time == 0, "an event has two first samples");
}

void RowChecker::look_at(const Object& row) const {
    promise(row.build_id.size() <= most_build_id, "a build id is too long");
}

void RowChecker::look_at(const Load& row) const {
    promise(row.problem.size() <= 1, "a program has too many problems");
}

void RowChecker::look_at(const Call& row) const {
    promise(static_cast<bool>(row.place), "a call has no place");
}

void RowChecker::look_at(const Function& row) const {
    check_place(row);
    promise(static_cast<bool>(row.symbol), "a function has no name");
    promise(row.code_hash.size() == (row.kind.is(frame_kind::jit) ? hash_bytes : 0),
            "the hash of code has another length");
}

void RowChecker::look_at(const Version& row) const {
    promise(static_cast<bool>(row.function), "a version is of no function");
    const auto& versions = model_.versions;
    const bool same = !versions.empty() && versions.back().function == row.function;
    const auto next = versions.empty() ? 0 : versions.back().function.number + 1;
    promise(same ? row.number == versions.back().number + 1 : row.function.number == next && row.number == 0,
            "versions do not follow each other");
    check_image(row.image);
}

void RowChecker::look_at(const Lines& row) const {
    promise(static_cast<bool>(row.function), "lines are of no function");
    promise(model_.lines.empty() || model_.lines.back().function < row.function, "a function has lines twice");
    promise(row.problem.size() <= 1 && (!row.failed || row.problem.size() == 1), "lines have too many problems");
    promise(!row.failed || row.starts.empty(), "lines are there that could not be read");
    promise(ascends(row.starts, &LineStart::offset), "lines are not in their order");
    promise(std::ranges::all_of(row.starts, [](const LineStart& one) { return static_cast<bool>(one.place); }),
            "a line has no place");
}

void RowChecker::look_at(const Inlined& row) const {
    promise(row.object && row.name, "an inlined function has no name");
}

void RowChecker::look_at(const Frame& row) const {
    Ref<Object> object = row.object;
    if (row.function) {
        const auto& function = model_.at(row.function);
        promise(row.kind == function.kind && !row.object && !row.code && row.number == 0 && !row.nameless &&
                    !row.place && !row.calls && row.line_problem.empty(),
                "a frame is in a function and elsewhere");
        object = function.object;
    } else {
        check_place(row);
        promise(!row.kind.is(frame_kind::jit), "a frame is of a kind that it cannot be of");
        promise(static_cast<bool>(row.nameless), "a frame does not say why it has no name");
        promise(row.place || !row.calls, "a frame has calls without a line");
    }
    promise(row.line_problem.size() <= 1 && (!row.lines_from || row.line_problem.size() == 1),
            "a frame has too many problems");
    for (const auto* list : {&row.inlined, &row.inlined_at_return}) {
        const auto is_there = [&](Ref<Inlined> inlined) { return object && model_.at(inlined).object == object; };
        promise(std::ranges::all_of(*list, is_there), "a function is inlined elsewhere");
        promise(list->size() <= most_depth, "a chain is too deep");
    }
}

void RowChecker::look_at(const Node& row) const {
    promise(static_cast<bool>(row.frame), "a chain has no frame");
}

void RowChecker::look_at(const Cell& row) const {
    promise(row.task && row.node && row.event && row.hits != 0, "a count counts nothing");
    promise(model_.cells.empty() || PlainRules::key(model_.cells.back()) < PlainRules::key(row),
            "the same is counted twice");
}

void RowChecker::look_at(const Branch& row) const {
    promise(row.task && row.event && row.from && row.to && row.times != 0, "a branch counts nothing");
    promise(model_.branches.empty() || PlainRules::key(model_.branches.back()) < PlainRules::key(row),
            "the same is counted twice");
}

void RowChecker::finish() const {
    promise(!model_.texts.empty() && model_.texts.front().bytes.empty(), "the empty text is missing");
    const auto described = model_.versions.empty() ? 0 : model_.versions.back().function.number + std::size_t{1};
    promise(described == model_.functions.size(), "a function has no version");
    std::vector<Ref<Text>> names;
    for (const auto& event : model_.events) names.push_back(event.name);
    std::ranges::sort(names);
    promise(ascends_strictly(names, std::identity()), "two events have one name");
    const auto& facts = model_.facts;
    each_ref(facts, [&]<class Target>(const Ref<Target>& ref) {
        promise(ref.number < model_.table<Target>().size(), "it refers to a row that is not there");
    });
    promise((facts.keeps & ~all_dimensions) == 0, "a number stands for nothing");
    promise(facts.stacks_by_end.size() <= stack_end_choices, "stacks end for unknown reasons");
    promise(ascends_strictly(facts.records, &RecordSum::type), "a type of record is there twice");
    promise(ascends_strictly(facts.short_copies, &SizeSum::size), "a size of copies is there twice");
    promise(has_objects(facts.without_file) && has_objects(facts.without_information), "an object is there twice");
    check_log(facts.diagnostics);
    check_log(facts.losses);
    promise(ascends_strictly(facts.left_out, &LeftOut::what), "the same is left out twice");
    promise(std::ranges::all_of(facts.left_out, [](const LeftOut& row) { return row.what && row.number != 0; }),
            "nothing is left out");
}

}  // namespace perfdata::stored
