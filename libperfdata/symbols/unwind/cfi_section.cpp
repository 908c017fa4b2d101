// SPDX-License-Identifier: MIT
#include "cfi_section.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"

#include "cfi_pointer.hpp"
#include "cfi_program.hpp"
#include "symbols/once.hpp"

namespace perfdata {
namespace {

// What binary search needs: DW_EH_PE_datarel | DW_EH_PE_sdata4, the only form that linkers write.
constexpr std::uint8_t searchable_encoding = cfi_encoding::datarel | cfi_encoding::sdata4;
constexpr std::size_t table_entry_bytes = 8;  // bytes: where a function begins, and where its FDE is

// CfiTable is the sorted table of .eh_frame_hdr. Both numbers of an entry are distances from the section's begin.
class CfiTable {
  public:
    // Errors: the table is of another form, or not sorted.
    static Result<CfiTable> open(const CfiInput& input, const UnwindTarget& target) {
        Cursor in(input.table, input.order,
                  {.where = ".eh_frame_hdr", .offset = Error::no_offset - input.table.size()});
        const auto refuse = [](const std::string& what) {
            return fail(ErrorCode::malformed, Error::no_offset, ".eh_frame_hdr", what);
        };
        const auto version = in.u8(), frame_encoding = in.u8(), count_encoding = in.u8(), table_encoding = in.u8();
        if (!in.ok() || version != 1) return refuse("its version is not 1");
        if (count_encoding == cfi_encoding::omitted || table_encoding == cfi_encoding::omitted) {
            return refuse("it has no table");
        }
        if (table_encoding != searchable_encoding)
            return refuse("its table has the encoding " + std::to_string(table_encoding));
        const auto frame_at = input.table_address + in.position();
        const auto frame = encoded_number(in, frame_encoding, target.address_bytes());
        const auto base = (frame_encoding & cfi_encoding::base_mask) == cfi_encoding::pcrel     ? frame_at
                          : (frame_encoding & cfi_encoding::base_mask) == cfi_encoding::datarel ? input.table_address
                                                                                                : 0;
        if (!frame || ((*frame + base) & target.address_mask()) != input.address) {
            return refuse("it belongs to another section than .eh_frame");
        }
        const auto count = encoded_number(in, count_encoding, target.address_bytes());
        if (!in.ok() || !count || !in.fits(*count, table_entry_bytes)) return refuse("its table goes beyond its end");
        CfiTable table;
        table.address_ = input.table_address;
        const auto content = in.bytes(*count * table_entry_bytes);
        table.begins_ = {content, table_entry_bytes, input.order};
        table.entries_ = {content.empty() ? content : content.subspan(4), table_entry_bytes, input.order};
        for (std::size_t at = 1; at < table.size(); ++at) {
            if (table.begin(at) < table.begin(at - 1)) return refuse("its table is not sorted");
        }
        return table;
    }

    std::size_t size() const { return begins_.size(); }
    std::uint64_t address() const { return address_; }  // distances are from here
    // Returns the index of the first function that begins above the address.
    std::size_t above(std::uint64_t vaddr, const UnwindTarget& target) const {
        const auto distance =
            target.address_bytes() == 8
                ? static_cast<std::int64_t>(vaddr - address_)
                : std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(vaddr - address_))};
        std::size_t first = 0;
        for (auto count = size(); count != 0;) {
            const auto half = count / 2;
            if (distance < begin(first + half)) {
                count = half;
            } else {
                first += half + 1;
                count -= half + 1;
            }
        }
        return first;
    }
    std::uint64_t begin_address(std::size_t index) const { return address_ + static_cast<std::uint64_t>(begin(index)); }
    std::uint64_t entry_address(std::size_t index) const {
        return address_ + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(entries_[index])});
    }

  private:
    std::int64_t begin(std::size_t index) const { return static_cast<std::int32_t>(begins_[index]); }

    std::uint64_t address_ = 0;
    ArrayView<std::uint32_t> begins_, entries_;
};

