/**
 * The races: in each round the same limit is fired at from every process at once, and afterwards
 * exactly as much has happened as is allowed.
 */
import { silence } from "./outside";

/** What a round may use. */
export interface Round {
  readonly n: number;
  /** The most requests that the model or transcriber had at the same time since the last call. */
  takePeak(): number;
  /** A new user: the cookie of a session at the console, and their id. */
  signIn(name: string, role: "admin" | "member"): Promise<Session>;
  /** The answer of one of the processes, with the key of the race's user. */
  send(
    node: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}
export interface Session {
  readonly cookie: string;
  readonly user_id: string;
}
export interface Race {
  readonly name: string;
  /** Null when all is well, else what was wrong. */
  run(round: Round): Promise<string | null>;
}

/** What the servers are started with. */
export const settings = {
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
  DOSSIER_WEBHOOKS_PER_ACCOUNT: "2",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32",
  DOSSIER_QUOTAS_FOLDERS: "4",
  DOSSIER_EVENTS_STREAMS_MAX: "2",
  DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1/32",
  // An eighth of it, two, is one user's.
  DOSSIER_ANSWERS_MODEL_CONCURRENCY: "16",
  DOSSIER_TRANSCRIPTION_CONCURRENCY: "1",
};
/** Those of the race for the quota of documents. */
export const scarce_settings = { ...settings, DOSSIER_QUOTAS_DOCUMENTS: "4" };
/** Those of the race for the rate limit, which would be in the way of all others. */
export const limited_settings = {
  ...settings,
  DOSSIER_RATE_LIMIT_REQUESTS: "7",
  DOSSIER_RATE_LIMIT_WINDOW: "1000000h",
};

/** So many at once, to the processes in turn. */
const fire = (count: number, send: (n: number) => Promise<Response>): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)));

/** How often each status came: `201 ×2, 403 ×4`. */
function told(answers: readonly Response[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, some]) => `${status} ×${some.length}`)
    .join(", ");
}
const expected = (answers: readonly Response[], wanted: string): string | null =>
  told(answers) === wanted ? null : `${told(answers)} instead of ${wanted}`;
const idsOf = async (answers: readonly Response[], status = 201): Promise<string[]> => {
  const made = answers.filter((answer) => answer.status === status);
  return (await Promise.all(made.map((answer) => answer.json() as Promise<{ id: string }>))).map(
    ({ id }) => id,
  );
};
const removeAll = async (round: Round, path: string, ids: readonly string[]): Promise<void> => {
  for (const [at, id] of ids.entries()) await round.send(at, "DELETE", `${path}/${id}`);
};
/** An address that nobody else has. */
const addressOf = (n: number): Record<string, string> => ({
  "x-forwarded-for": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
});

const webhooks: Race = {
  name: "webhooks of one user",
  async run(round) {
    const answers = await fire(6, (n) =>
      round.send(n, "POST", "/webhooks", {
        event_type: "import.finished",
        url: `http://127.0.0.1:9/${n}`,
      }),
    );
    const wrong = expected(answers, "201 ×2, 400 ×4");
    await removeAll(round, "/webhooks", await idsOf(answers));
    return wrong;
  },
};

const folders: Race = {
  name: "quota of folders",
  async run(round) {
    const answers = await fire(9, (n) => round.send(n, "POST", "/folders", { name: `${n}` }));
    const wrong = expected(answers, "201 ×4, 403 ×5");
    await removeAll(round, "/folders", await idsOf(answers));
    return wrong;
  },
};

/** Of all rounds: what is deleted is purged, which takes longer than a round. */
let shelf: string | undefined;
const names: Race = {
  name: "names of uploads in a folder",
  async run(round) {
    shelf ??= (await idsOf([await round.send(0, "POST", "/folders", { name: "names" })]))[0];
    const answers = await fire(6, (n) => {
      const form = new FormData();
      form.set("file", new File([`text ${n}`], `${round.n}.txt`, { type: "text/plain" }));
      return round.send(n, "POST", `/documents/file?folder_id=${shelf}`, form);
    });
    return expected(answers, "201 ×1, 409 ×5");
  },
};

