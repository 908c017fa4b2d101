// SPDX-License-Identifier: MIT
// ask.js FOLDER NIGHT JSON FILE...: see scripts/fleet/ask. FOLDER is where DuckDB is installed, JSON is 1 or 0.
'use strict';

const fs = require('fs');
const path = require('path');
const {quoted, reading, connect} = require('../duckdb/tables.js');

const text = 'VARCHAR';
const count = 'UBIGINT';
const tables = {
  counts: {
    arch_group: text, host_class: text, kernel: text, event: text, object: text, build_id: text, function: text,
    recordings: count, hits: count, periods: 'HUGEINT', first_recorded: text, last_recorded: text,
  },
  recordings: {
    entry: count, path: text, host_class: text, state: text, error: text, attempts: count, arch_group: text,
    hostname: text, kernel: text, recorded: text, samples: count, profile_bytes: count, seconds: 'DOUBLE',
    partial: 'BOOLEAN', content: text,
  },
};

// Makes a table as a Parquet file, which appears when it is complete, and lets questions name it.
async function open(connection, night, name, from) {
  const folder = path.join(night, 'tables');
  const to = path.join(folder, `${name}.parquet`);
  const fresh = fs.mkdtempSync(path.join(folder, '.parquet-'));
  try {
    const written = path.join(fresh, 'table');
    await connection.run(`COPY (SELECT * FROM ${reading(from, tables[name])}) TO ${quoted(written)} ` +
        '(FORMAT parquet, COMPRESSION zstd)');
    fs.renameSync(written, to);
  } finally {
    fs.rmSync(fresh, {recursive: true, force: true});
  }
  await connection.run(`CREATE VIEW ${name} AS SELECT * FROM ${quoted(to)}`);
}

const shown = (value) => value === null ? '-' : String(value).replace(/[^ -~\u00a0-\uffff]/g, '?');

function print(title, names, rows) {
  const lines = [names, ...rows.map((row) => row.map(shown))];
  const widths = names.map((_, column) => Math.min(60, Math.max(...lines.map((line) => line[column].length))));
  console.log(`\n${title}\n`);
  for (const line of lines) {
    console.log('  ' + line.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd());
  }
}

async function ask(folder, night, json, files) {
  const connection = await connect(folder);
  const pages = path.join(night, 'tables', 'counts', '*.csv');
  await open(connection, night, 'counts', pages);
  await open(connection, night, 'recordings', path.join(night, 'tables', 'recordings.csv'));
  for (const file of files) {
    const sql = fs.readFileSync(file, 'utf8');
    const answer = await connection.runAndReadAll(sql);
    const names = answer.columnNames();
    if (json) {
      console.log(JSON.stringify({question: path.basename(file, '.sql'), columns: names, rows: answer.getRowsJson()}));
    } else {
      const title = sql.split('\n').filter((line) => line.startsWith('-- ') && !line.includes('SPDX'));
      print(title.map((line) => line.slice(3)).join('\n'), names, answer.getRowsJson());
    }
  }
}

ask(process.argv[2], process.argv[3], process.argv[4] === '1', process.argv.slice(5)).catch((error) => {
  console.error(`ask: ${error.message}`);
  process.exit(1);
});