// CfiPlace is the answer for one address, and the range around it that has the same.
struct CfiPlace {
    std::optional<CfiFunction> function;
    std::uint64_t begin = 0, end = UINT64_MAX;
};

// Stretch is a range of addresses up to the next stretch, and the entry that counts there.
struct CfiStretch {
    std::uint64_t begin = 0;
    std::uint32_t offset = 0;  // none: no function
};
constexpr std::uint32_t no_entry = UINT32_MAX;

struct FoundFunction {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t offset = 0;
};

// Lays out functions that may overlap: the one that begins last counts, and of those the first in the section.
std::vector<CfiStretch> lay_out_functions(std::vector<FoundFunction> functions) {
    std::ranges::sort(functions, [](const auto& one, const auto& other) {
        return std::pair(one.begin, other.offset) < std::pair(other.begin, one.offset);
    });
    std::vector<CfiStretch> stretches;
    std::vector<FoundFunction> open;  // begun and not hidden; the last counts
    const auto put = [&](std::uint64_t begin, std::uint32_t offset) {
        if (!stretches.empty() && stretches.back().begin == begin) stretches.pop_back();
        stretches.push_back({begin, offset});
    };
    const auto close = [&](std::uint64_t place) {
        while (!open.empty() && open.back().end <= place) {
            const auto end = open.back().end;
            while (!open.empty() && open.back().end <= end) open.pop_back();
            put(end, open.empty() ? no_entry : open.back().offset);
        }
    };
    for (const auto& function : functions) {
        close(function.begin);
        put(function.begin, function.offset);
        open.push_back(function);
    }
    close(UINT64_MAX);
    return stretches;
}

}  // namespace

class CfiSection::Index {
  public:
    Index(const CfiInput& input, const UnwindTarget& target, const Limits& limits)
        : entries_(input, target), limits_(limits) {
        if (input.format != CfiInput::Format::eh_frame || input.table.empty()) return;
        auto table = CfiTable::open(input, target);
        if (table) {
            table_ = *table;
        } else {
            damage_ = table.error();
        }
    }

    std::optional<Error> loss(std::uint64_t vaddr) const {
        if (!walk_once_.done() || (table_ && !in_table(vaddr).wrong)) return {};
        return loss_;
    }
    const CfiEntries& entries() const { return entries_; }
    const Limits& limits() const { return limits_; }
    bool has_table() const { return table_.has_value(); }
    std::optional<Error> damage() const {
        const std::scoped_lock lock(mutex_);
        return damage_;
    }

    Result<CfiPlace> find(std::uint64_t vaddr) const {
        if (!table_) return in_walk(vaddr);
        auto answer = in_table(vaddr);
        if (!answer.wrong) return std::move(answer.place);
        note(*answer.wrong);
        auto place = in_walk(vaddr);
        if (place) {
            place->begin = std::max(place->begin, answer.place.begin);
            place->end = std::min(place->end, answer.place.end);
        }
        return place;
    }

    // loss: becomes why the entries behind some place are not read.
    Result<void> functions(const std::function<bool(const CfiFunction&)>& visit, std::optional<Error>& loss) const {
        Result<void> first;
        const auto fault = [&](const Error& error) {
            if (first) first = fail(error);
        };
        std::optional<std::uint64_t> common_at;
        Result<CfiCommon> common;
        std::size_t count = 0;
        for (std::uint64_t at = 0; at < entries_.input().section.size();) {
            const auto entry = entries_.entry(at);
            if (!entry) {
                // Padding of less than a length is no entry.
                if (entries_.input().section.size() - at >= 4) {
                    fault(entry.error());
                    loss = entry.error();
                }
                break;
            }
            if (++count > limits_.cfi_entries) {
                loss = Error{ErrorCode::limit, entries_.input().file_offset + at, "call frame information",
                             "there are more than " + std::to_string(limits_.cfi_entries) + " entries"};
                fault(*loss);
                break;
            }
            const auto offset = static_cast<std::uint32_t>(at);
            at = entry->next;
            if (entry->kind != CfiEntries::Entry::Kind::function) continue;
            // Functions share the CIE before them, as a rule.
            if (common_at != entry->common_at) {
                common = entries_.common(entry->common_at);
                common_at = entry->common_at;
            }
            if (!common) {
                fault(common.error());
                continue;
            }
            const auto function = entries_.function(offset, *entry, *common);
            if (!function) {
                fault(function.error());
                continue;
            }
            if (!visit(*function)) break;
        }
        return first;
    }

