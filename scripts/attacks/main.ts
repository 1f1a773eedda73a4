/**
 * `npm run attacks -- [WORD…]`: what one user can do to another. Each case starts the executable on
 * a new data directory and lets a user ask for as much as the API allows, while another one, in a
 * process of its own, does what people do. Words select cases; `--bin PATH` takes another
 * executable, `--seconds N` another duration (6), `--list` names the cases. Exits 1 if a bar is
 * missed.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { executable } from "../build";
import { cases } from "./cases";
import { isDisturbed, misses, table, type Outcome } from "./outcome";
import { runCase } from "./run";

const {
  values: { bin, seconds, list },
  positionals: words,
} = parseArgs({
  options: {
    bin: { type: "string", default: executable },
    seconds: { type: "string", default: "6" },
    list: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const chosen = cases.filter(({ name, only_named }) =>
  words.length === 0 ? only_named !== true : words.some((word) => name.includes(word)),
);
if (chosen.length === 0 || list) {
  for (const { name, reason } of cases) console.log(`${name}: ${reason}`);
  process.exit(list ? 0 : 2);
}

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());

const outcomes: Outcome[] = [];
for (const one of chosen) {
  if (stopping.signal.aborted) break;
  const options = { program: resolve(bin), seconds: Number(seconds), signal: stopping.signal };
  let outcome = await runCase(one, options);
  if (misses(outcome).length > 0 && isDisturbed(outcome)) {
    console.error(`${one.name}: the machine was busy, so it runs once more`);
    outcome = await runCase(one, options);
  }
  outcomes.push(outcome);
  console.log(table([outcome], { with_head: outcomes.length === 1 }));
}
const missed = outcomes.filter((outcome) => misses(outcome).length > 0);
console.log(
  missed.length === 0
    ? `all ${outcomes.length} met`
    : `${missed.length} of ${outcomes.length} missed: ${missed.map(({ name }) => name).join(", ")}`,
);
process.exit(missed.length === 0 ? 0 : 1);
