/** Built-in plugins that are disabled or replaced: the others work without them. */
import { describe, expect, test } from "bun:test";
import { disablingProblems } from "../../core/plugin/disabled-plugins";
import { definePlugin, fill, RateLimiter, service } from "../../core/sdk";
import { builtIn } from "../../plugins/built-in";
import { startTestServer, type TestServer } from "../helpers/host";

const free = builtIn
  .map(({ name }) => name)
  .filter((name) => disablingProblems([name], builtIn).length === 0);

/** The basic operations of any user. */
async function works(server: TestServer): Promise<void> {
  const folder = await server.send("ada", "POST", "/folders", { name: "Notes" });
  expect(folder.status).toBe(201);
  const listed = await server.send("ada", "GET", "/folders");
  expect(listed.body.data).toHaveLength(1);
  const { body } = await server.send(null, "GET", "/health");
  expect([body.status, body.plugins]).toEqual(["ok", []]);
  expect((await server.send("ada", "DELETE", `/folders/${folder.body.id}`)).status).toBe(204);
  await server.settle();
}

describe("a built-in plugin that no other needs can be disabled:", () => {
  for (const name of free)
    test(name, async () => {
      await using server = await startTestServer({ env: { DOSSIER_PLUGINS_DISABLED: name } });
      await works(server);
      const plugins = await server.host.operations.plugins();
      expect(plugins.find((plugin) => plugin.name === name)).toMatchObject({
        status: "disabled",
        built_in: true,
        reason: "it is named in plugins.disabled",
      });
    });
});

test("a plugin that others need can't be disabled", () => {
  expect(disablingProblems(["folders"], builtIn)[0]).toMatch(
    /folders can't be disabled: .*documents.* need it/,
  );
  expect(free).toContain("rate-limit");
  expect(free).not.toContain("accounts");
});

test("a rate limiter that replaces the built-in one is used instead", async () => {
  const limiter = definePlugin({
    name: "limiter",
    version: "1.0.0",
    replaces: ["rate-limit"],
    setup: () => ({
      fills: [
        fill(RateLimiter, {
          take: async () => ({ limit: 7, remaining: 3, reset_s: 1, allowed: true }),
        }),
      ],
    }),
  });
  await using server = await startTestServer({ plugins: [limiter] });
  const answer = await server.call("ada", "GET", "/folders");
  expect(answer.headers.get("x-ratelimit-limit")).toBe("7");
  const plugins = await server.host.operations.plugins();
  expect(plugins.find(({ name }) => name === "rate-limit")).toMatchObject({
    status: "disabled",
    reason: "limiter replaces it",
  });
});

test("a service can't be modified by its users, but can modify itself", async () => {
  class Counter {
    count = 0;
    add(): number {
      return ++this.count;
    }
  }
  const Counting = service<Counter>("counting");
  const reports: unknown[] = [];
  const plugins = [
    definePlugin({
      name: "counting",
      version: "1.0.0",
      provides: { counter: Counting },
      setup: () => ({ services: { counter: new Counter() } }),
    }),
    definePlugin({
      name: "meddling",
      version: "1.0.0",
      needs: { counter: Counting },
      setup: ({ services: { counter } }) => {
        const meddle = (): void => void (counter.add = () => 42);
        expect(meddle).toThrow(TypeError);
        expect(() => (counter.count = 42)).toThrow(TypeError);
        reports.push(counter.add(), counter.add(), counter.count, counter instanceof Counter);
        return {};
      },
    }),
  ];
  await using _server = await startTestServer({ plugins });
  expect(reports).toEqual([1, 2, 2, true]);
});