  private:
    void note(const Error& error) const {
        const std::scoped_lock lock(mutex_);
        if (!damage_) damage_ = error;
    }

    // Looks among all entries. Errors: the entry is damaged.
    Result<CfiPlace> in_walk(std::uint64_t vaddr) const {
        walk_once_([&] { walk(); });
        const auto above = first_above(stretches_, vaddr, [](const CfiStretch& stretch) { return stretch.begin; });
        CfiPlace place;
        if (above != 0) place.begin = stretches_[above - 1].begin;
        if (above != stretches_.size()) place.end = stretches_[above].begin;
        if (above == 0 || stretches_[above - 1].offset == no_entry) return place;
        auto function = entries_.function(stretches_[above - 1].offset);
        if (!function) return fail(function.error());
        place.function = std::move(*function);
        return place;
    }
    // TableAnswer is what the table says of an address, and of all from `place.begin` to `place.end`.
    struct TableAnswer {
        CfiPlace place;
        std::optional<Error> wrong;  // the table is wrong there, or what it leads to
    };
    // There must be a table.
    TableAnswer in_table(std::uint64_t vaddr) const {
        constexpr std::size_t most_at_one_address = 4;  // functions of no size lie before others
        const auto mask = entries_.target().address_mask();
        if (vaddr > mask) return {{{}, mask + 1, UINT64_MAX}, {}};  // nothing lies there
        const auto above = table_->above(vaddr, entries_.target());
        TableAnswer answer{stretch_before(above, vaddr), {}};
        auto& place = answer.place;
        const auto refuse = [&](Error& error) {
            answer.wrong = std::move(error);
            return std::move(answer);
        };
        auto at = above;
        for (std::size_t tried = 0; at != 0 && tried < most_at_one_address; ++tried) {
            --at;
            if (tried != 0 && begin_of(at) != begin_of(at + 1)) break;
            auto function = function_of(at);
            if (!function) return refuse(function.error());
            if (function->begin > vaddr) continue;  // at the other end of all addresses
            if (vaddr < function->end) {
                place.begin = std::max(place.begin, function->begin);
                place.end = std::min(place.end, function->end);
                place.function = std::move(*function);
                return answer;
            }
            place.begin = std::max(place.begin, function->end);
        }
        // Nothing is there, if the table is right about what comes next.
        if (above < table_->size()) {
            if (auto next = function_of(above); !next) return refuse(next.error());
        }
        return answer;
    }
    // Returns the stretch from the entry before `above` to that one. Distances wrap: the table is in the order of a
    // circle of all addresses that begins opposite of the table.
    CfiPlace stretch_before(std::size_t above, std::uint64_t vaddr) const {
        CfiPlace place;
        if (table_->size() == 0) return place;
        const auto mask = entries_.target().address_mask();
        const auto opposite = (table_->address() + (mask >> 1) + 1) & mask;
        const auto first = above != 0 ? begin_of(above - 1) : opposite;
        const auto behind = above != table_->size() ? begin_of(above) : opposite;
        if (first < behind) return {{}, first, behind};
        if (vaddr < behind) return {{}, 0, behind};
        place.begin = first;
        return place;
    }
    std::uint64_t begin_of(std::size_t index) const {
        return table_->begin_address(index) & entries_.target().address_mask();
    }
    // Reads the entry that the table leads to, and checks where it begins.
    Result<CfiFunction> function_of(std::size_t index) const {
        const auto offset = table_->entry_address(index) - entries_.input().address;
        auto function = entries_.function(offset & entries_.target().address_mask());
        if (function && function->begin != begin_of(index)) {
            return fail(ErrorCode::malformed, Error::no_offset, ".eh_frame_hdr",
                        "its table disagrees with .eh_frame about where a function begins");
        }
        return function;
    }

