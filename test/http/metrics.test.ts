/** What the server reports to monitoring: GET /ready and GET /metrics. */
import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, fill, ReadinessChecks } from "../../core/sdk";
import { Metrics } from "../../plugins/metrics/contract";
import { temporaryDirectory } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

/** One metric of each kind of fault, next to a good one. */
const troubled = definePlugin({
  name: "troubled",
  version: "1.0.0",
  setup: () => ({
    fills: [
      ...(["good_bytes", "bad name"] as const).map((name) =>
        fill(Metrics, {
          name,
          help: 'Says "what" it is,\nin two lines.',
          type: "gauge",
          read: async () => [{ labels: { what: 'a "quoted" \\ one\nof two lines' }, value: 7 }],
        }),
      ),
      fill(Metrics, {
        name: "broken_bytes",
        help: "Can't be read.",
        type: "gauge",
        read: () => Promise.reject(new Error("the moon is full")),
      }),
      fill(Metrics, {
        name: "silent_bytes",
        help: "Has nothing to say.",
        type: "gauge",
        read: async () => null,
      }),
    ],
  }),
});

const bearer = { authorization: "Bearer letmein" };
const scrape = async (server: TestServer): Promise<string> => {
  const { status, headers, text } = await server.send(null, "GET", "//metrics", undefined, bearer);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return text;
};

const promtool = Bun.which("promtool");
if (!promtool)
  console.log("Metrics are not checked by promtool: it is not there (Debian package prometheus).");

describe("metrics", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { DOSSIER_METRICS_TOKEN: "letmein" },
      plugins: [troubled],
    });
  });

  test("requests are counted by route and status, including refused and unknown ones", async () => {
    await server.send("ada", "POST", "/folders", { name: "Reports" });
    await server.send("ada", "POST", "/folders", { name: " " });
    await server.send("ada", "GET", "/folders/fld_00000000000000000000000000");
    await server.send("ada", "GET", "/no-such-path");
    await server.send(null, "GET", "/folders");
    const text = await scrape(server);
    const counted = (labels: string, value: number) =>
      expect(text).toContain(`\ndossier_http_requests_total{${labels}} ${value}\n`);
    counted('surface="api",method="POST",route="/folders",status="201"', 1);
    counted('surface="api",method="POST",route="/folders",status="400"', 1);
    counted('surface="api",method="GET",route="/folders/:folderId",status="404"', 1);
    counted('surface="api",method="none",route="none",status="404"', 1);
    counted('surface="api",method="none",route="none",status="401"', 1);
    const durations = text.split("\n").filter((line) => line.includes("_duration_seconds"));
    const posts = durations.filter((line) => line.includes('method="POST",route="/folders"'));
    expect(posts.at(-3)).toEndWith('le="+Inf"} 2');
    expect(posts.at(-1)).toStartWith("dossier_http_request_duration_seconds_count");
    expect(posts.at(-1)).toEndWith(" 2");
  });

  test("the server's contents and activity are reported", async () => {
    await server.send("ada", "POST", "/documents", {
      folder_id: (await server.send("ada", "GET", "/folders")).body.data[0].id,
      content: "Words.",
    });
    await server.settle();
    const text = await scrape(server);
    for (const line of [
      'dossier_documents{status="synced"} 1',
      "dossier_folders 1",
      "dossier_index_documents 1",
      'dossier_webhook_deliveries{status="pending"} 0',
      "dossier_storage_writable 1",
      "dossier_backup_failing 0",
      "good_bytes{",
    ])
      expect(text).toContain(`\n${line}`);
    for (const name of [
      "dossier_database_bytes",
      "dossier_database_wal_bytes",
      "process_resident_memory_bytes",
      "dossier_event_loop_delay_max_seconds",
      "dossier_jobs",
      "dossier_vectors_waiting",
      "dossier_vectors_pending_documents",
      "dossier_vectors_pending_passages",
      "dossier_files_bytes",
      "dossier_import_runs",
    ])
      expect(text).toContain(`# TYPE ${name} gauge\n`);
  });

  test("the size of the index is counted in a child process, without blocking", async () => {
    await using other = await startTestServer({ env: { DOSSIER_METRICS_TOKEN: "letmein" } });
    const { body } = await other.send("ada", "POST", "/folders", { name: "Reports" });
    await other.send("ada", "POST", "/documents", { folder_id: body.id, content: "Some words." });
    await other.settle();
    const index_bytes = async () =>
      Number(/^dossier_index_bytes (\d+)$/m.exec(await scrape(other))?.[1] ?? 0);
    await until(async () => (await index_bytes()) > 10);
    expect(await scrape(other)).toContain("\ndossier_index_vectors_bytes 0\n");
  });

  test("a metric that fails or has an invalid name is left out and counted", async () => {
    const text = await scrape(server);
    expect(text).not.toContain("broken_bytes");
    expect(text).not.toContain("bad name");
    expect(text).not.toContain("silent_bytes");
    expect(text).toContain("dossier_metrics_failed 2\n");
  });

  test("every line is valid text format, and every sample has a declared type", async () => {
    expectTextFormat(await scrape(server));
  });

  test("the processes on the database are reported, at least this one", async () => {
    const text = await scrape(server);
    const valueOf = (name: string): number =>
      Number(
        new RegExp(`^dossier_node_${name}\\{node="node_\\w+",.* (\\S+)$`, "m").exec(text)?.[1],
      );
    expect([valueOf("up"), valueOf("info"), valueOf("jobs_running")]).toEqual([1, 1, 0]);
    expect(valueOf("heartbeat_age_seconds")).toBeLessThan(20);
    expect(valueOf("start_time_seconds")).toBeGreaterThan(1_000_000_000);
  });

  test.skipIf(!promtool)("promtool finds nothing wrong", async () => {
    const checked = Bun.spawnSync(["promtool", "check", "metrics"], {
      stdin: Buffer.from(await scrape(server)),
    });
    // It reports problems on standard error and exits with 3.
    expect([checked.exitCode, checked.stderr.toString()]).toEqual([0, ""]);
  });
});

