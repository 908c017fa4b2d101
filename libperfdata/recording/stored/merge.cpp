// SPDX-License-Identifier: MIT
#include "merge.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "canonical.hpp"
#include "merge_rules.hpp"

namespace perfdata::stored {
namespace {

std::unexpected<Error> differ(const Named& one, const Named& other, std::string detail) {
    return fail(ErrorCode::mismatch, Error::no_offset, one.name + " and " + other.name, std::move(detail));
}

std::string in_quotes(std::string_view text) {
    return "'" + std::string(text) + "'";
}

// Names what does not go together.
class Checker {
  public:
    explicit Checker(bool allow_duplicates) : allow_duplicates_(allow_duplicates) {}

    Result<void> add(const Named& profile) {
        const auto& model = profile.model;
        const auto& facts = model.facts;
        if (auto same = check(arch_, model.text(facts.arch), profile, "architectures"); !same) return same;
        if (auto same = check(code_arch_, model.text(facts.code_arch), profile, "architectures"); !same) return same;
        if (auto same = check(order_, facts.big_endian ? "big-endian" : "little-endian", profile, "byte orders"); !same)
            return same;
        if (symbols_ == nullptr) symbols_ = &profile;
        if (symbols_->model.keeps(Dimension::symbol) != model.keeps(Dimension::symbol)) {
            return differ(*symbols_, profile,
                          "one keeps symbols and the other does not: make both with the same --keep");
        }
        for (const auto& event : model.events) {
            const auto [known, is_new] = events_.try_emplace(std::string(model.text(event.name)), &profile, &event);
            if (is_new || is_same_event(*known->second.second, event)) continue;
            return differ(*known->second.first, profile,
                          "their events " + in_quotes(known->first) + " are not the same event");
        }
        for (const auto& source : model.sources) {
            const auto [known, is_new] = sources_.try_emplace(source.content, &profile);
            if (is_new || allow_duplicates_) continue;
            return differ(*known->second, profile, "the same recording is in both; --allow-duplicates counts it twice");
        }
        return {};
    }

  private:
    using Told = std::pair<const Named*, std::string>;

    static Result<void> check(Told& known, std::string_view told, const Named& by, std::string_view what) {
        if (told.empty()) return {};
        if (known.first == nullptr) known = {&by, std::string(told)};
        if (known.second == told) return {};
        return differ(*known.first, by,
                      "they are of different " + std::string(what) + ": " + known.second + " and " + std::string(told));
    }

    bool allow_duplicates_;
    Told arch_, code_arch_, order_;
    const Named* symbols_ = nullptr;  // the first of them
    // Trees: log n each, whatever names and hashes the files have.
    std::map<std::string, std::pair<const Named*, const Event*>, std::less<>> events_;
    std::map<std::string, const Named*, std::less<>> sources_;
};

// Collector puts the tables of several models behind each other.
class Collector {
  public:
    // Returns false if there are more rows than there are numbers.
    bool add(Model&& model) {
        PerTable<std::size_t> base;
        bool fits = true;
        each_table(all_, [&]<class Row>(const Table<Row>& table) {
            base.of<Row>() = table.size();
            fits = fits && table.size() + model.table<Row>().size() < Ref<Row>::none;
        });
        if (!fits) return false;
        const auto move_refs = [&](auto& row) {
            each_ref(row, [&]<class Row>(Ref<Row>& ref) { ref = Ref<Row>(base.of<Row>() + ref.number); });
        };
        each_table(model, [&]<class Row>(Table<Row>& table) {
            for (auto& row : table) move_refs(row);
            auto& all = all_.table<Row>();
            all.insert(all.end(), std::make_move_iterator(table.begin()), std::make_move_iterator(table.end()));
            table = {};
        });
        move_refs(model.facts);
        facts_.push_back(std::move(model.facts));
        return true;
    }

    Model finish() && {
        Unifier<MergeRules> unifier(all_);
        unifier.run(nullptr);
        for (auto& facts : facts_) unifier.renumber(facts);
        all_.facts = std::move(facts_.front());
        for (std::size_t at = 1; at < facts_.size(); ++at) stored::add(all_.facts, facts_[at]);
        return canonical(std::move(all_));
    }

  private:
    Model all_;
    std::vector<Facts> facts_;
};

Result<Model> merged(std::vector<Named> profiles, const MergeOptions& options) {
    if (profiles.size() == 1) return std::move(profiles.front().model);
    Checker checker(options.allow_duplicates);
    auto keeps = all_dimensions;
    for (const auto& profile : profiles) {
        if (auto fits = checker.add(profile); !fits) return fail(std::move(fits.error()));
        keeps &= profile.model.facts.keeps;
    }
    Collector collector;
    for (auto& profile : profiles) {
        if (options.stop.stop_requested())
            return fail(ErrorCode::cancelled, Error::no_offset, "merge", "asked to stop");
        auto model =
            profile.model.facts.keeps == keeps ? std::move(profile.model) : keep_only(std::move(profile.model), keeps);
        if (!collector.add(std::move(model))) {
            return fail(ErrorCode::limit, Error::no_offset, profile.name,
                        "the profiles together have more rows than a profile can have");
        }
    }
    return std::move(collector).finish();
}

}  // namespace

Result<Model> merge(std::vector<Named> profiles, const MergeOptions& options) {
    return catch_bad_alloc([&]() -> Result<Model> {
        if (profiles.empty()) return Model();
        return merged(std::move(profiles), options);
    });
}

}  // namespace perfdata::stored