    void walk() const {
        std::vector<FoundFunction> found;
        const auto walked = functions(
            [&](const CfiFunction& function) {
                if (function.begin < function.end && function.begin >= entries_.input().first_code) {
                    found.push_back({function.begin, function.end, function.offset});
                }
                return true;
            },
            loss_);
        if (!walked) note(walked.error());
        stretches_ = lay_out_functions(std::move(found));
    }

    CfiEntries entries_;
    Limits limits_;
    std::optional<CfiTable> table_;  // nothing: there is none that can be used
    mutable Once walk_once_;
    // Valid after walk_once_:
    mutable std::vector<CfiStretch> stretches_;
    mutable std::optional<Error> loss_;
    mutable std::mutex mutex_;
    mutable std::optional<Error> damage_;
};

Result<CfiSection> CfiSection::open(const CfiInput& input, const UnwindTarget& target, const Limits& limits) {
    if (input.section.size() >= no_entry) {
        return fail(ErrorCode::limit, input.file_offset, "call frame information", "the section is larger than 4 GiB");
    }
    return CfiSection(std::make_unique<Index>(input, target, limits));
}

CfiSection::CfiSection(std::unique_ptr<Index> index) : index_(std::move(index)) {}
CfiSection::CfiSection(CfiSection&&) noexcept = default;
CfiSection& CfiSection::operator=(CfiSection&&) noexcept = default;
CfiSection::~CfiSection() = default;

Result<std::optional<CfiFunction>> CfiSection::find(std::uint64_t vaddr) const {
    auto place = index_->find(vaddr);
    if (!place) return fail(place.error());
    return std::move(place->function);
}

std::pair<std::uint64_t, std::uint64_t> CfiSection::extent(std::uint64_t vaddr) const {
    const auto place = index_->find(vaddr);
    return place ? std::pair(place->begin, place->end) : std::pair(vaddr, vaddr + 1);
}

Result<std::optional<UnwindRow>> CfiSection::row_at(std::uint64_t vaddr, RuleSpill& spill) const {
    const auto place = index_->find(vaddr);
    if (!place) return fail(place.error());
    if (!place->function) return std::optional<UnwindRow>();
    CfiProgram program(index_->entries(), *place->function, index_->limits().cfi_row_instructions);
    for (;;) {
        const auto more = program.next();
        if (!more) return fail(more.error());
        if (!*more) return std::optional<UnwindRow>();
        if (vaddr >= program.end()) continue;
        auto row = program.row(vaddr, spill);
        if (!row) return fail(row.error());
        row->clip(place->begin, place->end);
        return std::move(*row);
    }
}

Result<void> CfiSection::rows(const CfiFunction& function, RuleSpill& spill,
                              const std::function<bool(const UnwindRow&)>& visit) const {
    CfiProgram program(index_->entries(), function, index_->limits().cfi_row_instructions);
    for (;;) {
        const auto more = program.next();
        if (!more) return fail(more.error());
        if (!*more) return {};
        const auto row = program.row(program.begin(), spill);
        if (!row) return fail(row.error());
        if (!visit(*row)) return {};
    }
}

Result<void> CfiSection::functions(const std::function<bool(const CfiFunction&)>& visit) const {
    std::optional<Error> loss;
    return index_->functions(visit, loss);
}

const CfiInput& CfiSection::input() const {
    return index_->entries().input();
}

bool CfiSection::has_table() const {
    return index_->has_table();
}

std::optional<Error> CfiSection::damage() const {
    return index_->damage();
}

std::optional<Error> CfiSection::loss(std::uint64_t vaddr) const {
    return index_->loss(vaddr);
}

}  // namespace perfdata
