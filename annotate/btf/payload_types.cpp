// SPDX-License-Identifier: MIT
#include "payload_types.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "format/words.hpp"
#include "type_description.hpp"

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
    std::ranges::sort(structs_);
    for (const auto& name : options.names) {
        if (auto found = find(name, options.stop); !found) return found;
    }
    return {};
}

// add_structs(table) adds the structs that have a name, and those without one by their first typedef.
Result<void> PayloadTypes::add_structs(std::uint32_t table, const StopToken& stop) {
    const auto& types = tables_[table]->types;
    std::set<std::uint32_t> by_typedef;
    for (std::uint32_t id = 1; id <= types.last(); ++id) {
        if (to_stop(id, stop)) return types_stopped();
        const auto type = types.entry(id);
        if (type->name.empty()) continue;
        auto bytes = std::uint64_t{type->word};
        if (type->kind == BtfKind::alias) {
            const auto solid = types.solid_id(id);
            const auto meant = solid ? types.entry(*solid) : std::nullopt;
            if (!meant || meant->kind != BtfKind::structure || !meant->name.empty()) continue;
            if (!by_typedef.insert(*solid).second) continue;
            bytes = meant->word;
        } else if (type->kind != BtfKind::structure) {
            continue;
        }
        if (bytes != 0) structs_.push_back({bytes, table, id});
    }
    return {};
}

Result<void> PayloadTypes::find(const std::string& name, const StopToken& stop) {
    constexpr std::size_t most_definitions = 64;
    const auto wanted = parts_of(name);
    Candidates found;
    for (std::uint32_t table = 0; table < tables_.size(); ++table) {
        const auto& types = tables_[table]->types;
        std::set<std::uint32_t> seen;  // a struct and its typedef may have one name
        for (std::uint32_t id = 1; id <= types.last() && found.size() < most_definitions; ++id) {
            if (to_stop(id, stop)) return types_stopped();
            if (!is_wanted(*types.entry(id), wanted)) continue;
            const auto bytes = types.size(id);
            const auto solid = types.solid_id(id);
            if (bytes && *bytes != 0 && seen.insert(*solid).second) found.push_back({*bytes, table, id});
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
                    tables_.empty() ? "there is none to look for " + shown(name) + " in (--btf gives a file with it)"
                                    : "no type is called " + shown(name) + known);
    }
    named_.push_back(distinct(found));
    return {};
}

const PayloadType& PayloadTypes::of(std::size_t raw_bytes, std::optional<std::uint32_t> btf) {
    constexpr std::size_t most_known = 4096;
    const std::pair key(raw_bytes, btf);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    if (known_.size() >= most_known) known_.clear();
    return known_.emplace(key, chosen(raw_bytes, btf)).first->second;
}

PayloadType PayloadTypes::chosen(std::size_t raw_bytes, std::optional<std::uint32_t> btf) {
    Candidates fitting;
    if (named_.empty()) {
        constexpr std::size_t most_compared = 64, most_padding = 7;
        const auto least = raw_bytes - std::min(raw_bytes, most_padding);
        std::uint64_t count = 0;
        for (auto at = std::ranges::lower_bound(structs_, least, {}, &Candidate::bytes);
             at != structs_.end() && at->bytes <= raw_bytes; ++at) {
            if (!in_program(*at, btf)) continue;
            ++count;
            if (fitting.size() <= most_compared) fitting.push_back(*at);
        }
        if (fitting.size() > most_compared) return as_one_of(fitting, count);
        fitting = distinct(fitting);
        if (fitting.size() == 1) return as(fitting.front(), true);
        return as_one_of(fitting, fitting.size());
    }
    Candidates meant;
    for (const auto& definitions : named_) {
        // If programs define the name in several ways, that of the emitting one counts.
        const bool of_program =
            std::ranges::any_of(definitions, [&](const Candidate& one) { return in_program(one, btf); });
        for (const auto& one : definitions) {
            if (!of_program || in_program(one, btf)) meant.push_back(one);
        }
    }
    if (meant.size() == 1) return as(meant.front(), false);
    for (const auto& one : meant) {
        if (fits(one.bytes, raw_bytes)) fitting.push_back(one);
    }
    if (fitting.size() == 1) return as(fitting.front(), true);
    return as_one_of(fitting, fitting.size());
}

bool PayloadTypes::in_program(const Candidate& candidate, std::optional<std::uint32_t> btf) const {
    return !btf || !file_.empty() || tables_[candidate.table]->btf == *btf;
}

PayloadType PayloadTypes::as(const Candidate& candidate, bool guessed) const {
    const auto& types = tables_[candidate.table]->types;
    return {.types = &types,
            .id = candidate.id,
            .name = types.spelled(candidate.id),
            .bytes = candidate.bytes,
            .guessed = guessed,
            .fitting = 1,
            .candidates = {}};
}

PayloadType PayloadTypes::as_one_of(const Candidates& several, std::uint64_t count) const {
    PayloadType result;
    result.fitting = count;
    for (const auto& one : several) {
        if (result.candidates.size() == most_candidates) break;
        result.candidates.push_back(tables_[one.table]->types.spelled(one.id));
    }
    return result;
}

// distinct(all) leaves out copies in the BTF of other programs.
PayloadTypes::Candidates PayloadTypes::distinct(const Candidates& all) {
    constexpr std::size_t longest = std::size_t{16} << 10;
    if (all.size() < 2) return all;
    Candidates result;
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& one : all) {
        const auto& types = tables_[one.table]->types;
        auto description = describe_type(types, one.id, std::min(longest, description_room_));
        description_room_ -= std::min(description_room_, description ? description->size() : longest);
        if (!description || seen.emplace(types.spelled(one.id), std::move(*description)).second) result.push_back(one);
    }
    return result;
}

}  // namespace perfdata
