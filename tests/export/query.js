// SPDX-License-Identifier: MIT
// query.js FOLDER DIR: reads SQL statements from standard input, a JSON array of texts, and prints a JSON array of their
// answers: arrays of rows, which are arrays of texts, or an object with an error. DIR is the current directory for file
// names. Tables of the CSV files have their names: samples, stacks...
'use strict';

const fs = require('fs');
const path = require('path');
const {tables, reading, connect} = require('../../scripts/duckdb/tables.js');

async function answer(folder, directory) {
  const statements = JSON.parse(fs.readFileSync(0, 'utf8'));
  process.chdir(directory);
  const connection = await connect(folder);
  for (const [name, columns] of Object.entries(tables)) {
    await connection.run(`CREATE TABLE ${name} AS SELECT * FROM ${reading(`${name}.csv`, columns)}`);
  }
  const answers = [];
  for (const statement of statements) {
    try {
      const read = await connection.runAndReadAll(statement);
      answers.push(read.getRowsJson().map((row) => row.map((value) => (value === null ? null : String(value)))));
    } catch (error) {
      answers.push({error: error.message});
    }
  }
  console.log(JSON.stringify(answers));
}

answer(path.resolve(process.argv[2]), process.argv[3]).catch((error) => {
  console.error(`query: ${error.message}`);
  process.exit(1);
});
