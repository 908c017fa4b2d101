// SPDX-License-Identifier: MIT
// Which type a payload of bpf_perf_event_output has. See docs/commands.md for the rule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/bpf_features.hpp"

#include "type_table.hpp"

namespace perfdata {

// PayloadType is what payloads of one size are shown as.
struct PayloadType {
    const TypeTable* types = nullptr;  // null: as bytes
    std::uint32_t id = 0;
    std::string name;         // "struct start"
    std::uint64_t bytes = 0;  // of a value
    bool guessed = false;     // nothing but the size speaks for it
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
    // names() returns how many names were asked for.
    std::size_t names() const { return named_.size(); }
    // problems() returns what could not be read of the BTF.
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
        std::uint64_t bytes = 0;
        std::uint32_t table = 0, id = 0;
        auto operator<=>(const Candidate&) const = default;
    };
    using Candidates = std::vector<Candidate>;

    Result<void> add(std::uint32_t btf, Bytes blob, const std::string& name, const StopToken& stop);
    Result<void> finish(const Options& options);
    Result<void> add_structs(std::uint32_t table, const StopToken& stop);
    Result<void> find(const std::string& name, const StopToken& stop);
    PayloadType chosen(std::size_t raw_bytes, std::optional<std::uint32_t> btf);
    PayloadType as(const Candidate& candidate, bool guessed) const;
    PayloadType as_one_of(const Candidates& several, std::uint64_t count) const;
    Candidates distinct(const Candidates& all);
    bool in_program(const Candidate& candidate, std::optional<std::uint32_t> btf) const;

    std::string file_;  // read_file: the blob. Long ones keep their memory when it is moved
    std::vector<std::unique_ptr<const Table>> tables_;
    std::size_t types_so_far_ = 0;
    std::vector<Error> problems_;
    Candidates structs_;                                    // all with a name or a typedef; sorted
    std::vector<Candidates> named_;                         // for each name that was asked for
    std::size_t description_room_ = std::size_t{64} << 20;  // bytes of descriptions that may still be made
    std::map<std::pair<std::size_t, std::optional<std::uint32_t>>, PayloadType> known_;
};

}  // namespace perfdata
