/** A server whose event loop stalls logs that, with the work in progress. */
import { afterEach, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { StallMeter } from "../../core/base/stall-meter";
import { until } from "../helpers/server";

const started: StallMeter[] = [];
afterEach(() => {
  for (const meter of started.splice(0)) meter.stop();
});

/** A meter whose clock moves only when told, so that a busy machine does not matter. */
function meterWithClock() {
  const lines: any[] = [];
  let at_ms = 0;
  let asked = 0;
  const now_ms = (): number => {
    asked += 1;
    return at_ms;
  };
  const meter = new StallMeter(
    jsonLog("warn", (line) => void lines.push(JSON.parse(line))),
    now_ms,
  );
  started.push(meter);
  meter.start();
  /** Waits until the meter has checked twice; each check reads the time twice. */
  const looked = async (): Promise<void> => {
    const before = asked;
    await until(() => asked >= before + 4);
  };
  return {
    meter,
    lines,
    looked,
    /** Makes the time between two checks longer by this. */
    async stand(ms: number): Promise<void> {
      at_ms += ms;
      await looked();
    },
  };
}

test("a stall names the work in progress and what ended during it", async () => {
  const { meter, lines, stand } = meterWithClock();
  meter.begin("GET /long");
  meter.begin("job a");
  meter.begin("job a");
  meter.end("job a");
  meter.begin("GET /short");
  meter.end("GET /short");
  await stand(325);
  expect(lines).toMatchObject([
    {
      level: "warn",
      message: "the server was blocked",
      stall_ms: 300,
      loop_cpu_ms: expect.any(Number),
      cpu_ms: expect.any(Number),
    },
  ]);
  expect(lines[0].in_work.toSorted()).toEqual(["GET /long", "GET /short", "job a"]);
  expect(meter.lastMinute()).toEqual({ max_ms: 300, p99_ms: 300 });
  await stand(61_000);
  await stand(0);
  expect(meter.lastMinute().max_ms).toBe(60_975);
  await stand(61_000);
  expect(lines.at(-1).in_work.toSorted()).toEqual(["GET /long", "job a"]);
});

test("work that ended earlier is not named, and repeated stalls share a line", async () => {
  const { meter, lines, looked, stand } = meterWithClock();
  meter.begin("GET /over");
  meter.end("GET /over");
  await looked();
  meter.begin("job b");
  await stand(225);
  await stand(250);
  await stand(225);
  expect(lines.map(({ in_work, stall_ms }) => [in_work, stall_ms])).toEqual([[["job b"], 200]]);
  await stand(1_000);
  expect(lines[1]).toMatchObject({ stall_ms: 975, more_before: 2, more_ms_max: 225 });
});

test("a short delay is not logged", async () => {
  const { meter, lines, stand } = meterWithClock();
  expect(meter.lastMinute()).toEqual({ max_ms: 0, p99_ms: 0 });
  meter.begin("GET /quick");
  await stand(75);
  expect(meter.lastMinute().max_ms).toBe(50);
  expect(lines).toEqual([]);
});
