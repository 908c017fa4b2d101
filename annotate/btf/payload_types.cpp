// SPDX-License-Identifier: MIT
#include "payload_types.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <string_view>

#include "format/words.hpp"
#include "type_description.hpp"
#include "value_walk.hpp"

namespace perfdata {
namespace {

constexpr std::string_view types_where = "BTF";

// A wanted name in its parts: "struct start" is of one kind only.
struct WantedName {
    std::string_view kind, name;
};
WantedName parts_of(std::string_view text) {
    for (const std::string_view kind : {"struct", "union", "enum"}) {
        if (text.starts_with(kind) && text.substr(kind.size()).starts_with(' ')) {
            auto name = text.substr(kind.size());
            name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
            return {kind, name};
        }
    }
    return {{}, text};
}

bool is_wanted(const TypeEntry& type, const WantedName& wanted) {
    if (wanted.name.empty() || type.name != wanted.name) return false;
    switch (type.kind) {
        case BtfKind::structure: return wanted.kind.empty() || wanted.kind == "struct";
        case BtfKind::union_type: return wanted.kind.empty() || wanted.kind == "union";
        case BtfKind::enumeration:
        case BtfKind::enumeration64: return wanted.kind.empty() || wanted.kind == "enum";
        case BtfKind::alias:
        case BtfKind::integer:
        case BtfKind::floating: return wanted.kind.empty();
        default: return false;
    }
}

// to_stop(id, stop) asks now and then.
bool to_stop(std::uint32_t id, const StopToken& stop) {
    constexpr std::uint32_t between_looks = 65536;
    return id % between_looks == 0 && stop.stop_requested();
}
std::unexpected<Error> types_stopped() {
    return fail(ErrorCode::cancelled, Error::no_offset, std::string(types_where), "asked to stop");
}

}  // namespace

Result<PayloadTypes> PayloadTypes::read(const BpfFeatures& features, const Options& options) {
    PayloadTypes result;
    for (const auto& blob : features.btf()) {
        auto done = result.add(blob.id, blob.data, "BTF " + std::to_string(blob.id), options.stop);
        if (done) continue;
        if (done.error().code == ErrorCode::cancelled) return fail(std::move(done.error()));
        result.problems_.push_back(std::move(done.error()));
    }
    if (auto done = result.finish(options); !done) return fail(std::move(done.error()));
    return result;
}

Result<PayloadTypes> PayloadTypes::read_file(std::string blob, const std::string& name, const Options& options) {
    // The memory of a short string moves with it.
    blob.reserve(std::max<std::size_t>(blob.size(), 64));
    PayloadTypes result;
    result.file_ = std::move(blob);
    constexpr std::uint32_t no_id = 0;
    if (auto done = result.add(no_id, as_bytes(result.file_), name, options.stop); !done) {
        return fail(std::move(done.error()));
    }
    if (auto done = result.finish(options); !done) return fail(std::move(done.error()));
    return result;
}

Result<void> PayloadTypes::add(std::uint32_t btf, Bytes blob, const std::string& name, const StopToken& stop) {
    auto types = TypeTable::parse(blob, name, stop);
    if (!types) return fail(std::move(types.error()));
    // Thousands of programs may have a blob each: together they may have as many types as one.
    if (types->last() > TypeTable::most_types - types_so_far_) {
        return fail(ErrorCode::limit, Error::no_offset, std::string(types_where), name + ": too many types before it");
    }
    types_so_far_ += types->last();
    if (types->problem()) problems_.push_back(*types->problem());
    tables_.push_back(std::make_unique<const Table>(Table{btf, std::move(*types)}));
    return add_structs(static_cast<std::uint32_t>(tables_.size() - 1), stop);
}

Result<void> PayloadTypes::finish(const Options& options) {
    by_name_ = !options.names.empty();
    if (!by_name_) {
        pools_.push_back(pool_of(std::move(structs_)));
        return {};
    }
    std::ranges::sort(structs_);
    std::vector<WantedName> wanted;
    for (const auto& name : options.names) wanted.push_back(parts_of(name));
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        auto found = find(options.names[at], options.stop);
        if (!found) return fail(std::move(found.error()));
        // "start" finds all that "struct start" does: no type may be in two pools.
        bool again = false;
        for (std::size_t other = 0; other < wanted.size() && !again; ++other) {
            if (other == at || wanted[other].name != wanted[at].name) continue;
            again = wanted[other].kind == wanted[at].kind ? other < at : wanted[other].kind.empty();
        }
        if (again) continue;
        auto& pool = pools_.emplace_back(pool_of(std::move(*found)));
        if (auto done = compare_all(pool, options.stop); !done) return done;
    }
    structs_ = {};
    return {};
}

