// SPDX-License-Identifier: MIT
#include "merge_rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/attr.hpp"

#include "shared_facts.hpp"

namespace perfdata::stored {
namespace {

constexpr std::uint64_t for_ever = ~std::uint64_t{0};

template <class Value>
void take_least(Value& into, const Value& other) {
    if (other < into) into = other;
}
template <class Value>
void take_most(Value& into, const Value& other) {
    if (into < other) into = other;
}
void sum(std::uint64_t& into, std::uint64_t other) {
    into = add_up_to_most(into, other);
}

// take_least_of(into, other, members...) takes the least of several members together, so that they stay of one row.
template <class Row, class... Member>
void take_least_of(Row& into, const Row& other, Member Row::*... members) {
    if (std::tie(other.*members...) < std::tie(into.*members...)) ((into.*members = other.*members), ...);
}

// What one of them can sample, the whole can show.
std::string joined(const std::string& one, const std::string& other) {
    const auto a = decode_attr(one), b = decode_attr(other);
    const auto rest = [](Attr attr) {
        attr.sample_type = attr.branch_sample_type = 0;
        return encode_attr(attr);
    };
    const auto rest_of_a = rest(a), rest_of_b = rest(b);
    auto least = std::tie(b.sample_period, rest_of_b) < std::tie(a.sample_period, rest_of_a) ? b : a;
    least.sample_type = a.sample_type | b.sample_type;
    least.branch_sample_type = a.branch_sample_type | b.branch_sample_type;
    return encode_attr(least);
}

}  // namespace

void MergeRules::combine(Source& into, const Source& other) {
    sum(into.times, other.times);
    take_least_of(into, other, &Source::hostname, &Source::os_release, &Source::perf_version, &Source::cpu_description,
                  &Source::command_line, &Source::wall_time);
}

void MergeRules::normalise(Event& row) {
    row.first_time = row.last_time = 0;
    row.from_zero = false;
}
void MergeRules::combine(Event& into, const Event& other) {
    take_least(into.position, other.position);
    take_least(into.perf_name, other.perf_name);
    into.attr = joined(into.attr, other.attr);
    if (into.group_leader != other.group_leader || into.group_name != other.group_name) {
        into.group_leader = into.group_name = {};
    }
    sum(into.counted, other.counted);
    sum(into.lost, other.lost);
    sum(into.filtered, other.filtered);
    into.has_losses = into.has_losses || other.has_losses;
}

void MergeRules::normalise(Object& row) {
    row.major = row.minor = 0;
    row.inode = row.generation = 0;
}
void MergeRules::combine(Object& into, const Object& other) {
    take_least(into.path, other.path);
    take_least(into.base, other.base);
    take_least(into.file, other.file);
}

void MergeRules::normalise(Load& row) {
    row.loaded_at = row.info.load_time = 0;
    row.unloaded_at = for_ever;
}
void MergeRules::combine(Load& into, const Load& other) {
    take_least(into.id, other.id);
    take_least(into.symbol_name, other.symbol_name);
    take_most(into.functions, other.functions);
    take_least(into.info, other.info);
    take_least(into.problem, other.problem);
}

void MergeRules::normalise(Code& row) {
    row.from = 0;
    row.until = for_ever;
}
void MergeRules::combine(Code& into, const Code& other) {
    take_least(into.address, other.address);
    take_most(into.size, other.size);
    // Better a name of types than none.
    if (std::tie(into.prototype, into.name, into.program) < std::tie(other.prototype, other.name, other.program)) {
        into.prototype = other.prototype;
        into.name = other.name;
        into.program = other.program;
    }
}

MergeRules::FunctionKey MergeRules::key(const Function& row) {
    const auto& hash = row.code_hash;
    switch (row.kind.value) {
        case frame_kind::object: return {row.kind, row.object, {}, row.begin, row.symbol, {}, hash, 0};
        case frame_kind::code: return {row.kind, {}, row.code, 0, {}, {}, hash, 0};
        case frame_kind::jit: return {row.kind, {}, {}, 0, row.symbol, {}, hash, 0};
        case frame_kind::memory: return {row.kind, {}, {}, row.size, row.symbol, row.object_name, hash, 0};
        default: return {row.kind, {}, {}, row.size, row.symbol, row.object_name, hash, row.number};
    }
}
void MergeRules::combine(Function& into, const Function& other) {
    take_least(into.number, other.number);
    take_least(into.begin, other.begin);
    take_least(into.symbol, other.symbol);
    take_most(into.size, other.size);
    if (other.has_address && (!into.has_address || other.address < into.address)) {
        into.has_address = true;
        into.address = other.address;
    }
    take_least_of(into, other, &Function::kind_of_code, &Function::object_name);
    take_least_of(into, other, &Function::place_kind, &Function::place_from, &Function::place_begin);
}

void MergeRules::normalise(Version& row) {
    row.from = 0;
    row.until = for_ever;
    for (auto& change : row.image.changes) change.time = 0;
}
void MergeRules::combine(Inlined& into, const Inlined& other) {
    take_least(into.object_name, other.object_name);
    take_least(into.kind_of_code, other.kind_of_code);
}

void MergeRules::combine(Frame& into, const Frame& other) {
    take_least(into.nameless, other.nameless);
    // Of one object: the rows are in order of their names.
    const auto take_longer = [](std::vector<Ref<Inlined>>& list, const std::vector<Ref<Inlined>>& another) {
        const bool longer = another.size() > list.size();
        if (longer || (another.size() == list.size() && another < list)) list = another;
    };
    take_longer(into.inlined, other.inlined);
    take_longer(into.inlined_at_return, other.inlined_at_return);
    if (other.place && (!into.place || std::tie(other.place, other.calls) < std::tie(into.place, into.calls))) {
        into.place = other.place;
        into.calls = other.calls;
    }
    take_least_of(into, other, &Frame::line_problem, &Frame::lines_from);
}

void MergeRules::combine(Cgroup& into, const Cgroup& other) {
    take_least(into.id, other.id);
}

namespace {

constexpr std::size_t most_kept = 100;  // as Limits::diagnostics

template <class Row>
void join(std::vector<Row>& into, const std::vector<Row>& other) {
    into.insert(into.end(), other.begin(), other.end());
    std::ranges::sort(into);
    const auto [begin, end] = std::ranges::unique(into);
    into.erase(begin, end);
}

void add_log(Log& into, const Log& other) {
    sum(into.count, other.count);
    into.kept.insert(into.kept.end(), other.kept.begin(), other.kept.end());
    std::ranges::sort(into.kept);
    if (into.kept.size() > most_kept) into.kept.resize(most_kept);
}

// Adds entries with equal keys; both lists ascend by them.
template <class Row, class Key, class Add>
void add_entries(std::vector<Row>& into, const std::vector<Row>& other, Key Row::*key, Add&& add_entry) {
    std::vector<Row> all;
    std::ranges::merge(into, other, std::back_inserter(all), {}, key, key);
    into.clear();
    for (auto& row : all) {
        if (!into.empty() && into.back().*key == row.*key) {
            add_entry(into.back(), row);
        } else {
            into.push_back(row);
        }
    }
}
void add_objects(std::vector<ObjectSum>& into, const std::vector<ObjectSum>& other) {
    // Several may have become one object.
    auto sorted = other;
    std::ranges::sort(into);
    std::ranges::sort(sorted);
    add_entries(into, sorted, &ObjectSum::object, [](ObjectSum& a, const ObjectSum& b) { sum(a.stacks, b.stacks); });
}

void add_left_out(std::vector<LeftOut>& into, std::vector<LeftOut> other) {
    std::ranges::sort(into);
    std::ranges::sort(other);
    add_entries(into, other, &LeftOut::what, [](LeftOut& a, const LeftOut& b) { sum(a.number, b.number); });
}

}  // namespace

void add(Facts& into, const Facts& more) {
    into.keeps &= more.keeps;
    for (const auto text : {&Facts::arch, &Facts::code_arch, &Facts::code_arch_from}) {
        if (!(into.*text) || (more.*text && more.*text < into.*text)) into.*text = more.*text;
    }
    into.big_endian = into.big_endian || more.big_endian;
    into.merged = true;
    take_most(into.max_stack, more.max_stack);
    join(into.partial, more.partial);
    add_entries(into.records, more.records, &RecordSum::type, [](RecordSum& a, const RecordSum& b) {
        sum(a.decoded, b.decoded);
        sum(a.skipped, b.skipped);
        sum(a.damaged, b.damaged);
    });
    into.counts_losses = into.counts_losses && more.counts_losses;
    add_log(into.diagnostics, more.diagnostics);
    for (const auto number :
         {&Facts::bytes_total, &Facts::bytes_records, &Facts::bytes_outside, &Facts::bytes_unread, &Facts::lost_events,
          &Facts::lost_samples, &Facts::filtered_samples, &Facts::chains_cut, &Facts::chains_broken,
          &Facts::chains_deep, &Facts::chains_folded, &Facts::stacks, &Facts::stacks_not_unwound,
          &Facts::counters_unknown, &Facts::counters_went_back, &Facts::counters_not_kept, &Facts::in_further_tasks}) {
        sum(into.*number, more.*number);
    }
    into.stacks_by_end.resize(std::max(into.stacks_by_end.size(), more.stacks_by_end.size()));
    for (std::size_t end = 0; end < more.stacks_by_end.size(); ++end) {
        sum(into.stacks_by_end[end], more.stacks_by_end[end]);
    }
    add_entries(into.short_copies, more.short_copies, &SizeSum::size, [](SizeSum& a, const SizeSum& b) {
        sum(a.stacks, b.stacks);
        take_most(a.wanted, b.wanted);
    });
    add_objects(into.without_file, more.without_file);
    add_objects(into.without_information, more.without_information);
    join(into.group_problems, more.group_problems);
    into.has_build_ids = into.has_build_ids || more.has_build_ids;
    into.has_kernel_names = into.has_kernel_names && more.has_kernel_names;
    join(into.name_problems, more.name_problems);
    join(into.image_problems, more.image_problems);
    join(into.inlined_problems, more.inlined_problems);
    join(into.text_problem, more.text_problem);
    add_log(into.losses, more.losses);
    add_left_out(into.left_out, more.left_out);
}

bool is_same_event(const Event& one, const Event& other) {
    const auto a = decode_attr(one.attr), b = decode_attr(other.attr);
    const auto by_kernel = [](const Attr& attr) { return attr.type > attr_type::breakpoint; };
    if (by_kernel(a) && by_kernel(b)) return a.config == b.config;  // config1 may be a pointer of the recorder
    if (a.type != b.type) return false;
    switch (a.type) {
        case attr_type::tracepoint: return true;
        case attr_type::breakpoint: return a.bp_type == b.bp_type;
        default: return a.config == b.config;
    }
}

}  // namespace perfdata::stored
