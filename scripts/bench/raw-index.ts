/**
 * The rival of indexing: inserts every text into a full-text index, one durable transaction each,
 * and prints the duration in milliseconds. Runs as a separate process.
 */
import { Database } from "bun:sqlite";
import { fillTexts } from "./raw-data";

const texts = JSON.parse(await Bun.stdin.text()) as string[];
const db = new Database(process.argv[2]!, { create: true });
for (const pragma of ["busy_timeout = 5000", "journal_mode = WAL", "synchronous = FULL"])
  db.run(`pragma ${pragma}`);
const started = performance.now();
fillTexts(db, texts);
console.log(performance.now() - started);
