// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"

#include "core/platform.hpp"
#include "huge_pages.hpp"
#include "tool.hpp"
#include "tool/command_line.hpp"
#include "tool/output/temporary_file.hpp"
#include "usage.hpp"

namespace perfdata::tool {
namespace {

// Prints the usual message if memory runs out before main() or where nothing may throw.
[[noreturn]] void terminate() {
    if (const auto problem = std::current_exception()) {
        try {
            std::rethrow_exception(problem);
        } catch (const std::bad_alloc&) {
            complain_of_memory();
            std::_Exit(failed);
        } catch (...) {  // a bug: abort
        }
    }
    std::abort();
}
[[gnu::constructor(101)]] void catch_all() {
    std::set_terminate(terminate);
}

int run(int argc, char** argv) {
#if defined(PERFDATA_HUGE_PAGES)
    use_huge_pages();
#endif
    platform::open_closed_streams();
    platform::reserve_stack();
    platform::raise_open_files();
    platform::fail_writes_quietly();
    remove_temporaries_on_signals();
    Disassembler::throw_without_memory();
    int exit = fine;
    const auto all = std::span(argv, static_cast<std::size_t>(argc));
    const std::vector<std::string> words(all.begin() + (argc == 0 ? 0 : 1), all.end());
    const auto app = make_command_line(exit, words);
    try {
        app->parse(reversed_words(words));
    } catch (const CLI::ParseError& problem) {
        return answer(*app, problem);
    }
    return exit;
}

}  // namespace
}  // namespace perfdata::tool

int main(int argc, char** argv) {
    using namespace perfdata::tool;
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        complain_of_memory();
    } catch (const std::length_error&) {  // a length beyond any memory
        complain_of_memory();
    } catch (const std::exception& problem) {
        complain(problem.what());
    }
    return failed;
}
