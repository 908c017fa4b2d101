// SPDX-License-Identifier: MIT
// perfdata export --format csv: which tables go where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/csv_tables.hpp"
#include "tool/output/output_file.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {

// no_table(name) checks an argument of --table. It returns the error, or an empty text.
std::string no_table(const std::string& name);

// table_problem(output, table) returns why `-o OUTPUT --table TABLE` cannot be done, before anything is opened; an
// empty text if it can. Without a table the output is a directory: it cannot be standard output, nor be called like one
// of the files.
std::string table_problem(std::string_view output, std::string_view table);

// TableDirectory is the directory that -o names. Its files appear together when all are complete; see OutputFile. Until
// then old ones are untouched, and a directory that did not exist is removed with the object.
class TableDirectory {
  public:
    // open(common) takes `common.output`, which is a directory, or nothing yet. It makes the directory, and looks for
    // what cannot be written: better before hours of work than after. An entry that is no regular file, such as a link,
    // is an error and stays. refuse_taken() refuses a file that is an input. `common` must outlive the object. Errors:
    // io.
    static Result<TableDirectory> open(const Common& common);
    TableDirectory(TableDirectory&& other) noexcept;
    TableDirectory& operator=(TableDirectory&&) = delete;
    ~TableDirectory();

    // write(exported, symbolizer) writes all tables. Returns how many stacks lack callers, see StackRoom. Errors: io.
    Result<std::uint64_t> write(const Exported& exported, const Symbolizer& symbolizer);

  private:
    TableDirectory(const Common& common, bool made) : common_(&common), made_(made) {}

    Result<OutputPlace> place_of(std::string_view table) const;

    const Common* common_;
    bool made_ = false;  // the directory is ours, and still empty
};

}  // namespace perfdata::tool
