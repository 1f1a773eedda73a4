/** The rate limit per owner and address, and quotas that hold under concurrency. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import { form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import type { Answered, ApiServer, SentHeaders, StartServer } from "../helpers/server";

const rates = ({ headers }: Answered) => ({
  limit: Number(headers.get("x-ratelimit-limit")),
  remaining: Number(headers.get("x-ratelimit-remaining")),
});

export function rateLimitCases(start: StartServer): void {
  const limit = 5;
  let server: ApiServer;
  let ada: string;
  let ada_too: string;
  /** An anonymous request. */
  const get = (path: string, headers: SentHeaders): Promise<Answered> =>
    server.send(null, "GET", path, undefined, headers);
  const as = (key: string): SentHeaders => ({ authorization: `Bearer ${key}` });
  /** Each case has its own address: the server trusts this proxy's header. */
  const from = (address: string): SentHeaders => ({ "x-forwarded-for": address });
  const spend = async (headers: SentHeaders, path = "/folders"): Promise<Answered> => {
    let answer: Answered | undefined;
    for (let n = 0; n < limit; n++) {
      answer = await get(path, headers);
      expect([answer.status !== 429, rates(answer)]).toEqual([
        true,
        { limit, remaining: limit - 1 - n },
      ]);
    }
    return answer!;
  };

  beforeAll(async () => {
    // Windows start at multiples of their length since 1970: none starts while this runs.
    server = await start({
      env: {
        DOSSIER_RATE_LIMIT_REQUESTS: String(limit),
        DOSSIER_RATE_LIMIT_WINDOW: "10000d",
        DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1,::1",
      },
    });
    [ada, ada_too] = [await server.key("ada"), await server.newKey("ada")];
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("an owner's requests share one limit across keys, and then get 429", async () => {
    for (let n = 0; n < limit; n++) {
      const answer = await get(n === 1 ? "/nowhere" : "/folders", as(n % 2 === 0 ? ada : ada_too));
      expect(rates(answer)).toEqual({ limit, remaining: limit - 1 - n });
    }
    for (const key of [ada, ada_too]) {
      const refused = await get("/folders", as(key));
      expectProblem(refused, 429, "", "rate_limited");
      expect(rates(refused)).toEqual({ limit, remaining: 0 });
      expect(Number(refused.headers.get("x-ratelimit-reset")) % (10_000 * 86_400)).toBe(0);
      const retry_after = Number(refused.headers.get("retry-after"));
      expect(retry_after).toBeGreaterThanOrEqual(1);
      expect(
        Math.abs(
          retry_after - (Number(refused.headers.get("x-ratelimit-reset")) - Date.now() / 1000),
        ),
      ).toBeLessThanOrEqual(2);
    }
    expectProblem(await server.send("ada", "PATCH", "/nowhere"), 429);
  });
  test("another owner is not affected", async () =>
    expect(rates(await server.send("bob", "GET", "/folders")).remaining).toBe(limit - 1));
  test("without a key each address has its own limit, and 429 precedes 401", async () => {
    expect((await spend(from("203.0.113.1"))).status).toBe(401);
    expectProblem(await get("/folders", from("203.0.113.1")), 429);
    expect((await get("/folders", from("203.0.113.2"))).status).toBe(401);
  });
  test("a wrong key counts for its address, like a missing one", async () => {
    await spend({ ...from("203.0.113.3"), ...as("dsk_wrong") });
    expectProblem(await get("/folders", from("203.0.113.3")), 429);
  });
  test("a valid key works from an address that has reached its limit", async () =>
    expect(
      (await server.send("bob", "GET", "/folders", undefined, from("203.0.113.1"))).status,
    ).toBe(200));
  test("the address is the last hop: earlier ones are not trusted", async () => {
    for (let n = 0; n < limit; n++) await get("/folders", from(`198.51.100.${n}, 203.0.113.4`));
    expectProblem(await get("/folders", from("198.51.100.9, 203.0.113.4")), 429);
    expect((await get("/folders", from("203.0.113.4, 198.51.100.9"))).status).toBe(401);
  });
  test("the contract document is counted too", async () => {
    expect((await spend(from("203.0.113.5"), "/openapi.json")).status).toBe(200);
    expectProblem(await get("/openapi.json", from("203.0.113.5")), 429);
  });
}

export function quotaCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let folder: string;
  const storage_bytes = 100_000;
  const statuses = async (calls: readonly Promise<Answered>[]): Promise<number[]> => {
    const answers = await Promise.all(calls);
    for (const answer of answers)
      if (answer.status !== 201) expectProblem(answer, 403, "", "quota_exceeded");
    return answers.map(({ status }) => status).sort();
  };
  const burst = (call: () => Promise<Answered>) => statuses(Array.from({ length: 20 }, call));

  beforeAll(async () => {
    server = await start({
      env: {
        DOSSIER_QUOTAS_FOLDERS: "4",
        DOSSIER_QUOTAS_DOCUMENTS: "6",
        DOSSIER_QUOTAS_CHATS: "3",
        DOSSIER_QUOTAS_STORAGE: String(storage_bytes),
      },
    });
    [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
    folder = await ada.folder();
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  const cases: [string, number, RegExp, () => Promise<Answered>, () => Promise<string>][] = [
    [
      "folders",
      3,
      /\b4\b/,
      () => ada.send("POST", "/folders", { name: "one" }),
      async () => `/folders/${(await ada.send("GET", "/folders")).body.data[0].id}`,
    ],
    [
      "chat sessions",
      3,
      /\b3\b/,
      () => ada.send("POST", "/chats", {}),
      async () => `/chats/${(await ada.send("GET", "/chats")).body.data[0].id}?permanent=true`,
    ],
  ];
  for (const [what, left, says, create, one] of cases)
    test(`${what}: exact under concurrency, named in the refusal, freed by a deletion`, async () => {
      expect(await burst(create)).toEqual([
        ...Array<number>(left).fill(201),
        ...Array<number>(20 - left).fill(403),
      ]);
      expectProblem(await create(), 403, says, "quota_exceeded");
      expect((await ada.send("DELETE", await one())).status).toBe(204);
      expect((await create()).status).toBe(201);
      expect((await create()).status).toBe(403);
    });
  test("a deleted session counts as long as it can be restored", async () => {
    const [{ id }] = (await ada.send("GET", "/chats")).body.data;
    await ada.send("DELETE", `/chats/${id}`);
    expectProblem(await ada.send("POST", "/chats"), 403, /\b3\b/, "quota_exceeded");
    expect((await ada.send("POST", `/chats/${id}/restore`)).status).toBe(200);
  });
  test("a deleted folder frees its subfolders too", async () => {
    const cleo = await person(server, "cleo");
    const root = await cleo.folder("root");
    for (let n = 0; n < 3; n++) await cleo.folder("child", root);
    expectProblem(await cleo.send("POST", "/folders", { name: "x" }), 403, "", "quota_exceeded");
    await cleo.send("DELETE", `/folders/${root}`);
    for (const status of [201, 201, 201, 201, 403])
      expect((await cleo.send("POST", "/folders", { name: "again" })).status).toBe(status);
  });
  test("documents: exact when texts and uploads arrive concurrently", async () => {
    const texts = Array.from({ length: 5 }, () =>
      ada.send("POST", "/documents", { folder_id: folder, content: "x" }),
    );
    const uploads = Array.from({ length: 5 }, (_, n) => ada.upload(folder, `${n}.txt`, "x"));
    expect(await statuses([...texts, ...uploads])).toEqual([
      201, 201, 201, 201, 201, 201, 403, 403, 403, 403,
    ]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.document_count).toBe(6);
    const [name] = (await ada.names(folder)).filter((name) => name.endsWith(".txt"));
    if (name !== undefined)
      expect((await ada.upload(folder, name, "y", "&overwrite=true")).status).toBe(200);
  });
  test("what is missing is 404, and a reached quota comes before a name that is taken", async () => {
    const dora = await person(server, "dora");
    const mine = await dora.folder();
    for (let n = 0; n < 3; n++) await dora.send("POST", "/chats");
    const unknown = mine.replace(/.{6}$/, "000000");
    expectProblem(await dora.send("POST", "/chats", { usedFolders: [unknown] }), 404);
    expectProblem(
      await dora.send("POST", "/chats", { usedFolders: [folder] }),
      403,
      "",
      "forbidden",
    );
    for (let n = 0; n < 6; n++) expect((await dora.upload(mine, `${n}.txt`, "x")).status).toBe(201);
    expectProblem(await dora.upload(mine, "0.txt", "x"), 403, /\b6\b/, "quota_exceeded");
    expectProblem(await dora.upload(unknown, "0.txt", "x"), 404);
    expect((await dora.upload(mine, "0.txt", "y", "&overwrite=true")).status).toBe(200);
  });
  test("another user's quotas are unaffected", async () =>
    expect((await bob.send("POST", "/folders", { name: "Bob's" })).status).toBe(201));
  test("storage: refused with the limit, nothing kept, freed by a deletion", async () => {
    const mine = await bob.folder();
    const bytes = (count: number) => new Uint8Array(count).fill(0x61);
    expectProblem(
      await bob.upload(mine, "large.txt", bytes(storage_bytes + 1)),
      403,
      /100,?000|97\.\d+ KiB/,
      "quota_exceeded",
    );
    expectProblem(
      await bob.send("POST", "/documents", {
        folder_id: mine,
        content: "é".repeat(storage_bytes / 2 + 1),
      }),
      403,
      "",
      "quota_exceeded",
    );
    expect([await bob.names(mine), await placesWith(server.data, "a".repeat(1_000))]).toEqual([
      [],
      [],
    ]);
    expect((await bob.upload(mine, "fits.txt", bytes(storage_bytes))).status).toBe(201);
    expectProblem(await bob.upload(mine, "more.txt", "x"), 403, "", "quota_exceeded");
    expectProblem(
      await bob.upload(mine, "fits.txt", bytes(storage_bytes + 1), "&overwrite=true"),
      403,
      "",
      "quota_exceeded",
    );
    expect((await bob.upload(mine, "fits.txt", "smaller", "&overwrite=true")).status).toBe(200);
    expect((await bob.upload(mine, "more.txt", bytes(storage_bytes - 7))).status).toBe(201);
    await bob.send("DELETE", `/folders/${mine}`);
    const next = await bob.folder();
    expect(
      (
        await bob.send(
          "POST",
          `/documents/file?folder_id=${next}`,
          form("again.txt", bytes(storage_bytes)),
        )
      ).status,
    ).toBe(201);
  });
}
