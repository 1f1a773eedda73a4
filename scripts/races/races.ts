/**
 * The races: in each round the same limit is fired at from every process at once, and afterwards
 * exactly as much has happened as is allowed.
 */

/** What a round may use. */
export interface Round {
  readonly n: number;
  /** The answer of one of the processes, with the key of the race's user. */
  send(
    node: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}
export interface Race {
  readonly name: string;
  /** Of the rounds that are asked for, so many: where one takes long. */
  readonly share?: number;
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
};
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
      round.send(0, "PATCH", `/chats/${chat}`, { usedFolders: [folder] }),
      round.send(1, "DELETE", `/folders/${folder}`),
      round.send(2, "PATCH", `/chats/${chat}`, { usedFolders: [folder] }),
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
  share: 0.1,
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
  folders,
];
