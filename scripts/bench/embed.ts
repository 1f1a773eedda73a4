/**
 * Rows: the built-in encoder. Passages of 220 tokens per second of processor time, and the time of
 * a query, alone and while the same worker encodes passages.
 */
import { jsonLog } from "../../core/base/log";
import { BuiltinEmbedder } from "../../plugins/embeddings-builtin/embedder";
import { Models } from "../../plugins/embeddings-builtin/models";
import { median, type Row } from "./measure";

const passages = 40;
const questions = 40;
const warm_up = 8;
/** About 220 tokens, like passages of the index. */
const passage =
  "Before you switch the pump on for the first time, make sure that the tank is filled to the " +
  "mark and that the filter sits firmly in its frame. The warranty lasts two years from the day " +
  "of purchase; it ends early when the seal has been broken or when parts of others were " +
  "used. Clean the filter every ninety days with lukewarm water and never with solvents. If the " +
  "red lamp goes on, close the valve, pull the plug and wait ten minutes before opening the lid. " +
  "In winter the pump must be emptied, or frost will damage the housing. Spare parts are sold " +
  "for ten years after the last pump of a series was made; the number of the series is engraved " +
  "below the handle, and whoever orders parts should have it at hand. The pump must not run dry: " +
  "it stops by itself after a minute without water, and starts again when the tank has been " +
  "filled and the button beside the lamp was pressed for three seconds.";

export async function embedRows(): Promise<Row[]> {
  const model = new Models({ data: "" }).find("multilingual-e5-small")!;
  const embedder = new BuiltinEmbedder({
    model,
    threads: 1,
    log: jsonLog("warn"),
    unpackModel: () => Promise.reject(new Error("the model of the project is mapped as it is")),
  });
  let number = 0;
  const embed = (kind: "document" | "query", count: number): Promise<unknown> =>
    embedder.embed(
      Array.from({ length: count }, () =>
        kind === "document"
          ? `${++number} ${passage}`
          : `How long does the warranty of pump ${++number} last?`,
      ),
      { kind, model: embedder.model, dimensions: null, signal: new AbortController().signal },
    );
  const questionTimes = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < questions; i++) {
      const started = performance.now();
      await embed("query", 1);
      times.push(performance.now() - started);
    }
    return times;
  };
  // Workers do not keep a process alive, so a process that waits for nothing else needs a timer.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await embed("document", warm_up);
    const before = process.cpuUsage();
    await embed("document", passages);
    const { user, system } = process.cpuUsage(before);
    const per_s = passages / ((user + system) / 1e6);
    const alone_ms = median(await questionTimes());
    const encoding = embed("document", passages);
    const beside_ms = median(await questionTimes());
    await encoding;
    const rows: [string, number, string, Row["target"], string][] = [
      ["passages per core", per_s, "/s", { least: 4.5 }, `${passages} passages, by processor time`],
      ["a question", alone_ms, "ms", { most: 40 }, `p50 of ${questions}, in one worker`],
      [
        "a question beside passages",
        beside_ms,
        "ms",
        { most: 1.5 * alone_ms },
        "the same, in the same worker",
      ],
    ];
    return rows.map(([name, value, unit, target, measured]) => ({
      name: `embed: ${name}`,
      measured,
      value,
      unit,
      target,
    }));
  } finally {
    clearInterval(alive);
    embedder.stop();
  }
}
