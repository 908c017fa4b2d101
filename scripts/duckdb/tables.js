// SPDX-License-Identifier: MIT
// The tables of `perfdata export --format csv`, with the type of each column. A test compares them with the headers.
'use strict';

const path = require('path');

const key = 'UINTEGER';
const text = 'VARCHAR';
const time = 'DECIMAL(20,9)'; // seconds: a DOUBLE has too few digits
const count = 'UBIGINT';

exports.tables = {
  samples: {
    sample_id: 'UBIGINT', time, event_id: key, event: text, command: text, pid: 'INTEGER', tid: 'INTEGER',
    stack_id: key, hits: count, periods: count,
  },
  stacks: {stack_id: key, depth: key, frame_id: key},
  frames: {
    frame_id: key, function_id: key, object_id: key, address: text, inlined: 'BOOLEAN', file: text, line: key,
    column: key,
  },
  functions: {function_id: key, name: text, symbol: text, kind: text, object_id: key, file: text, line: key},
  objects: {object_id: key, path: text, kind: text, build_id: text, load_id: key},
  loads: {
    load_id: key, program_id: key, program_name: text, program_tag: text, program_type: text, loaded_at: time,
    unloaded_at: time, subprograms: key, jited_size: key, xlated_size: key, btf_id: key, created_by_uid: key,
    map_count: key, run_count: count, run_time_ns: count,
  },
};

const quoted = (value) => `'${value.replace(/'/g, "''")}'`;
exports.quoted = quoted;

// reading(file, columns) returns the SQL that reads a CSV file with these columns and no others.
exports.reading = (file, columns) => {
  const types = Object.entries(columns).map(([name, type]) => `${quoted(name)}: ${quoted(type)}`);
  return `read_csv(${quoted(file)}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', ` +
      `nullstr = '', columns = {${types.join(', ')}})`;
};

// connect(folder) returns a connection to an empty data base in memory, which loads nothing from elsewhere. The package
// is below folder/node_modules.
exports.connect = async (folder) => {
  const {DuckDBInstance} = require(path.join(folder, 'node_modules', '@duckdb', 'node-api'));
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  return instance.connect();
};
