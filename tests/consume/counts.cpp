// SPDX-License-Identifier: MIT
// counts FILE: the library down to counted samples, perfdata::perfdata.
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>

#include "perfdata/build_info.hpp"
#include "perfdata/perfdata.hpp"
#include "perfdata/symbols.hpp"
#include "perfdata/version.hpp"

namespace {

// A class of the library that a program implements: it passes the border of a shared library in both directions.
class NoFiles final : public perfdata::FileSystem {
  public:
    perfdata::Result<std::shared_ptr<const perfdata::Source>> open(const perfdata::FileName&, const perfdata::Limits&,
                                                                   perfdata::Content) const override {
        return none();
    }
    perfdata::Result<std::string> read_kernel_file(const std::string&, std::uint64_t) const override { return none(); }

  private:
    static std::unexpected<perfdata::Error> none() {
        return perfdata::fail(perfdata::ErrorCode::missing, perfdata::Error::no_offset, "here", "there are no files");
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto recording = perfdata::Recording::open(argv[1]);
    if (!recording) {
        std::fprintf(stderr, "%s\n", recording.error().message().c_str());
        return 1;
    }
    std::stop_source stop;
    const auto timeline = perfdata::Timeline::build(*recording, {.stop = stop.get_token()});
    if (!timeline) return 1;
    perfdata::SymbolizerOptions names;
    names.files = std::make_shared<const NoFiles>();
    const auto symbolizer = perfdata::Symbolizer::open(*recording, *timeline, names);
    const auto profile = perfdata::Profile::count(*recording, symbolizer.versions());
    if (!profile) return 1;
    const perfdata::StopToken token = stop.get_token();
    stop.request_stop();

    const auto info = perfdata::build_info();
    std::printf("version %s\n",
                info.version == perfdata::header_version ? std::string(info.version).c_str() : "differs");
    std::printf("arch %s\n", recording->arch().c_str());
    std::printf("stopped %s\n", token.stop_requested() ? "yes" : "no");
    for (const auto event : profile->events()) {
        const auto& known = recording->events().events()[event];
        std::printf("event %s\n", known.name.c_str());
    }
    std::printf("samples %llu\n", static_cast<unsigned long long>(perfdata::hits(profile->totals())));
    for (const auto& function : profile->functions()) {
        const auto name = symbolizer.name(function.version.function);
        if (name.kind != perfdata::CodeClass::bpf) continue;
        std::printf("function %s %llu\n", std::string(name.symbol).c_str(),
                    static_cast<unsigned long long>(perfdata::hits(function.total)));
    }
    return 0;
}
