// SPDX-License-Identifier: MIT
// to_parquet.js FOLDER DIR: see scripts/to-parquet. FOLDER is where DuckDB is installed.
'use strict';

const fs = require('fs');
const path = require('path');
const {tables, quoted, reading, connect} = require('./tables.js');

async function convert(folder, directory) {
  const connection = await connect(folder);
  for (const [name, columns] of Object.entries(tables)) {
    const from = path.join(directory, `${name}.csv`);
    const to = path.join(directory, `${name}.parquet`);
    if (!fs.statSync(from).isFile()) throw new Error(`${from} is no file`);
    const old = fs.lstatSync(to, {throwIfNoEntry: false});
    if (old && !old.isFile()) throw new Error(`${to}: there is something that is no file`);
    // A table appears when it is complete. Its new directory has a name that nobody else has.
    const fresh = fs.mkdtempSync(path.join(directory, '.parquet-'));
    const written = path.join(fresh, 'table');
    try {
      await connection.run(
          `COPY (SELECT * FROM ${reading(from, columns)}) TO ${quoted(written)} (FORMAT parquet, COMPRESSION zstd)`);
      fs.renameSync(written, to);
    } finally {
      fs.rmSync(fresh, {recursive: true, force: true});
    }
  }
}

convert(process.argv[2], process.argv[3]).catch((error) => {
  console.error(`to-parquet: ${error.message}`);
  process.exit(1);
});
