// SPDX-License-Identifier: MIT
// perfdata collect: a recording and all that is needed to show it elsewhere, in one file.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/symbols/elf/find/archived_files.hpp"

#include "bundle/anonymize/anonymizer.hpp"
#include "bundle/anonymize/tally.hpp"
#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"
#include "bundle/other_roots.hpp"
#include "format/words.hpp"
#include "tool.hpp"
#include "tool/collect/collect_choice.hpp"
#include "tool/collect/collect_index.hpp"
#include "tool/collect/collect_inputs.hpp"
#include "tool/collect/collect_names.hpp"
#include "tool/collect/collect_page.hpp"
#include "tool/collect/collect_recording.hpp"
#include "tool/options/private_option.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

// A build-id cache that is no directory here: objects of other roots are in it.
constexpr const char* virtual_cache = "/.perfdata-objects";
// What a packed build-id cache is called while its files are traced.
constexpr const char* virtual_archive = "/.perfdata-archive";

class CollectRun {
  public:
    explicit CollectRun(const CollectChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = choice_.contradiction(); !problem.empty()) {
            complain(problem);
            return usage;
        }
        if (!choice_.check && !ArchivedFiles::available()) {
            return session_.give_up(
                {ErrorCode::unsupported, Error::no_offset, "collect",
                 "this perfdata was built without libarchive, which writes bundles: -DPERFDATA_ARCHIVES=ON"});
        }
        if (!session_.open_samples()) return failed;
        if (refuses_profile(session_.recording(), "perfdata collect", "records to pack")) return usage;
        auto files = recording_members(session_.recording(), {{}, session_.progress("reading the recording")});
        if (!files) return session_.give_up(files.error());
        auto inputs = CollectInputs::of(session_.recording(), std::move(*files));
        if (!inputs) return session_.give_up(inputs.error());
        inputs_ = std::move(*inputs);
        if (!choice_.check) {
            const auto hashed = inputs_.hash({{}, session_.progress("hashing the recording")});
            if (!hashed) return session_.give_up(hashed.error());
        }
        if (!session_.read_timeline()) return failed;
        note_unused(choice_, session_);
        if (auto opened = open_names(); !opened) return session_.give_up(opened.error());
        if (const auto taken = choice_.names.check(*symbolizer_); !taken) return session_.give_up(taken.error());
        auto needed = find();
        if (!needed) return session_.give_up(needed.error());
        if (const auto same = inputs_.check(*needed); !same) return session_.give_up(same.error());
        session_.end_progress();
        const auto status = choice_.check ? write_page(*needed) : write(*needed);
        if (status != fine) return status;
        auto completeness = session_.completeness();
        completeness.diagnostics.append(symbolizer_->losses());
        warn_losses(choice_.common, completeness);
        tell(*needed);
        return session_.exit_code(completeness, !needed->missing.empty() || needed->sources_outside != 0);
    }

  private:
    // Opens the symbolizer on files that are traced.
    Result<void> open_names() {
        options_ = choice_.names.options(session_.recording(), {});
        options_.sources = choice_.lines.options(choice_.names.offline);
        auto& finder = options_.finder;
        // What a bundle has was judged when it was packed. Objects are judged before they are packed, since other roots
        // may have them.
        session_.allow_private(choice_.private_files);
        options_.jit.handed_on = session_.handed_on();
        if (options_.jit.handed_on == HandedOn::of_others) finder.handed_on = HandedOn::of_others;
        auto beneath = options_.files;
        auto& roots = roots_;
        if (choice_.machine() && !session_.recording().bundle()) {
            std::map<std::uint32_t, std::string> given;
            for (const auto& text : choice_.roots) {
                if (auto root = parse_root(text)) given.insert(std::move(*root));
            }
            roots = OtherRoots::find(session_.timeline(), std::move(given), {});
        }
        const auto archive = finder.buildid_dir;
        const auto cache = platform::status(archive);
        const bool packed = !archive.empty() && cache && !cache->is_directory();
        if (packed) {
            auto opened =
                ArchivedFiles::open(archive, beneath, finder.limits, session_.progress("unpacking the build-id cache"));
            session_.end_progress();
            if (!opened) return fail(std::move(opened.error()));
            beneath = std::move(*opened);
        }
        std::set<std::string> cores{"/proc/kcore"};
        if (!choice_.names.kcore.empty()) cores.insert(choice_.names.kcore);
        // An anonymized recording is one file: what was in its directory goes into the bundle as other files do.
        if (choice_.anonymize) cores.insert(session_.recording().path() + "/kcore_dir/kcore");
        const auto traced = std::make_shared<TracedFiles>(beneath, roots.directories(), std::move(cores));
        if (packed) {
            traced->rename(virtual_archive, archive);
            finder.buildid_dir = virtual_archive;
        }
        if (!roots.of_pid.empty()) {
            auto found = find_objects(roots, session_.timeline(), finder.limits, *traced, {});
            if (!found) return fail(std::move(found.error()));
            session_.end_progress();
            for (const auto& path : *found) {
                session_.note(
                    fmt::format("{}: processes with different roots have different files of this name, and "
                                "no build id says which is which: none is used",
                                path));
            }
            // They are looked for in a cache, whichever there is.
            if (finder.caches().empty()) finder.local_buildid_dir = virtual_cache;
        }
        files_ = traced;
        options_.files = files_;
        symbolizer_.emplace(Symbolizer::open(session_.recording(), session_.timeline(), options_));
        return {};
    }

    Result<Needed> find() {
        NeededOptions options;
        options.debug = choice_.debug_detail();
        options.sources = choice_.sources;
        options.vmlinux = choice_.vmlinux;
        options.recording_as_a_whole = !choice_.anonymize;
        options.why_no_private = session_.why_no_private_sources();
        options.owner_only = choice_.private_files;
        options.jobs = choice_.names.threads();
        options.watch.progress = session_.progress("finding what samples hit");
        if (const auto& bundle = session_.recording().bundle()) {
            auto needed = bundled_files(*bundle, options);
            if (!needed) return needed;
            for (const auto& [what, number] : left_out_before(bundle->facts(), choice_.anonymize)) {
                needed->leave_out(what, number);
            }
            needed->finish();
            return needed;
        }
        return find_needed({session_.recording(), *symbolizer_, options_, *files_, roots_.of_pid}, options);
    }

    int write_page(const Needed& needed) {
        auto output = session_.open_output();
        if (!output) return failed;
        const CollectPage page{session_.recording().path(), inputs_.files(), needed};
        if (choice_.common.json) {
            write_collect_json(page, output->sink());
        } else {
            write_collect_text(page, wants_color(choice_.common, *output), output->sink());
        }
        return session_.commit(*output) ? fine : failed;
    }

    // Makes the recording and its files say nothing of what may be secret.
    Result<std::vector<BundleContent>> anonymized(std::vector<BundleContent>& files, Needed& needed,
                                                  BundleIndex& index) {
        const auto key = anonymize_key(choice_.key);
        if (!key) return fail(key.error());
        auto anonymizer = Anonymizer::create(*key);
        if (!anonymizer) return fail(anonymizer.error());
        auto recording =
            anonymizer->recording(session_.recording(), {{}, session_.progress("anonymizing the recording")});
        if (!recording) return fail(std::move(recording.error()));
        files = {{{bundled_recording, "recording", {}, {}}, std::move(*recording)}};
        auto members = anonymized_members(*anonymizer, needed, session_.recording().limits(),
                                          {{}, session_.progress("anonymizing its files")});
        index = index_of(needed);  // what cannot be anonymized is missing as well
        anonymize_missing(*anonymizer, index.missing);
        index.anonymized = anonymizer->counts();
        return members;
    }

    BundleIndex index_of(const Needed& needed) const {
        return collect_index(needed, choice_.anonymize ? "none" : choice_.debug, choice_.sources,
                             session_.recording().bundle());
    }

    int write(Needed& needed) {
        auto files = inputs_.files();
        BundleIndex index;
        std::vector<BundleContent> others;
        if (choice_.anonymize) {
            auto made = anonymized(files, needed, index);
            // What was written to meanwhile may be damaged in any way: say why.
            if (const auto now = inputs_.check(needed); !now) return session_.give_up(now.error());
            const auto same = inputs_.check_hashes({{}, session_.progress("hashing the recording")});
            if (!same) return session_.give_up(same.error());
            if (!made) return session_.give_up(made.error());
            others = std::move(*made);
            anonymized_ = index.anonymized;
        } else {
            index = index_of(needed);
            for (auto& file : needed.files) {
                others.push_back({file.member, file.content});
                if (file.by.samples_known) others.back().member.samples = file.by.samples;
            }
        }
        for (const auto& one : needed.left_out) index.left_out.emplace_back(one.what, one.number);
        if (const auto& bundle = session_.recording().bundle()) {
            add_counts(index.anonymized, anonymized_before(bundle->facts(), choice_.anonymize));
        }
        auto output = session_.open_output_as(inputs_.bundle_permissions(needed));
        if (!output) return failed;
        if (output->is_terminal()) {
            return session_.give_up({ErrorCode::unsupported, Error::no_offset, "standard output",
                                     "a bundle is binary and this is a terminal; give -o FILE"});
        }
        auto written = write_bundle(std::move(files), std::move(others), index, output->sink(),
                                    {{}, session_.progress("packing", *output)},
                                    choice_.anonymize ? MemberHashes() : inputs_.hashes());
        session_.end_progress();
        // A file that became shorter fails to be packed in many ways: say why.
        if (const auto same = inputs_.check(needed); !same) return session_.give_up(same.error());
        if (!written && written.error().code == ErrorCode::mismatch) {
            written.error().where = session_.recording().path();
            written.error().detail += ": collect again";
        }
        if (!written) return session_.give_up(written.error());
        return session_.commit(*output) ? fine : failed;
    }

    void tell(const Needed& needed) const {
        if (choice_.common.quiet || choice_.check) return;
        session_.note(session_.why_recording_is_others());
        for (const auto& text : inputs_.notes()) session_.note(text);
        for (const auto& [what, number] : anonymized_) session_.note("--anonymize: " + told_text(what, number));
        for (const auto& one : needed.left_out) session_.note("left out: " + left_out_text(one));
        session_.note(needed.example);
        const auto first = std::ranges::find(needed.missing, true, &NeededMissing::is_private);
        if (first != needed.missing.end()) {
            const auto number = std::ranges::count(needed.missing, true, &NeededMissing::is_private);
            session_.note(session_.private_remedy(static_cast<std::size_t>(number), first->path));
        }
        constexpr std::size_t few = 10;
        const auto most = choice_.common.strict ? needed.missing.size() : few;
        for (std::size_t at = 0; at < std::min(most, needed.missing.size()); ++at) {
            complain("warning: missing: " + missing_text(needed.missing[at]));
        }
        if (needed.missing.size() > most) {
            complain(fmt::format("warning: and {} more are missing; see --check", needed.missing.size() - most));
        }
    }

    const CollectChoice& choice_;
    Session session_;
    CollectInputs inputs_;
    SymbolizerOptions options_;
    OtherRoots roots_;
    std::shared_ptr<const TracedFiles> files_;
    std::optional<Symbolizer> symbolizer_;
    std::vector<std::pair<std::string, std::uint64_t>> anonymized_;
};

}  // namespace