const requests: Race = {
  name: "one message of many equal requests",
  async run(round) {
    const [chat] = await idsOf([await round.send(0, "POST", "/chats", {})]);
    const messages = `/chats/${chat}/messages`;
    const requestId = crypto.randomUUID();
    await fire(6, (n) => round.send(n, "POST", messages, { text: "What?", requestId }));
    const { meta, data } = (await (await round.send(1, "GET", messages)).json()) as {
      readonly meta?: object;
      readonly data: readonly unknown[];
    };
    await removeAll(round, "/chats", [chat!]);
    return data.length === 1 ? null : `${data.length} messages (${JSON.stringify(meta)})`;
  },
};

const uses: Race = {
  name: "folders of a chat against their deletion",
  async run(round) {
    const [folder] = await idsOf([await round.send(0, "POST", "/folders", { name: "used" })]);
    const [chat] = await idsOf([await round.send(1, "POST", "/chats", {})]);
    await Promise.all([
      round.send(0, "PUT", `/chats/${chat}`, { usedFolders: [folder] }),
      round.send(1, "DELETE", `/folders/${folder}`),
      round.send(2, "PUT", `/chats/${chat}`, { usedFolders: [folder] }),
    ]);
    const { usedFolders } = (await (await round.send(2, "GET", `/chats/${chat}`)).json()) as {
      readonly usedFolders: readonly unknown[];
    };
    await removeAll(round, "/chats", [chat!]);
    return usedFolders.length === 0 ? null : "it uses a folder that is gone";
  },
};

const streams: Race = {
  name: "streams of events of one user",
  async run(round) {
    // Those of the last round may not be closed yet: then there is less room, never more.
    const answers = await fire(6, (n) => round.send(n, "GET", "/events"));
    const open = answers.filter(({ status }) => status === 200);
    await Promise.all(answers.map(({ body }) => body?.cancel()));
    if (open.length > 2) return told(answers);
    for (let tries = 0; tries < 500; tries++) {
      const again = await fire(2, (n) => round.send(round.n + n, "GET", "/events"));
      await Promise.all(again.map(({ body }) => body?.cancel()));
      if (again.every(({ status }) => status === 200)) return null;
      await Bun.sleep(2);
    }
    return "streams that were closed are not free";
  },
};

const passwords: Race = {
  name: "wrong passwords",
  async run(round) {
    const answers = await fire(6, (n) =>
      round.send(
        n,
        "POST",
        "//console/api/v1/session",
        { email: `nobody${round.n}@example.com`, password: `a wrong guess ${n}` },
        addressOf(round.n),
      ),
    );
    return expected(answers, "401 ×5, 429 ×1");
  },
};

let inviting: Session | undefined;
const emails: Race = {
  name: "users of one address",
  async run(round) {
    inviting ??= await round.signIn("inviting", "admin");
    const { cookie } = inviting;
    const user = { email: `invited${round.n}@example.com`, role: "member" };
    const answers = await fire(6, (n) =>
      round.send(n, "POST", "//console/api/v1/users", user, { cookie }),
    );
    return expected(answers, "201 ×1, 409 ×5");
  },
};

let rivals: [Session, Session] | undefined;
const administrators: Race = {
  name: "the last administrator",
  async run(round) {
    // Those of the other races are none any more.
    rivals ??= [await round.signIn("one", "admin"), await round.signIn("other", "admin")];
    const [one, other] = round.n % 2 === 0 ? rivals : rivals.toReversed();
    const change = (n: number, by: Session, whom: Session, role: string) =>
      round.send(
        n,
        "PATCH",
        `//console/api/v1/users/${whom.user_id}`,
        { role },
        { cookie: by.cookie },
      );
    if (inviting) await change(0, one!, inviting, "member");
    const answers = await Promise.all([
      change(round.n, one!, other!, "member"),
      change(round.n + 1, other!, one!, "member"),
    ]);
    const done = answers.map(({ status }) => status === 200);
    if (done[0] === done[1]) return told(answers);
    const [left, lost] = done[0] ? [one!, other!] : [other!, one!];
    const back = await change(round.n + 2, left, lost, "admin");
    return back.status === 200 ? null : `${back.status}: the one who is left is no administrator`;
  },
};

