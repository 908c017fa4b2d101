// SPDX-License-Identifier: MIT
// perfdata info: describes a recording and its content.
#include "tool.hpp"
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
    return session.exit_code(page.completeness);
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("info",
                                       "Show header, events and features of a recording\n"
                                       "\n"
                                       "  perfdata info                       what was recorded, where and how\n"
                                       "  perfdata info --verbose             long lists in full\n"
                                       "  perfdata info --completeness        what of it can be read, to the byte");
    auto options = std::make_shared<InfoOptions>();
    options->common.add_to(*command);
    command->add_flag("-v,--verbose", options->verbose, "Long lists in full, and where each feature lies");
    command->add_flag("--completeness", options->completeness,
                      "Read all records and say what could be decoded and what not (--strict implies it)");
    begin_anew(*command, options);
    options->common.on_run(*command, exit, [options] { return run(*options); });
}

}  // namespace perfdata::tool