PayloadTypes::Pool PayloadTypes::pool_of(Candidates all) const {
    Pool pool{.all = std::move(all), .by_btf = {}, .groups = {}, .form = 0};
    std::ranges::sort(pool.all);
    pool.by_btf.resize(pool.all.size());
    std::iota(pool.by_btf.begin(), pool.by_btf.end(), 0u);
    const auto btf = [&](std::uint32_t place) { return tables_[pool.all[place].table]->btf; };
    std::ranges::sort(pool.by_btf, {}, [&](std::uint32_t place) { return std::pair(btf(place), place); });
    for (std::uint32_t at = 0; at < pool.by_btf.size(); ++at) {
        const auto id = btf(pool.by_btf[at]);
        if (pool.groups.empty() || pool.groups.back().btf != id) pool.groups.push_back({id, at, at, 0});
        pool.groups.back().end = at + 1;
    }
    return pool;
}

// compare_all(pool) gives each candidate its form, and each group the form that all in it have.
Result<void> PayloadTypes::compare_all(Pool& pool, const StopToken& stop) {
    for (auto& one : pool.all) {
        if (stop.stop_requested()) return types_stopped();
        form_of(one);
    }
    const auto form_at = [&](std::uint32_t place) { return pool.all[place].form; };
    for (auto& group : pool.groups) {
        const auto places = std::span(pool.by_btf).subspan(group.begin, group.end - group.begin);
        const auto form = form_at(places.front());
        if (std::ranges::all_of(places, [&](std::uint32_t place) { return form_at(place) == form; })) group.form = form;
    }
    const auto form = pool.groups.front().form;
    if (std::ranges::all_of(pool.groups, [&](const Group& group) { return group.form == form; })) pool.form = form;
    return {};
}

// form_of(candidate) returns a number that only copies of it have, in the BTF of other programs. Types with too long a
// description, and those behind the room for descriptions, have a form each.
std::uint32_t PayloadTypes::form_of(Candidate& candidate) {
    constexpr std::size_t longest = std::size_t{16} << 10, bytes_of_form = 128;
    if (candidate.form != 0) return candidate.form;
    const auto& types = tables_[candidate.table]->types;
    const bool had_room = description_room_ != 0;
    auto description = describe_type(types, candidate.id, longest, description_room_);
    if (description) {
        auto text = types.spelled(candidate.id);
        const auto named_bytes = text.size() + bytes_of_form;
        text += '\0';  // no name has one
        text += *description;
        const auto [form, is_new] = forms_.try_emplace(std::move(text), last_form_ + 1);
        candidate.form = form->second;
        if (is_new) {
            ++last_form_;
            description_room_ -= std::min(description_room_, named_bytes);
        }
    } else {
        candidate.form = ++last_form_;
    }
    if (had_room && description_room_ == 0) {
        problems_.push_back({ErrorCode::limit, Error::no_offset, std::string(types_where),
                             "too many types to compare: copies of a type count as several"});
    }
    return candidate.form;
}

// add_structs(table) adds the structs that have a name, and those without one by their first typedef.
Result<void> PayloadTypes::add_structs(std::uint32_t table, const StopToken& stop) {
    const auto& types = tables_[table]->types;
    std::set<std::uint32_t> by_typedef;
    for (std::uint32_t id = 1; id <= types.last(); ++id) {
        if (to_stop(id, stop)) return types_stopped();
        const auto type = types.entry(id);
        if (type->name.empty()) continue;
        auto bytes = type->word;
        if (type->kind == BtfKind::alias) {
            const auto solid = types.solid_id(id);
            const auto meant = solid ? types.entry(*solid) : std::nullopt;
            if (!meant || meant->kind != BtfKind::structure || !meant->name.empty()) continue;
            if (!by_typedef.insert(*solid).second) continue;
            bytes = meant->word;
        } else if (type->kind != BtfKind::structure) {
            continue;
        }
        if (bytes != 0) structs_.push_back({bytes, table, id, 0});
    }
    return {};
}