void add_collect(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand(
        "collect",
        "Pack a recording and all that is needed to show it into one file, for any other machine\n"
        "\n"
        "  perfdata collect -o BUNDLE          on the recorded machine; then, anywhere:\n"
        "  perfdata report BUNDLE              and so for every other command\n"
        "  perfdata collect --check            what would be in it, and what is missing\n"
        "  perfdata collect --with-sources -o BUNDLE\n"
        "  perfdata collect --anonymize -o BUNDLE\n"
        "\n"
        "A bundle is a tar-ball packed with zstd. It has the objects that samples and their callers hit, the kernel's\n"
        "names and code, and what just-in-time compilers left.");
    auto choice = std::make_shared<CollectChoice>();
    choice->common.add_to(*command, {Format::bundle, Format::text, Format::json});
    command->get_option("--json")->description("With --check: write JSON");
    constexpr auto group = "What goes into the bundle";
    command
        ->add_option("--with-debug", choice->debug,
                     "Debug information: none; lines (the default), what lines and inlined calls need; or full")
        ->check(one_of({"none", "lines", "full"}))
        ->group(group);
    command->add_flag("--with-sources", choice->sources, "Also source files that lines of sampled functions refer to")
        ->group(group);
    command->add_flag("--with-vmlinux", choice->vmlinux, "Also the kernel's ELF file, which is large, if it is here")
        ->group(group);
    command
        ->add_option("--root", choice->roots,
                     "Look for files of process PID below this directory. Found without it: root directories of "
                     "processes that still run, such as those of containers. May be given several times")
        ->type_name("PID=DIR")
        ->check(no_root, "")
        ->allow_extra_args(false)
        ->group(group);
    command
        ->add_flag(
            "--anonymize", choice->anonymize,
            "Replace names of commands, files and the machine by keyed hashes, and names of functions but for those in "
            "the symbol tables of packed programs and libraries, which stay; leave out copies of stacks, payloads, "
            "sources and debug information")
        ->group(group);
    command
        ->add_option("--anonymize-key", choice->key,
                     "The key of the hashes: 32 bytes, or 64 hexadecimal digits. Default: a random one, which is "
                     "forgotten")
        ->type_name("FILE")
        ->group(group);
    command->add_flag("--check", choice->check, "Write no bundle, but what would be in it, and what is missing");
    choice->names.add_to(*command);
    choice->names.add_code_to(*command);
    choice->lines.add_to(*command);
    add_private_to(*command, choice->private_files);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return CollectRun(*choice).run(); });
}

}  // namespace perfdata::tool
