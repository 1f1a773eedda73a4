/** Log lines on a slow, full or closed output: writing never blocks, and lost lines are counted. */
import { expect, test } from "bun:test";
import { LogOutput } from "../../core/base/log-output";
import { until } from "../helpers/server";

/** An output that can be told to take, refuse or hold back what is written. */
function world() {
  const stream = {
    written: "",
    how: "takes" as "takes" | "refuses" | "keeps",
    kept: [] as (() => void)[],
    write(text: string, done: (error?: Error) => void) {
      const take = () => {
        stream.written += text;
        done();
      };
      if (stream.how === "takes") take();
      else if (stream.how === "refuses") done(new Error("ENOSPC"));
      else stream.kept.push(take);
    },
  };
  return { stream, output: new LogOutput(stream, (lines) => `${lines} lost`) };
}

test("lines are written in order", () => {
  const { stream, output } = world();
  output.write("one");
  output.write("two");
  expect(stream.written).toBe("one\ntwo\n");
});

test("lines refused by a full disk are counted and reported once it has space", async () => {
  const { stream, output } = world();
  stream.how = "refuses";
  for (let i = 0; i < 5; i++) output.write("x");
  stream.how = "takes";
  await until(() => stream.written !== "");
  output.write("again");
  expect(stream.written).toBe("\n5 lost\nagain\n");
});

test("a stalled reader costs at most a megabyte and learns how many lines were lost", async () => {
  const { stream, output } = world();
  stream.how = "keeps";
  for (let i = 0; i < 3_000; i++) output.write("x".repeat(1_000));
  const kept_lines = stream.kept.length;
  expect(kept_lines).toBeLessThan(1_100);
  stream.how = "takes";
  for (const take of stream.kept) take();
  expect(stream.written).toContain(`\n${3_000 - kept_lines} lost\n`);
  await output.flush(10);
});