/** Of one user: what core allows, see docs/imports.md. */
const schedules_max = 100;
let planned: string | undefined;
const schedules: Race = {
  name: "schedules of one user",
  async run(round) {
    const create = (n: number) =>
      round.send(n, "POST", "/import-schedules", {
        folder_id: planned,
        source: { type: "urls", urls: [`https://example.com/${n}`] },
        every: "0 0 1 1 *",
      });
    if (planned === undefined) {
      [planned] = await idsOf([await round.send(0, "POST", "/folders", { name: "planned" })]);
      for (let n = 2; n < schedules_max; n++) await create(n);
    }
    const answers = await fire(6, create);
    const wrong = expected(answers, "201 ×2, 403 ×4");
    await removeAll(round, "/import-schedules", await idsOf(answers));
    return wrong;
  },
};

const kettle = "The kettle came from Linz in the spring of 1911.";
let asked: string | undefined;
const model: Race = {
  name: "calls of the model for one user",
  async run(round) {
    if (asked === undefined) {
      [asked] = await idsOf([await round.send(0, "POST", "/folders", { name: "asked" })]);
      await round.send(0, "POST", "/documents", { folder_id: asked, content: kettle });
      await Bun.sleep(3_000);
    }
    round.takePeak();
    const answers = await fire(6, (n) =>
      round.send(n, "POST", "//v1/chat/completions", {
        model: "dossier",
        messages: [{ role: "user", content: "Where did the kettle come from?" }],
      }),
    );
    const peak = round.takePeak();
    return peak >= 1 && peak <= 2 ? expected(answers, "200 ×6") : `${peak} calls at the same time`;
  },
};

let recordings: string | undefined;
const transcriptions: Race = {
  name: "recordings at the same time",
  async run(round) {
    recordings ??= (await idsOf([await round.send(0, "POST", "/folders", { name: "said" })]))[0];
    round.takePeak();
    const answers = await fire(3, (n) => {
      const form = new FormData();
      form.set("file", new File([silence()], `${round.n} ${n}.wav`, { type: "audio/wav" }));
      return round.send(n, "POST", `/transcriptions?folder_id=${recordings}`, form);
    });
    for (const id of await idsOf(answers, 202))
      for (let status = ""; status !== "completed"; await Bun.sleep(20)) {
        const answer = await round.send(1, "GET", `/transcriptions/${id}`);
        ({ status } = (await answer.json()) as { status: string });
        if (status === "failed") return "one has failed";
      }
    const peak = round.takePeak();
    return peak === 1 ? expected(answers, "202 ×3") : `${peak} at the same time`;
  },
};

export const documents: Race = {
  name: "quota of documents",
  async run(round) {
    const [folder] = await idsOf([await round.send(0, "POST", "/folders", { name: "few" })]);
    const answers = await fire(9, (n) =>
      round.send(n, "POST", "/documents", { folder_id: folder, content: `text ${n}` }),
    );
    await removeAll(round, "/folders", [folder!]);
    return expected(answers, "201 ×4, 403 ×5");
  },
};

export const rate: Race = {
  name: "rate limit of one address",
  async run(round) {
    const headers = { ...addressOf(round.n), authorization: "Bearer none" };
    const answers = await fire(12, (n) => round.send(n, "GET", "/folders", undefined, headers));
    return expected(answers, "401 ×7, 429 ×5");
  },
};

export const races: readonly Race[] = [
  webhooks,
  names,
  requests,
  streams,
  passwords,
  uses,
  emails,
  administrators,
  schedules,
  model,
  transcriptions,
  folders,
];
