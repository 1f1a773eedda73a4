/**
 * Acceptance, on the executable: dead receivers and unresponsive name servers don't delay other
 * users. Checked by the order of events, not by the clock. A number in brackets names a threat.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type AddressInfo, type Server } from "node:net";
import { expectProblem } from "../helpers/contract";
import { form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { answerOf, until } from "../helpers/server";
import { allowed, event_type, finished, startHooks, type Hooks } from "../helpers/hooks";

let hooks: Hooks;
/** Accepts connections and never answers. */
let dead: Server;
let owners: Person[];
const at = (path: string): string =>
  `http://hook.test:${(dead.address() as AddressInfo).port}/${path}`;

beforeAll(async () => {
  hooks = await startHooks();
  dead = createServer((socket) => void socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => {
    dead.listen(0, allowed, resolve);
  });
  owners = await Promise.all(["bob", "cal", "dot"].map((name) => person(hooks.server, name)));
}, 180_000);
afterAll(async () => {
  await hooks?.[Symbol.asyncDispose]();
  dead.close();
});

const logOf = async (who: Person, id: string): Promise<any[]> =>
  (await who.send("GET", `/webhooks/${id}/deliveries?per_page=1`)).body.data;
const waiting = async (who: Person, id: string): Promise<number> =>
  (await who.send("GET", `/webhooks/${id}/deliveries?per_page=1`)).body.pagination.total;

describe("[24] others aren't delayed by a thousand deliveries to a dead receiver for", () => {
  const cases: [why: string, owners: number, hooks: number, each: number][] = [
    ["one webhook", 1, 1, 1_000],
    ["ten webhooks of one account", 1, 10, 100],
    ["ten webhooks of each of three accounts", 3, 10, 40],
  ];
  for (const [why, accounts, each, times] of cases)
    test(
      why,
      async () => {
        const registered: { readonly who: Person; readonly id: string }[] = [];
        for (const who of owners.slice(0, accounts)) {
          for (let n = 0; n < each; n++)
            registered.push({
              who,
              id: (await who.create("/webhooks", { event_type, url: at(String(n)) })).id,
            });
          await hooks.emit(finished, { who, times });
        }
        for (const { who, id } of registered)
          await until(
            async () => (await waiting(who, id)) === times && (await logOf(who, id)).length > 0,
            30_000,
          );
        hooks.receiver.answerWith(() => new Response());
        await using alive = await hooks.register();
        for (let n = 1; n <= 5; n++) {
          await hooks.emit(finished);
          await alive.ended(n);
        }
        expect(hooks.receiver.deliveries).toHaveLength(5);
        // Meanwhile no attempt to the dead receiver has ended.
        for (const { who, id } of registered) {
          const { body } = await who.send("GET", `/webhooks/${id}/deliveries?per_page=200`);
          expect(
            body.data.filter(
              ({
                attempts,
              }: {
                attempts: { status_code: number | null; error: string | null }[];
              }) => attempts.some(({ error }) => error !== null),
            ),
          ).toEqual([]);
          await who.send("DELETE", `/webhooks/${id}`);
        }
      },
      120_000,
    );
});

test("[9] [12] 64 silent names at once get 503 after 5 s and delay nobody else", async () => {
  hooks.names.set("silent.test", "silent");
  const [bob, cal] = owners as [Person, Person];
  const leaving = new AbortController();
  const ended: number[] = [];
  const started = performance.now();
  const register = async (who: Person, n: number) => {
    const response = await fetch(`${hooks.server.url()}/api/dev/v1/webhooks`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer ${who.key}`, "content-type": "application/json" },
      body: JSON.stringify({ event_type, url: `http://silent.test/${n}` }),
    });
    ended.push(performance.now() - started);
    return answerOf(response);
  };
  const silent = Array.from({ length: 64 }, (_, n) => register(n % 2 ? bob : cal, n));
  for (const answer of silent) answer.catch(() => undefined);
  await until(() => hooks.names.queryCount("silent.test") >= 2 * 10);
  // Requests of every kind, including file access and name lookups.
  const { ada } = hooks;
  const folder = await ada.folder();
  const document = (
    await ada.send(
      "POST",
      `/documents/file?folder_id=${folder}`,
      form("a.txt", "The kettle came from Linz."),
    )
  ).body;
  await ada.settled(document.id);
  expect((await ada.send("GET", `/documents/${document.id}/file`)).body).toBe(
    "The kettle came from Linz.",
  );
  expect(await ada.found("kettle Linz", [folder])).toEqual([document.id]);
  expect((await bob.send("GET", "/webhooks")).status).toBe(200);
  await using hook = await hooks.register();
  await hooks.emit(finished);
  await hook.ended();
  expect(ended).toEqual([]);
  // At most five lookups per owner run at a time.
  expect(hooks.names.queryCount("silent.test")).toBeLessThanOrEqual(10 * 2 * 4);
  const first = await Promise.race(silent);
  expectProblem(first, 503, "not at fault");
  expect(first.headers.get("retry-after")).toBe("5");
  expect(ended[0]).toBeGreaterThanOrEqual(4_900);
  leaving.abort();
  expect([
    (await bob.send("GET", "/webhooks")).body,
    (await cal.send("GET", "/webhooks")).body,
  ]).toEqual([[], []]);
}, 60_000);

const silences =
  "[19] an attempt without an answer fails after 15 s, one without a name lookup after 5 s, " +
  "and the next attempt follows";
test(
  silences,
  async () => {
    hooks.names.set("falls-silent.test", {
      a: (n) => (n === 0 ? [allowed] : "silent"),
      aaaa: (n) => (n === 0 ? [] : "silent"),
    });
    await using never = await hooks.register(at("never"));
    await using secure = await hooks.register(at("never").replace("http:", "https:"));
    await using silent = await hooks.register(`http://falls-silent.test:${hooks.receiver.port}/`);
    await hooks.emit(finished);
    const begun = async (hook: typeof never) => {
      const [delivery] = await hook.log();
      return delivery?.attempts.length >= 2 ? delivery.attempts[0] : undefined;
    };
    await until(
      async () =>
        (await Promise.all([never, secure, silent].map(begun))).every(
          (attempt) => attempt !== undefined,
        ),
      40_000,
    );
    expect(await begun(silent)).toMatchObject({
      status_code: null,
      error: expect.stringContaining("could not be looked up"),
    });
    for (const hook of [never, secure]) {
      expect(await begun(hook)).toMatchObject({
        status_code: null,
        error: "no response within 15 s",
      });
      expect((await begun(hook)).duration_ms).toBeGreaterThanOrEqual(15_000);
    }
  },
  60_000,
);
