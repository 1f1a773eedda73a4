/** How long a plugin tried out in a child process may be silent (core/plugin/preflight.ts). */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tryOut } from "../../core/plugin/preflight";
import { temporaryDirectory } from "../helpers/data-directory";

/** Starts up after `start_ms`; its only step takes `step_ms`. */
const child = ([start_ms, step_ms]: readonly number[], file: string): string => `
  const at = { preflight: "at", file: ${JSON.stringify(file)}, doing: "import" };
  await Bun.sleep(${start_ms});
  console.log(JSON.stringify(at));
  ${step_ms === Infinity ? "while (true);" : `await Bun.sleep(${step_ms});`}
  console.log(JSON.stringify({ ...at, preflight: "past" }));
  console.log(JSON.stringify({ preflight: "end" }));`;

test.each([
  ["a step that never ends is stopped", [0, Infinity], "hung"],
  ["after a slow start, steps may take longer too", [400, 1_500], undefined],
])("%s", async (_why, times, problem) => {
  const file = join(temporaryDirectory(), "child.ts");
  await Bun.write(file, child(times as number[], file));
  const { bad } = await tryOut([process.execPath, file], { ...process.env }, [file], 200);
  if (problem === undefined) expect([...bad.values()]).toEqual([]);
  else expect(bad.get(file)?.problems.join()).toContain(problem);
});
