/** Work of many short steps lets others in from time to time, and only then. */
import { expect, spyOn, test } from "bun:test";
import { StepPauses } from "../../core/lib/chunked-work";

/** How often something else could run between three steps of this length. */
async function turnsBetween(step_ms: number): Promise<number> {
  let now_ms = 1_000;
  const clock = spyOn(performance, "now").mockImplementation(() => now_ms);
  let turns = 0;
  let is_done = false;
  const count = (): void => {
    turns++;
    if (!is_done) setImmediate(count);
  };
  try {
    const pauses = new StepPauses();
    setImmediate(count);
    for (let step = 0; step < 3; step++) {
      now_ms += step_ms;
      await pauses.pause();
    }
    return turns;
  } finally {
    is_done = true;
    clock.mockRestore();
  }
}

const cases: [why: string, step_ms: number, turns: number][] = [
  ["short steps run together", 1, 0],
  ["short steps that add up are followed by others", 2, 1],
  ["each long step is followed by others", 10, 3],
];
for (const [why, step_ms, turns] of cases)
  test(why, async () => {
    expect(await turnsBetween(step_ms)).toBe(turns);
  });
