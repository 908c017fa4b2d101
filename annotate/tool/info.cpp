// SPDX-License-Identifier: MIT
// perfdata info: what a recording is and what it holds.
#include <optional>

#include "tool.hpp"
#include "tool/info/info_page.hpp"
#include "tool/output/progress.hpp"

namespace perfdata::tool {
namespace {

struct InfoOptions {
    Common common;
    bool completeness = false;
    bool verbose = false;
};

int run(const InfoOptions& options) {
    const auto recording = options.common.open();
    if (!recording) {
        complain(recording.error());
        return failed;
    }
    auto output = options.common.open_output();
    if (!output) {
        complain(output.error());
        return failed;
    }
    std::optional<ProgressLine> progress(std::in_place, options.common);
    const InfoPage page(*recording, options.verbose, options.completeness || options.common.strict,
                        progress->of("reading all records"));
    progress.reset();
    const auto sink = output->sink();
    if (options.common.json) {
        page.write_json(sink);
    } else {
        page.write_text(sink);
    }
    if (auto committed = options.common.commit(*output); !committed) {
        complain(committed.error());
        return failed;
    }
    warn_losses(options.common, page.completeness);
    return exit_code(options.common, page.completeness);
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("info", "Show header, events and features of a recording");
    auto options = std::make_shared<InfoOptions>();
    options->common.add_to(*command);
    command->add_flag("-v,--verbose", options->verbose, "Long lists in full, and where each feature lies");
    command->add_flag("--completeness", options->completeness,
                      "Read all records and say what could be decoded and what not (--strict implies it)");
    begin_anew(*command, options);
    options->common.on_run(*command, exit, [options] { return run(*options); });
}

}  // namespace perfdata::tool
