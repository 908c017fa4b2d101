// SPDX-License-Identifier: MIT
// perfdata info: describes a recording and its content.
#include "tool.hpp"
#include "tool/batch/batch_action.hpp"
#include "tool/info/info_page.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct InfoOptions {
    Common common;
    bool completeness = false;
    bool verbose = false;
};

int run(const InfoOptions& options) {
    Session session(options.common);
    if (!session.open()) return failed;
    auto output = session.open_output();
    if (!output) return failed;
    const InfoPage page(session.recording(), options.verbose, options.completeness || options.common.strict,
                        session.progress("reading all records"));
    session.end_progress();
    if (options.common.json) {
        page.write_json(output->sink());
    } else {
        page.write_text(output->sink());
    }
    if (!session.commit(*output)) return failed;
    session.warn(page.completeness);
    const auto samples = page.completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
    if (page.scanned) session.count_samples(samples == page.completeness.records.end() ? 0 : samples->second.decoded);
    return session.exit_code(page.completeness);
}

CLI::App* add_info_options(CLI::App& app, const std::shared_ptr<InfoOptions>& options) {
    auto* command = app.add_subcommand("info",
                                       "Show header, events and features of a recording\n"
                                       "\n"
                                       "  perfdata info                       what was recorded, where and how\n"
                                       "  perfdata info --verbose             long lists in full\n"
                                       "  perfdata info --completeness        what of it can be read, to the byte");
    options->common.add_to(*command);
    command->add_flag("-v,--verbose", options->verbose, "Long lists in full, and where each feature lies");
    command->add_flag("--completeness", options->completeness,
                      "Read all records and say what could be decoded and what not (--strict implies it)");
    begin_anew(*command, options);
    return command;
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
    const auto options = std::make_shared<InfoOptions>();
    auto* command = add_info_options(app, options);
    options->common.on_run(*command, exit, [options] { return run(*options); });
}

BatchAction batch_info(CLI::App& app) {
    const auto options = std::make_shared<InfoOptions>();
    auto* command = add_info_options(app, options);
    return {command, &options->common, {}, [options](const Common& common) {
                auto one = *options;
                one.common = common;
                return run(one);
            }};
}

}  // namespace perfdata::tool
