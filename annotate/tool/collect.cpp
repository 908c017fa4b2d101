// SPDX-License-Identifier: MIT
// perfdata collect: a recording and all that is needed to show it elsewhere, in one file.
#include <algorithm>
#include <array>
#include <charconv>
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
#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"
#include "bundle/other_roots.hpp"
#include "format/words.hpp"
#include "tool.hpp"
#include "tool/collect/collect_inputs.hpp"
#include "tool/collect/collect_names.hpp"
#include "tool/collect/collect_page.hpp"
#include "tool/collect/collect_recording.hpp"
#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/private_option.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

// A build-id cache that is no directory here: objects of other roots are in it.
constexpr const char* virtual_cache = "/.perfdata-objects";
// What a packed build-id cache is called while its files are traced.
constexpr const char* virtual_archive = "/.perfdata-archive";

struct CollectChoice {
    Common common;
    NameChoice names;
    LineChoice lines;
    std::string debug = "lines";
    bool sources = false;
    bool vmlinux = false;
    bool check = false;
    bool anonymize = false;
    bool private_files = false;
    std::string key;                 // a file
    std::vector<std::string> roots;  // "PID=DIR"

    bool is(Format format) const { return common.format == option_word(format); }
};

// Returns pid and directory of "PID=DIR"; nothing if it is none.
std::optional<std::pair<std::uint32_t, std::string>> parse_root(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) return {};
    std::uint32_t pid = 0;
    const auto* const end = text.data() + equals;
    const auto [stop, problem] = std::from_chars(text.data(), end, pid);
    if (problem != std::errc{} || stop != end || equals + 1 == text.size()) return {};
    return std::pair(pid, text.substr(equals + 1));
}

std::string no_root(const std::string& text) {
    const auto root = parse_root(text);
    if (!root) return fmt::format("{} is not PID=DIR, a number and a directory", text);
    return no_directory(root->second);
}

// Returns the lesser of two details of debug information, by their words. Others than these count as none.
std::string lesser_detail(const std::string& one, const std::string& other) {
    constexpr std::array<std::string_view, 3> words{"none", "lines", "full"};
    const auto rank = [&](std::string_view word) {
        const auto at = std::ranges::find(words, word);
        return at == words.end() ? std::size_t{0} : static_cast<std::size_t>(at - words.begin());
    };
    return std::string(words[std::min(rank(one), rank(other))]);
}

// Returns a word of a bundle's index as it may be shown: an index may say anything.
std::string counted_kind(const std::string& word, bool anonymize) {
    if (anonymize) return "counted when the bundle was made";
    constexpr std::size_t longest = 100;
    const bool plain =
        word.size() <= longest && std::ranges::all_of(word, [](char one) { return one >= ' ' && one <= '~'; });
    return plain ? word : "files or bytes of another kind";
}

class CollectRun {
  public:
    explicit CollectRun(const CollectChoice& choice) : choice_(choice), session_(choice.common) {}

