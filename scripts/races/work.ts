/** Races about limits on concurrency: streams, answers, recordings, outgoing requests. */
import { silence } from "./outside";
import {
  expected,
  fire,
  idsOf,
  createdId,
  openTooMany,
  poll_ms,
  statusCounts,
  type Lane,
  type Race,
} from "./race";

const streams: Race = {
  name: "streams of events of one user",
  begin:
    ({ send }) =>
    (round) =>
      openTooMany(2, (n) => send(round + n, "GET", "/events")),
};

const kettle = "The kettle came from Linz in the spring of 1911.";

/** Asks about a document of the lane, whose name reaches the model. */
async function asker({ n: lane, send }: Lane, stream: boolean) {
  const folder_id = await createdId(send, "/folders", { name: "asked" });
  const document = await createdId(send, "/documents", { folder_id, content: kettle });
  for (let status = ""; status !== "synced"; await Bun.sleep(poll_ms))
    ({ status } = (await (await send(0, "GET", `/documents/${document}`)).json()) as {
      status: string;
    });
  return (n: number, question: string): Promise<Response> =>
    send(n, "POST", "//v1/chat/completions", {
      model: "dossier",
      stream,
      messages: [{ role: "user", content: `${question} (lane ${lane})` }],
    });
}

const model: Race = {
  name: "calls of the model for one user",
  async begin(lane) {
    const ask = await asker(lane, false);
    const key = `lane ${lane.n}`;
    return async () => {
      lane.outside.takePeak(key);
      const answers = await fire(4, (n) => ask(n, "Where did the kettle come from?"));
      const peak = lane.outside.takePeak(key);
      return peak >= 1 && peak <= 2 ? expected(answers, "200 ×4") : `${peak} calls at once`;
    };
  },
};

/** Per user: the plugin's limit, see docs/scale.md. */
const questions_max = 64;
const questions: Race = {
  name: "questions of one user without a session",
  lanes_max: 2,
  async begin(lane) {
    const ask = await asker(lane, true);
    const holding = await fire(questions_max - 2, (n) => ask(n, "Where, hold on, was the kettle?"));
    if (statusCounts(holding) !== `200 ×${holding.length}`) throw new Error(statusCounts(holding));
    lane.atEnd(() => Promise.all(holding.map(({ body }) => body?.cancel())));
    return (round) => openTooMany(2, (n) => ask(round + n, "Where, hold on, was the kettle?"));
  },
};

const recordings: Race = {
  name: "recordings at the same time",
  async begin({ outside, send }) {
    const folder = await createdId(send, "/folders", { name: "said" });
    return async (round) => {
      const answers = await fire(2, (n) => {
        const form = new FormData();
        form.set("file", new File([silence()], `${round} ${n}.wav`, { type: "audio/wav" }));
        return send(round + n, "POST", `/transcriptions?folder_id=${folder}`, form);
      });
      for (const id of await idsOf(answers, 202))
        for (let status = ""; status !== "completed"; await Bun.sleep(poll_ms)) {
          const answer = await send(1, "GET", `/transcriptions/${id}`);
          ({ status } = (await answer.json()) as { status: string });
          if (status === "failed") return "one has failed";
        }
      // Those of the other lanes count too: the limit is global.
      const peak = outside.takePeak("recordings");
      return peak <= 1 ? expected(answers, "202 ×2") : `${peak} at the same time`;
    };
  },
};

const dry_runs: Race = {
  name: "dry runs of imports of one user",
  // Each process has eight slots in total: two of each lane are in one at most.
  lanes_max: 4,
  async begin({ n: lane, outside, send }) {
    const folder_id = await createdId(send, "/folders", { name: "looked at" });
    return async (round) => {
      const gate = outside.newGate(`${lane}.${round}`);
      let refused = 0;
      const answers = await fire(6, async (n) => {
        const source = { type: "racing", gate: gate.url };
        const answer = await send(n, "POST", "/imports", { folder_id, source, dry_run: true });
        // The others are held until these have been refused.
        if (answer.status !== 200 && ++refused === 4) gate.open();
        return answer;
      });
      return expected(answers, "200 ×2, 503 ×4");
    };
  },
};

/** By then, every concurrent request would have arrived. */
const look_ms = 50;
const delays: Race = {
  name: "pauses between requests to one host",
  async begin({ outside, send }) {
    const folder_id = await createdId(send, "/folders", { name: "fetched" });
    return async (round) => {
      const imports = 3;
      const host = outside.patientHost(round, imports);
      const source = { type: "urls", urls: [host.url] };
      const answers = await fire(imports, (n) =>
        send(n, "POST", "/imports", { folder_id, source }),
      );
      await host.firstRequest();
      await Bun.sleep(look_ms);
      const ids = await idsOf(answers, 202);
      await Promise.all(ids.map((id, at) => send(at, "POST", `/imports/${id}/cancel`)));
      return host.requests() === 1 ? null : `${host.requests()} requests at once`;
    };
  },
};

/** The races of this file. */
export const work_races: readonly Race[] = [
  streams,
  model,
  questions,
  recordings,
  dry_runs,
  delays,
];