// find(name) returns all types of that name: as many as BTF has at most.
Result<PayloadTypes::Candidates> PayloadTypes::find(const std::string& name, const StopToken& stop) const {
    const auto wanted = parts_of(name);
    Candidates found;
    for (std::uint32_t table = 0; table < tables_.size(); ++table) {
        const auto& types = tables_[table]->types;
        std::set<std::uint32_t> seen;  // a struct and its typedef may have one name
        for (std::uint32_t id = 1; id <= types.last(); ++id) {
            if (to_stop(id, stop)) return types_stopped();
            if (!is_wanted(*types.entry(id), wanted)) continue;
            const auto bytes = types.size(id);
            const auto solid = types.solid_id(id);
            if (!bytes || *bytes == 0 || !seen.insert(*solid).second) continue;
            found.push_back({static_cast<std::uint32_t>(*bytes), table, id, 0});  // size() has no more than 32 bits
        }
    }
    if (found.empty()) {
        std::string known;
        std::set<std::string> names;
        for (const auto& one : structs_) {
            if (names.size() < 2 * most_candidates) names.insert(tables_[one.table]->types.spelled(one.id));
        }
        for (const auto& one : names) known += (known.empty() ? "; there are " : ", ") + shown(one);
        if (names.size() < structs_.size()) known += ", …";
        return fail(ErrorCode::missing, Error::no_offset, std::string(types_where),
                    tables_.empty() ? "there is none to look for " + shown(name) + " in"
                                    : "no type is called " + shown(name) + known);
    }
    return found;
}

const PayloadType& PayloadTypes::of(std::size_t raw_bytes, std::optional<std::uint32_t> btf) {
    // A file has the types of all programs.
    if (!file_.empty()) btf.reset();
    const std::pair key(raw_bytes, btf);
    if (last_key_ == key) return last_;
    last_ = chosen(raw_bytes, btf);
    last_key_ = key;
    return last_;
}

std::optional<std::uint32_t> PayloadTypes::group_of(const Pool& pool, std::uint32_t btf) {
    const auto found = std::ranges::lower_bound(pool.groups, btf, {}, &Group::btf);
    if (found == pool.groups.end() || found->btf != btf) return {};
    return static_cast<std::uint32_t>(found - pool.groups.begin());
}

const PayloadTypes::Fitting& PayloadTypes::fitting(std::uint32_t pool, std::uint32_t group, std::size_t raw_bytes) {
    auto& from = pools_[pool];
    const auto place = [&](std::uint32_t at) { return group == every ? at : from.by_btf[at]; };
    const auto bytes = [&](std::uint32_t at) { return std::uint64_t{from.all[place(at)].bytes}; };
    const auto all = group == every ? std::views::iota(0u, static_cast<std::uint32_t>(from.all.size()))
                                    : std::views::iota(from.groups[group].begin, from.groups[group].end);
    const auto too_small = [&](std::uint32_t at) { return bytes(at) < raw_bytes && !fits(bytes(at), raw_bytes); };
    const auto begin = *std::ranges::partition_point(all, too_small);
    const auto end = *std::ranges::partition_point(all, [&](std::uint32_t at) { return bytes(at) <= raw_bytes; });
    if (begin == end) return none_;
    const auto [known, is_new] = fitting_.try_emplace({pool, group, raw_bytes});
    auto& result = known->second;
    if (!is_new) return result;
    std::set<std::uint32_t> forms;
    for (auto at = begin; at < end; ++at) {
        if (!forms.insert(form_of(from.all[place(at)])).second) continue;
        if (result.first.size() < most_candidates) result.first.push_back(place(at));
    }
    result.count = forms.size();
    return result;
}

PayloadType PayloadTypes::chosen(std::size_t raw_bytes, std::optional<std::uint32_t> btf) {
    std::vector<const Candidate*> first;
    std::uint64_t count = 0;
    for (std::uint32_t number = 0; number < pools_.size(); ++number) {
        const auto& pool = pools_[number];
        auto group = btf ? group_of(pool, *btf) : every;
        // If programs define a name in several ways, that of the emitting one counts.
        if (!group && !by_name_) continue;
        if (!group) group = every;
        if (by_name_ && pools_.size() == 1) {
            const auto& only = *group == every ? pool.all.front() : pool.all[pool.by_btf[pool.groups[*group].begin]];
            if ((*group == every ? pool.form : pool.groups[*group].form) != 0) return as(only, false);
        }
        const auto& found = fitting(number, *group, raw_bytes);
        count += found.count;
        for (const auto place : found.first) first.push_back(&pool.all[place]);
    }
    if (count == 1) return as(*first.front(), true);
    PayloadType result;
    result.fitting = count;
    for (const auto* one : first) {
        if (result.candidates.size() == most_candidates) break;
        result.candidates.push_back(tables_[one->table]->types.spelled(one->id));
    }
    return result;
}

PayloadType PayloadTypes::as(const Candidate& candidate, bool guessed) {
    const auto& types = tables_[candidate.table]->types;
    const auto [padding, is_new] = tail_paddings_.try_emplace({candidate.table, candidate.id}, 0);
    if (is_new) padding->second = tail_padding(types, candidate.id);
    return {.types = &types,
            .id = candidate.id,
            .name = types.spelled(candidate.id),
            .bytes = candidate.bytes,
            .tail_padding = padding->second,
            .guessed = guessed,
            .fitting = 1,
            .candidates = {}};
}

}  // namespace perfdata
