// SPDX-License-Identifier: MIT
// A recording that is cut between the pass that makes the timeline and the one that counts.
#include "perfdata/timeline/second_pass.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "perfdata/core/shared.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "script/script.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Cut has nothing from a place on, once it is told: as a file that somebody truncates. Its size was read before.
class Cut final : public Source {
  public:
    explicit Cut(Blob bytes) : bytes_(std::move(bytes)), end_(bytes_.size()) {}

    void cut(std::uint64_t end) { end_ = end; }

    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const auto end = end_.load();
        if (offset >= end) return std::size_t{0};
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - offset));
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), size, out.begin());
        return size;
    }

  private:
    Blob bytes_;
    std::atomic<std::uint64_t> end_;
};

}  // namespace

TEST_CASE("A recording that is cut after the first pass gives no sums", "[annotate]") {
    const auto source = std::make_shared<Cut>(content_of_file(fixture("bpf/bpf_turns.data")));
    const auto recording = Recording::from_source(Shared<const Source>(source), "cut");
    REQUIRE(recording);
    const auto timeline = Timeline::build(*recording);
    REQUIRE(timeline);
    const auto symbolizer = Symbolizer::open(*recording, *timeline, {});
    const auto all = samples_seen(timeline->completeness());
    REQUIRE(all > 100);
    SampleCountOptions chains;
    chains.chains = true;
    const auto write = [&] {
        ScriptOptions options;
        options.json = true;
        return write_script(*recording, symbolizer, options, [](std::string_view) {});
    };
    CHECK(SampleCounts::count(*recording, *timeline, {}));
    CHECK(Profile::count(*recording, symbolizer.versions(), {}));
    CHECK(write());

    const auto data = recording->data();
    source->cut(data.offset + data.size / 2);
    const auto refused = [&](const auto& result) {
        REQUIRE(!result);
        CHECK(result.error().code == ErrorCode::io);
        CHECK(result.error().where == "cut");
        CHECK(result.error().detail.find("changed while it was read") != std::string::npos);
        CHECK(result.error().detail.find(std::to_string(all) + " before") != std::string::npos);
    };
    refused(SampleCounts::count(*recording, *timeline, {}));
    refused(SampleCounts::count(*recording, *timeline, chains));
    refused(Profile::count(*recording, symbolizer.versions(), {}));
    refused(write());
}