    int run() {
        if (const auto problem = contradiction(); !problem.empty()) {
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
        note_unused();
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
        return session_.exit_code(completeness, !needed->missing.empty() || !needed->example.empty());
    }

  private:
    std::string contradiction() const {
        if (choice_.check && choice_.is(Format::bundle) && choice_.common.output != "-" && choice_.common.place &&
            known_ending(choice_.common.output)) {
            return "--check writes no bundle, but text or JSON";
        }
        if (!choice_.check && !choice_.is(Format::bundle)) {
            return fmt::format("{}: this is for --check; without it, collect writes a bundle",
                               choice_.common.json ? "JSON" : "text");
        }
        if (!choice_.key.empty() && !choice_.anonymize) return "--anonymize-key is for --anonymize";
        if (!choice_.roots.empty() && !machine()) {
            return "--root is for files of this machine, which --offline and --symfs rule out";
        }
        if (choice_.check && choice_.anonymize) {
            return "--check says what would be packed without --anonymize: it does not go with it";
        }
        std::map<std::uint32_t, std::string> roots;
        for (const auto& text : choice_.roots) {
            const auto root = parse_root(text);
            if (root && !roots.insert(*root).second) {
                return fmt::format("--root {}: this process has another one already", text);
            }
        }
        if (choice_.anonymize && (choice_.sources || choice_.debug == "full")) {
            return "--anonymize leaves out source files and debug information: --with-sources and --with-debug full "
                   "do not go with it";
        }
        return {};
    }

    // Says which options have no effect: a bundle that is packed again has what it has.
    void note_unused() const {
        if (const auto& bundle = session_.recording().bundle()) {
            const auto& names = choice_.names;
            const auto ignored = [&](bool given, std::string_view option) {
                if (given)
                    session_.note(fmt::format("{} is not used: a bundle is packed again with what it has", option));
            };
            ignored(!choice_.roots.empty(), "--root");
            ignored(choice_.vmlinux, "--with-vmlinux");
            ignored(!names.symfs.empty(), "--symfs");
            ignored(!names.buildid_dir.empty(), "--buildid-dir");
            ignored(!names.kallsyms.empty(), "--kallsyms");
            ignored(!names.vmlinux.empty(), "--vmlinux");
            ignored(!names.kcore.empty(), "--kcore");
            ignored(!names.debug_dirs.empty(), "--debug-dir");
            ignored(!names.jit_dumps.empty(), "--jitdump");
            ignored(!names.perf_maps.empty(), "--perf-map");
            ignored(!choice_.lines.source_dirs.empty(), "--source-dir");
            ignored(names.allow_local, "--allow-local");
            ignored(choice_.private_files, "--private");
            ignored(choice_.sources && !bundle->facts().sources, "--with-sources");
            ignored(choice_.debug == "full" && bundle->facts().debug != "full", "--with-debug full");
            return;
        }
        std::set<std::string> maps;  // by the names that they must have
        for (const auto& mapping : session_.timeline().tasks().mappings()) {
            maps.insert("perf-" + std::to_string(mapping.pid.value) + ".map");
        }
        for (const auto& path : choice_.names.perf_maps) {
            if (maps.contains(path.substr(path.rfind('/') + 1))) continue;
            session_.note(
                fmt::format("--perf-map {} is not used: the recording has no process of that number. Name a "
                            "copy of it perf-PID.map, with the recorded number",
                            path));
        }
        for (const auto& text : choice_.roots) {
            const auto root = parse_root(text);
            const auto mappings = session_.timeline().tasks().mappings();
            const auto is_of = [&](const auto& mapping) { return root && mapping.pid.value == root->first; };
            if (std::ranges::none_of(mappings, is_of)) {
                session_.note(fmt::format("--root {} is not used: the recording has no such process", text));
            }
        }
    }

    bool machine() const { return !choice_.names.offline && choice_.names.symfs.empty(); }

    DebugDetail debug() const {
        if (choice_.anonymize || choice_.debug == "none") return DebugDetail::none;
        return choice_.debug == "full" ? DebugDetail::full : DebugDetail::lines;
    }

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
        if (machine() && !session_.recording().bundle()) {
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
        options.debug = debug();
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
            for (const auto& [what, number] : bundle->facts().left_out)
                needed->leave_out(counted_kind(what, choice_.anonymize), number);
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
        anonymize_missing(*anonymizer, index.missing);
        index.anonymized = anonymizer->counts();
        return members;
    }

    int write(Needed& needed) {
        auto files = inputs_.files();
        BundleIndex index;
        index.recording = bundled_recording;
        index.debug = choice_.anonymize ? "none" : choice_.debug;
        index.sources = choice_.sources;
        if (const auto& bundle = session_.recording().bundle()) {
            index.debug = lesser_detail(index.debug, bundle->facts().debug);
            index.sources = index.sources && bundle->facts().sources;
        }
        for (const auto& missing : needed.missing) {
            index.missing.push_back({missing.path, missing.build_id, missing.why, missing.by.samples});
        }
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
            for (auto& file : needed.files) others.push_back({file.member, file.content});
        }
        index.left_out = needed.left_out;
        if (const auto& bundle = session_.recording().bundle()) {
            for (const auto& [what, number] : bundle->facts().anonymized) {
                // These are objects of this bundle, and are counted again.
                if (choice_.anonymize && what == to_string(Told::kept_objects)) continue;
                const auto kind = counted_kind(what, choice_.anonymize);
                const auto same =
                    std::ranges::find(index.anonymized, kind, &std::pair<std::string, std::uint64_t>::first);
                if (same == index.anonymized.end()) {
                    index.anonymized.emplace_back(kind, number);
                } else {
                    same->second += number;
                }
            }
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
        for (const auto& [what, number] : needed.left_out) session_.note(fmt::format("left out: {} {}", number, what));
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
