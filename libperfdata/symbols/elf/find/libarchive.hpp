// SPDX-License-Identifier: MIT
// libarchive, loaded when a tar-ball is opened. Linked as usual it would take a sixth of each start of the tool: it
// brings libxml2 and ICU, and packed build-id caches are rare. docs/embedding.md has the figures.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/core/error.hpp"

#include "core/platform.hpp"

namespace perfdata {

// Libarchive has the functions that we use, by their names without "archive_". They live as long as it.
class Libarchive {
  public:
    // `path` is the file for which it is needed, `need` begins the message. Errors: unsupported (it is not installed,
    // or lacks a function).
    static Result<Libarchive> load(const std::string& path, std::string_view need = "is a file, and what unpacks it");

    decltype(&::archive_read_new) read_new = nullptr;
    decltype(&::archive_read_free) read_free = nullptr;
    decltype(&::archive_read_support_format_tar) read_support_format_tar = nullptr;
    decltype(&::archive_read_support_format_raw) read_support_format_raw = nullptr;
    decltype(&::archive_read_append_filter) read_append_filter = nullptr;
    decltype(&::archive_read_set_read_callback) read_set_read_callback = nullptr;
    decltype(&::archive_read_set_callback_data) read_set_callback_data = nullptr;
    decltype(&::archive_read_open1) read_open1 = nullptr;
    decltype(&::archive_read_data_skip) read_data_skip = nullptr;
    decltype(&::archive_read_next_header2) read_next_header2 = nullptr;
    decltype(&::archive_read_data_block) read_data_block = nullptr;
    decltype(&::archive_error_string) error_string = nullptr;
    decltype(&::archive_filter_bytes) filter_bytes = nullptr;
    decltype(&::archive_entry_new2) entry_new2 = nullptr;
    decltype(&::archive_entry_free) entry_free = nullptr;
    decltype(&::archive_entry_pathname) entry_pathname = nullptr;
    decltype(&::archive_entry_pathname_utf8) entry_pathname_utf8 = nullptr;
    decltype(&::archive_entry_hardlink) entry_hardlink = nullptr;
    decltype(&::archive_entry_symlink) entry_symlink = nullptr;
    decltype(&::archive_entry_filetype) entry_filetype = nullptr;
    decltype(&::archive_entry_size) entry_size = nullptr;
    decltype(&::archive_entry_sparse_count) entry_sparse_count = nullptr;
    decltype(&::archive_read_set_skip_callback) read_set_skip_callback = nullptr;
    // For writing.
    decltype(&::archive_write_new) write_new = nullptr;
    decltype(&::archive_write_free) write_free = nullptr;
    decltype(&::archive_write_set_format_pax_restricted) write_set_format_pax_restricted = nullptr;
    decltype(&::archive_write_set_format_option) write_set_format_option = nullptr;
    decltype(&::archive_write_set_bytes_per_block) write_set_bytes_per_block = nullptr;
    decltype(&::archive_write_set_bytes_in_last_block) write_set_bytes_in_last_block = nullptr;
    decltype(&::archive_write_open) write_open = nullptr;
    decltype(&::archive_write_header) write_header = nullptr;
    decltype(&::archive_write_data) write_data = nullptr;
    decltype(&::archive_write_finish_entry) write_finish_entry = nullptr;
    decltype(&::archive_write_close) write_close = nullptr;
    decltype(&::archive_entry_set_pathname) entry_set_pathname = nullptr;
    decltype(&::archive_entry_set_size) entry_set_size = nullptr;
    decltype(&::archive_entry_set_filetype) entry_set_filetype = nullptr;
    decltype(&::archive_entry_set_perm) entry_set_perm = nullptr;
    decltype(&::archive_entry_set_mtime) entry_set_mtime = nullptr;

  private:
    explicit Libarchive(platform::Library library) : library_(std::move(library)) {}

    platform::Library library_;
};

}  // namespace perfdata
