/**
 * Acceptance, on the executable: the rate limit for each owner and each address, and quotas that
 * hold under concurrency.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { filesWith } from "../helpers/data-directory";
import { startExecutable, type CallOptions, type Executable } from "../helpers/executable";
import { filePart, form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import type { Answered } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";

const rates = ({ headers }: Answered) => ({
  limit: Number(headers.get("x-ratelimit-limit")),
  remaining: Number(headers.get("x-ratelimit-remaining")),
});

describe("rate limit", () => {
  const limit = 5;
  let server: Executable;
  const keys: Record<string, string> = {};
  /** Each case has an address of its own: the server believes what this proxy says. */
  const from = (address: string): CallOptions => ({
    key: null,
    headers: { "x-forwarded-for": address },
  });
  const spend = async (options: CallOptions, path = "/folders"): Promise<Answered> => {
    let answer: Answered | undefined;
    for (let n = 0; n < limit; n++) {
      answer = await server.api("GET", path, undefined, options);
      expect([answer.status !== 429, rates(answer)]).toEqual([
        true,
        { limit, remaining: limit - 1 - n },
      ]);
    }
    return answer!;
  };

  beforeAll(async () => {
    // Windows start at multiples of their length since 1970: none starts while this runs.
    server = await startExecutable({
      env: {
        DOSSIER_RATE_LIMIT_REQUESTS: String(limit),
        DOSSIER_RATE_LIMIT_WINDOW: "10000d",
        DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1,::1",
      },
    });
    for (const name of ["ada", "bob", "cyd"])
      keys[name] = await server.createUser(`${name}@example.com`);
    keys.ada_too = await server.mustCli([
      "key",
      "create",
      "--user",
      "ada@example.com",
      "--name",
      "second",
    ]);
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("an owner's requests count down together, whatever key they use, and then answer 429", async () => {
    for (let n = 0; n < limit; n++) {
      const answer = await server.api("GET", n === 1 ? "/nowhere" : "/folders", undefined, {
        key: n % 2 === 0 ? keys.ada! : keys.ada_too!,
      });
      expect(rates(answer)).toEqual({ limit, remaining: limit - 1 - n });
    }
    for (const key of [keys.ada!, keys.ada_too!]) {
      const refused = await server.api("GET", "/folders", undefined, { key });
      expectProblem(refused, 429);
      expect(rates(refused)).toEqual({ limit, remaining: 0 });
      const retry_after = Number(refused.headers.get("retry-after"));
      expect(retry_after).toBeGreaterThanOrEqual(1);
      expect(
        Math.abs(
          retry_after - (Number(refused.headers.get("x-ratelimit-reset")) - Date.now() / 1000),
        ),
      ).toBeLessThanOrEqual(2);
    }
    expectProblem(await server.api("PATCH", "/nowhere", undefined, { key: keys.ada! }), 429);
  });
  test("another owner is not touched", async () =>
    expect(
      rates(await server.api("GET", "/folders", undefined, { key: keys.bob! })).remaining,
    ).toBe(limit - 1));
  test("without a key each address has its own count, and 429 comes before 401", async () => {
    expect((await spend(from("203.0.113.1"))).status).toBe(401);
    expectProblem(await server.api("GET", "/folders", undefined, from("203.0.113.1")), 429);
    expect((await server.api("GET", "/folders", undefined, from("203.0.113.2"))).status).toBe(401);
  });
  test("a wrong key counts for its address, like none", async () => {
    await spend({ key: "dsk_wrong", headers: { "x-forwarded-for": "203.0.113.3" } });
    expectProblem(await server.api("GET", "/folders", undefined, from("203.0.113.3")), 429);
  });
  test("a good key is heard from an address that is used up", async () =>
    expect(
      (
        await server.api("GET", "/folders", undefined, {
          key: keys.bob!,
          headers: { "x-forwarded-for": "203.0.113.1" },
        })
      ).status,
    ).toBe(200));
  test("the address is the last hop: what stands before it is hearsay", async () => {
    for (let n = 0; n < limit; n++)
      await server.api("GET", "/folders", undefined, from(`198.51.100.${n}, 203.0.113.4`));
    expectProblem(
      await server.api("GET", "/folders", undefined, from("198.51.100.9, 203.0.113.4")),
      429,
    );
    expect(
      (await server.api("GET", "/folders", undefined, from("203.0.113.4, 198.51.100.9"))).status,
    ).toBe(401);
  });
  test("the contract document is counted too", async () => {
    expect((await spend(from("203.0.113.5"), "/openapi.json")).status).toBe(200);
    expectProblem(await server.api("GET", "/openapi.json", undefined, from("203.0.113.5")), 429);
  });
  test("an upload above the limit is refused before its body has come", async () => {
    for (let n = 0; n < limit; n++)
      await server.api("GET", "/folders", undefined, { key: keys.cyd! });
    const socket = openSocket(server.url());
    socket.send(
      head("POST", "/documents/file?folder_id=fld_1", {
        authorization: `Bearer ${keys.cyd}`,
        "content-type": "multipart/form-data; boundary=x",
        "content-length": "500000000",
      }),
    );
    expectProblem(await socket.answer(), 429);
    socket.cut();
  });

  test("the next window begins with a full count", async () => {
    await using other = await startExecutable({
      env: { DOSSIER_RATE_LIMIT_REQUESTS: "2", DOSSIER_RATE_LIMIT_WINDOW: "1s" },
    });
    const ask = (address: string) =>
      other.api("GET", "/openapi.json", undefined, {
        key: null,
        headers: { "x-forwarded-for": address },
      });
    let refused: Answered;
    // A peer that is no trusted proxy can't make addresses up: these all count as one.
    for (let n = 0; (refused = await ask(`203.0.113.${n}`)).status !== 429; n++)
      expect(n).toBeLessThan(100);
    await Bun.sleep(Number(refused.headers.get("retry-after")) * 1000);
    expect((await ask("203.0.113.200")).status).toBe(200);
  }, 30_000);
});

