// SPDX-License-Identifier: MIT
// Which type a payload of bpf_perf_event_output has. See docs/commands.md for the rule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/recording/bpf_features.hpp"

#include "type_table.hpp"

namespace perfdata {

// PayloadType is what payloads of one size are shown as.
struct PayloadType {
    const TypeTable* types = nullptr;  // null: as bytes
    std::uint32_t id = 0;
    std::string name;                // "struct start"
    std::uint64_t bytes = 0;         // of a value
    std::uint64_t tail_padding = 0;  // of these the ones behind the last member
    bool guessed = false;            // nothing but the size speaks for it
    // Where several types fit: how many, and the first ones.
    std::uint64_t fitting = 0;
    std::vector<std::string> candidates;
};

// PayloadTypes chooses by name, by size, or both. RAW does not say how long a payload was: the kernel puts up to seven
// bytes behind it, so that RAW and its own four bytes of size are a multiple of eight. A type of `bytes` fits RAW of
// bytes up to bytes + 7. What those seven bytes are says nothing: the kernel does not clear them.
class PayloadTypes {
  public:
    static constexpr std::size_t most_candidates = 8;  // that are named

    struct Options {
        std::vector<std::string> names;  // "start", "struct start", a typedef; none: by size alone
        StopToken stop = {};
    };

    // read(features, options) takes the types of all programs in the recording, read_file(blob, options) those of one
    // BTF blob, called `name` in errors. The features must outlive the result. Errors: missing (no type has that name),
    // cancelled; those of a file's blob: malformed, truncated.
    static Result<PayloadTypes> read(const BpfFeatures& features, const Options& options);
    static Result<PayloadTypes> read_file(std::string blob, const std::string& name, const Options& options);

    // has_types() returns false if there is no BTF to choose from.
    bool has_types() const { return !tables_.empty(); }
    // problems() returns what could not be read of the BTF, or not compared. It may grow with calls of of().
    const std::vector<Error>& problems() const { return problems_; }

    // of(raw_bytes, btf) chooses for a payload in RAW of that size; `btf` is the id of the emitting program's BTF if
    // that is known, 0 if it has none. The result is valid until the next call.
    const PayloadType& of(std::size_t raw_bytes, std::optional<std::uint32_t> btf);

    // fits(bytes, raw_bytes): RAW may hold a payload of so many bytes.
    static bool fits(std::uint64_t bytes, std::uint64_t raw_bytes) {
        constexpr std::uint64_t most_padding = 7;
        return bytes <= raw_bytes && raw_bytes - bytes <= most_padding;
    }

  private:
    // Table is the types of one blob. They are never moved: choices point to them.
    struct Table {
        std::uint32_t btf = 0;
        TypeTable types;
    };
    // Candidate is a type with a name, and how many bytes it has.
    struct Candidate {
        std::uint32_t bytes = 0, table = 0, id = 0;
        std::uint32_t form = 0;  // a number that copies share; 0: not compared yet
        auto operator<=>(const Candidate&) const = default;
    };
    using Candidates = std::vector<Candidate>;
    // Group is the candidates of one BTF: a range of Pool::by_btf.
    struct Group {
        std::uint32_t btf = 0, begin = 0, end = 0;
        std::uint32_t form = 0;  // of all of them; 0: they differ, or are not compared
    };
    // Pool is the candidates to choose from, so that those of one size and BTF are found without looking at others.
    struct Pool {
        Candidates all;                     // by size
        std::vector<std::uint32_t> by_btf;  // places in `all`: by BTF, then by size
        std::vector<Group> groups;          // by BTF
        std::uint32_t form = 0;             // of all candidates, as in Group
    };
    // Fitting is the candidates of a pool that RAW of some size may hold, without copies.
    struct Fitting {
        std::uint64_t count = 0;
        std::vector<std::uint32_t> first;  // places in Pool::all; at most most_candidates
    };
    static constexpr std::uint32_t every = ~std::uint32_t{0};  // instead of a group: all candidates

    Result<void> add(std::uint32_t btf, Bytes blob, const std::string& name, const StopToken& stop);
    Result<void> finish(const Options& options);
    Result<void> add_structs(std::uint32_t table, const StopToken& stop);
    Result<Candidates> find(const std::string& name, const StopToken& stop) const;
    Pool pool_of(Candidates all) const;
    Result<void> compare_all(Pool& pool, const StopToken& stop);
    std::uint32_t form_of(Candidate& candidate);
    static std::optional<std::uint32_t> group_of(const Pool& pool, std::uint32_t btf);
    const Fitting& fitting(std::uint32_t pool, std::uint32_t group, std::size_t raw_bytes);
    PayloadType chosen(std::size_t raw_bytes, std::optional<std::uint32_t> btf);
    PayloadType as(const Candidate& candidate, bool guessed);

    std::string file_;  // read_file: the blob. Long ones keep their memory when it is moved
    std::vector<std::unique_ptr<const Table>> tables_;
    std::size_t types_so_far_ = 0;
    std::vector<Error> problems_;
    Candidates structs_;       // all with a name or a typedef, until they are in a pool
    std::vector<Pool> pools_;  // one for each name that was asked for, or one of all structs
    bool by_name_ = false;
    // Descriptions of candidates, and the forms that they have. Texts are compared as a whole: no two types are taken
    // for one. The room bounds them: bytes of descriptions that may still be made, and what forms take besides.
    std::map<std::string, std::uint32_t> forms_;
    std::uint32_t last_form_ = 0;
    std::size_t description_room_ = std::size_t{64} << 20;
    // By pool, group and size of RAW, where anything fits: at most eight entries for each candidate in `all` and in a
    // group, and none without a payload that asks. So each candidate is looked at sixteen times at most.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, Fitting> fitting_;
    Fitting none_;
    // By table and id: of types that payloads have.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> tail_paddings_;
    std::optional<std::pair<std::size_t, std::optional<std::uint32_t>>> last_key_;
    PayloadType last_;
};

}  // namespace perfdata