/** Samples must follow their metric's HELP and TYPE, and be numbers with quoted labels. */
function expectTextFormat(text: string): void {
  expect(text).toEndWith("\n");
  const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"`;
  const sample = new RegExp(
    String.raw`^([a-zA-Z_:][\w:]*)(?:\{${label}(?:,${label})*\})? (-?[\d.]+(?:e[+-]?\d+)?|\+Inf|NaN)$`,
  );
  let metric = "";
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# HELP ")) continue;
    const type = /^# TYPE (\S+) (?:gauge|counter|histogram)$/.exec(line);
    if (type) metric = type[1]!;
    else expect(sample.exec(line)?.[1]?.replace(/_(bucket|sum|count)$/, "")).toBe(metric);
  }
}

describe("access to metrics", () => {
  const token = { DOSSIER_METRICS_TOKEN: "letmein" };
  const network = { DOSSIER_METRICS_NETWORKS: "10.0.0.0/8,::1" };
  const cases: readonly [
    reason: string,
    env: Readonly<Record<string, string>>,
    address: string,
    sent: string | null,
    status: number,
  ][] = [
    ["is closed when nothing is set", {}, "127.0.0.1", "Bearer letmein", 403],
    ["is given with the token", token, "192.0.2.1", "Bearer letmein", 200],
    ["is refused without the token", token, "127.0.0.1", null, 401],
    ["is refused with a wrong token", token, "127.0.0.1", "Bearer letmeim", 401],
    ["is given inside the network", network, "10.1.2.3", null, 200],
    ["is given to an IPv4-mapped address", network, "::ffff:10.1.2.3", null, 200],
    ["is refused outside the network", network, "192.0.2.1", null, 403],
    ["is given by network with both", { ...token, ...network }, "10.1.2.3", null, 200],
    ["is given by token with both", { ...token, ...network }, "192.0.2.1", "Bearer letmein", 200],
    ["is refused with neither", { ...token, ...network }, "192.0.2.1", null, 401],
  ];
  test.each(cases)("%s", async (_reason, env, address, sent, status) => {
    await using server = await startTestServer({ env });
    const headers = new Headers(sent === null ? [] : [["authorization", sent]]);
    const response = await server.fetch(
      new Request("http://dossier.test/metrics", { headers }),
      address,
    );
    expect(response.status).toBe(status);
  });

  test("the token can come from a file", async () => {
    const path = join(temporaryDirectory(), "token");
    writeFileSync(path, "letmein\n");
    await using server = await startTestServer({ env: { DOSSIER_METRICS_TOKEN_FILE: path } });
    await scrape(server);
  });
});

describe("ready", () => {
  test("a server that can do its work is ready", async () => {
    await using server = await startTestServer();
    const { status, body } = await server.send(null, "GET", "//ready");
    expect([status, body.ready, body.reason]).toEqual([200, true, null]);
    expect(body.checks).toEqual({ server: null, storage: null, jobs: null, index: null });
  });

  test("a failing part is named, also when its check throws", async () => {
    const failing = definePlugin({
      name: "failing",
      version: "1.0.0",
      setup: () => ({
        fills: [
          fill(ReadinessChecks, { name: "pump", failing: () => "The pump is dry." }),
          fill(ReadinessChecks, {
            name: "valve",
            failing: () => Promise.reject(new Error("no valve")),
          }),
        ],
      }),
    });
    await using server = await startTestServer({ plugins: [failing] });
    const { status, body } = await server.send(null, "GET", "//ready");
    expect(status).toBe(503);
    expect(body.reason).toBe("The pump is dry. The check failed: no valve.");
    expect(body.checks).toMatchObject({ pump: "The pump is dry.", storage: null });
  });

  test("probes don't count toward the request limit", async () => {
    await using server = await startTestServer({ env: { DOSSIER_RATE_LIMIT_REQUESTS: "3" } });
    for (let probe = 0; probe < 5; probe++)
      expect((await server.send(null, "GET", "//ready")).status).toBe(200);
  });
});