describe("quotas", () => {
  let server: Executable;
  let ada: Person, bob: Person;
  let folder: string;
  const storage_bytes = 100_000;
  const statuses = async (calls: readonly Promise<Answered>[]): Promise<number[]> => {
    const answers = await Promise.all(calls);
    for (const answer of answers)
      if (answer.status !== 201) expectProblem(answer, 403, "", "quota_exceeded");
    return answers.map(({ status }) => status).sort();
  };
  const burst = (call: () => Promise<Answered>) => statuses(Array.from({ length: 8 }, call));

  beforeAll(async () => {
    server = await startExecutable({
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
      async () => `/chats/${(await ada.send("GET", "/chats")).body.data[0].id}`,
    ],
  ];
  for (const [what, left, says, create, one] of cases)
    test(`${what}: exact when many come at once, named in the refusal, free again after a deletion`, async () => {
      expect(await burst(create)).toEqual([
        ...Array<number>(left).fill(201),
        ...Array<number>(8 - left).fill(403),
      ]);
      expectProblem(await create(), 403, says, "quota_exceeded");
      expect((await ada.send("DELETE", await one())).status).toBe(204);
      expect((await create()).status).toBe(201);
      expect((await create()).status).toBe(403);
    });
  test("a deleted session comes back only where there is room", async () => {
    const [{ id }] = (await ada.send("GET", "/chats")).body.data;
    await ada.send("DELETE", `/chats/${id}`);
    await ada.made("/chats");
    expectProblem(await ada.send("POST", `/chats/${id}/restore`), 403, "", "quota_exceeded");
  });
  test("documents: exact when texts and uploads come at once", async () => {
    const texts = Array.from({ length: 5 }, () =>
      ada.send("POST", "/documents", { folder_id: folder, content: "x" }),
    );
    const uploads = Array.from({ length: 5 }, (_, n) => ada.upload(folder, `${n}.txt`, "x"));
    expect(await statuses([...texts, ...uploads])).toEqual([
      201, 201, 201, 201, 201, 201, 403, 403, 403, 403,
    ]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.document_count).toBe(6);
    const [name] = (await ada.names(folder)).filter((one) => one.endsWith(".txt"));
    if (name !== undefined)
      expect((await ada.upload(folder, name, "y", "&overwrite=true")).status).toBe(200);
  });
  test("another user has all of theirs", async () =>
    expect((await bob.send("POST", "/folders", { name: "Bob's" })).status).toBe(201));
  test("storage: refused with the limit, nothing kept, counted down by a deletion", async () => {
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
    expect([await bob.names(mine), filesWith(server.data, "a".repeat(1_000))]).toEqual([[], []]);
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
  test("storage: an upload that is announced as too large is refused before its bytes have come", async () => {
    const socket = openSocket(server.url());
    const headers = {
      authorization: `Bearer ${bob.key}`,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": "500000000",
    };
    socket.send(
      `${head("POST", `/documents/file?folder_id=${await bob.folder()}`, headers)}--x\r\n${filePart("huge.txt")}\r\n\r\nThe first bytes `,
    );
    expectProblem(await socket.answer(), 403, "", "quota_exceeded");
    socket.cut();
  });
});
