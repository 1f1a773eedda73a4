/**
 * Servers that an import may meet: polite ones that set rules, and hostile ones that never finish,
 * lie, drip, send decompression bombs or redirect to internal addresses.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Fetcher } from "../../plugins/imports/fetcher";
import { localShared } from "../helpers/shared";
import { filesOf } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import {
  ended,
  importOf,
  page,
  startWebsite,
  type SiteContent,
  type Website,
} from "../helpers/website";

let server: TestServer;
let site: Website;
let names: NameServer;
let ada: Person;
beforeAll(async () => {
  site = await startWebsite();
  names = await startNameServer();
  server = await startTestServer({
    env: {
      // Only this address: all others of the loopback network stay refused.
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1/32",
      DOSSIER_IMPORTS_TIMEOUT: "1500ms",
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
      DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "256KiB",
    },
  });
  ada = await person(server, "ada");
});
afterAll(async () => {
  names[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
});

const importing = async (...urls: string[]) =>
  importOf(ada, { folder_id: await ada.folder(), source: { type: "urls", urls } });
let n = 0;
const put = (what: SiteContent): string => {
  const at = `/h${n++}`;
  site.set(at, what);
  return site.url + at;
};
const outcome = async (url: string) => {
  const {
    items: [item],
  } = await importing(url);
  return item.status === "succeeded"
    ? (await ada.get(item.document_id)).content
    : `${item.error.code}: ${item.error.message}`;
};
const body = (bytes: Uint8Array | string, headers: Record<string, string>) =>
  new Response(bytes as never, { headers: { "content-type": "text/plain", ...headers } });
const redirect = (location: string, status = 302) =>
  new Response(null, { status, headers: { location } });

describe("answers", () => {
  const bomb = gzipSync(Buffer.alloc(8 * 2 ** 20, "a"));
  const cases: [reason: string, what: SiteContent, result: RegExp][] = [
    [
      "compressed with gzip",
      body(gzipSync("The otter."), { "content-encoding": "gzip" }),
      /^The otter\.$/,
    ],
    [
      "compressed with brotli",
      body(brotliCompressSync("The otter."), { "content-encoding": "br" }),
      /^The otter\.$/,
    ],
    [
      "a decompression bomb",
      body(bomb, { "content-encoding": "gzip" }),
      /^too_large: .* limit of 262144 bytes/,
    ],
    [
      "an encoding that was not requested",
      body("x", { "content-encoding": "zstd" }),
      /^unreadable: .*zstd/,
    ],
    [
      "damaged compression",
      body("not gzip", { "content-encoding": "gzip" }),
      /^unreadable: .*decompressed/,
    ],
    [
      "a declared length above the limit",
      body("x".repeat(300_000), {}),
      /^too_large: .* limit of 262144 bytes/,
    ],
    [
      "a body that never ends",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", more);
        more();
      },
      /^too_large: .* limit of 262144 bytes/,
    ],
    [
      "a slowly dripping body",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const drip = setInterval(() => response.write("x"), 50);
        response.on("close", () => clearInterval(drip));
      },
      /^timeout: .* longer than 1\.5 s/,
    ],
    ["silence", () => undefined, /^timeout: .* longer than 1\.5 s/],
    [
      "a body shorter than declared",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
        response.write("The otter");
        setTimeout(() => response.destroy(), 20);
      },
      /^(unreadable|unreachable): .*(cut off|closed the connection)/,
    ],
    [
      "a response that is not HTTP",
      (request) => {
        request.socket.end("garbage\r\n\r\n");
      },
      /^unreachable: /,
    ],
    [
      "an error status",
      new Response("no", { status: 500 }),
      /^http_status: .* responded with 500 Internal Server Error\./,
    ],
    ["nothing", new Response(null, { status: 204 }), /^http_status: .* responded with 204/],
  ];
  test.each(cases)("%s", async (_reason, what, result) => {
    expect(await outcome(put(what))).toMatch(result);
  });

  test("a page that is hard to parse is read like any file", async () => {
    const {
      items: [item],
    } = await importing(put(`<html><body>${"<div>".repeat(20_000)}<p>The otter.</p>`));
    expect(await ada.get(item.document_id)).toMatchObject({
      status: "synced",
      content: "The otter.",
    });
  });
  test("a port where nothing listens", async () => {
    expect(await outcome("http://127.0.0.1:1/")).toMatch(/^unreachable: /);
  });
});

describe("addresses", () => {
  const inside: [reason: string, url: string][] = [
    ["loopback", "http://127.0.0.2/"],
    ["private", "http://10.1.2.3/"],
    ["link-local", "http://169.254.169.254/latest/meta-data/"],
    ["loopback, written as a number", "http://2130706434/"],
    ["IPv6 loopback", "http://[::1]/"],
    ["mapped", "http://[::ffff:10.0.0.1]/"],
    ["a name of this machine", "http://localhost/"],
  ];
  test.each(inside)("refused as internal: %s", async (_reason, url) => {
    expect(await outcome(url)).toMatch(/^address_refused: /);
  });

  test("a name with a private address, an unknown name, and a silent name server", async () => {
    names.set("mixed.test", ["127.0.0.1", "10.0.0.1"]);
    names.set("failing.test", "servfail");
    expect(await outcome("http://mixed.test/")).toMatch(/^address_refused: /);
    expect(await outcome("http://absent.test/")).toMatch(
      /^unreachable: The host absent\.test does not exist/,
    );
    expect(await outcome("http://failing.test/")).toMatch(/^unreachable: .*could not be looked up/);
  });

  test("a name is resolved for every request, and the checked address is used", async () => {
    const port = new URL(site.url).port;
    names.set("rebinds.test", {
      a: (query_count) => (query_count === 0 ? ["127.0.0.1"] : ["10.0.0.1"]),
    });
    site.set("/rebound", page("Rebound", "never fetched"));
    const before = site.paths().length;
    // The first answer serves robots.txt; the page would be fetched from the second.
    expect(await outcome(`http://rebinds.test:${port}/rebound`)).toMatch(/^address_refused: /);
    expect(site.paths().slice(before)).toEqual([]);
    names.set("good.test", ["127.0.0.1"]);
    site.set("/good", page("Good", "The otter."));
    expect(await outcome(`http://good.test:${port}/good`)).toBe("# Good\n\nThe otter.");
    expect(site.requests.at(-1)!.headers.host).toBe(`good.test:${port}`);
  });

  const redirects: [reason: string, location: () => string, result: RegExp][] = [
    ["to another page", () => put(body("The otter.", {})), /^The otter\.$/],
    ["to a private address", () => "http://10.0.0.1/", /^address_refused: /],
    [
      "to another address of the loopback network",
      () => site.url.replace("127.0.0.1", "127.0.0.2"),
      /^address_refused: /,
    ],
    ["to a file of the server", () => "file:///etc/passwd", /^address_refused: /],
    ["to no address", () => "http://", /^unreadable: .*invalid address/],
    [
      "in a circle",
      () => {
        const at = `/h${n++}`;
        site.set(at, redirect(at));
        return site.url + at;
      },
      /^unreadable: .*more than 5 times/,
    ],
  ];
  test.each(redirects)("redirected %s", async (_reason, location, result) => {
    expect(await outcome(put(redirect(location())))).toMatch(result);
  });
  test("up to five redirects are followed, each one checked", async () => {
    let url = put(body("The otter.", {}));
    for (let i = 0; i < 5; i++) url = put(redirect(url, [301, 302, 303, 307, 308][i]));
    expect(await outcome(url)).toBe("The otter.");
    expect(await outcome(put(redirect(url)))).toMatch(/more than 5 times/);
  });
});

describe("politeness", () => {
  /** A separate site, because robots.txt applies to a whole site. */
  async function polite(
    robots: SiteContent | undefined,
    use: (site: Website) => Promise<void>,
  ): Promise<void> {
    await using own_site = await startWebsite();
    own_site.set("/robots.txt", robots);
    for (const path of ["/open", "/closed", "/closed/open"]) own_site.set(path, page(path, path));
    await use(own_site);
  }
  const codes = async (...urls: string[]) =>
    (await importing(...urls)).items.map(({ status, error }) => error?.code ?? status);

  test("robots.txt is fetched once and obeyed, also after redirects", () =>
    polite(
      body("User-agent: *\nDisallow: /closed\nAllow: /closed/open\n", {}),
      async (own_site) => {
        own_site.set("/around", redirect("/closed"));
        expect(
          await codes(
            ...["/open", "/closed", "/closed/open", "/around"].map((path) => own_site.url + path),
          ),
        ).toEqual(["succeeded", "robots_disallowed", "succeeded", "robots_disallowed"]);
        expect([
          own_site.requests.filter(({ path }) => path === "/robots.txt").length,
          own_site.paths(),
        ]).toEqual([1, ["/open", "/closed/open", "/around"]]);
      },
    ));
  const unreadable: [reason: string, robots: SiteContent, code: string][] = [
    ["an error", new Response("no", { status: 503 }), "robots_unreadable"],
    ["too many requests", new Response("no", { status: 429 }), "robots_unreadable"],
    [
      "broken off",
      (request) => {
        request.socket.destroy();
      },
      "unreachable",
    ],
    ["missing", new Response("no", { status: 410 }), "succeeded"],
    ["forbidden", new Response("no", { status: 403 }), "succeeded"],
  ];
  test.each(unreadable)("robots.txt: %s", (_reason, robots, code) =>
    polite(robots, async (own_site) => {
      expect(await codes(`${own_site.url}/open`)).toEqual([code]);
    }),
  );

  test("robots.txt is fetched again when a run is retried", () =>
    polite(new Response("no", { status: 500 }), async (own_site) => {
      const { run, items } = await importing(`${own_site.url}/open`);
      own_site.set("/robots.txt", undefined);
      await ada.send("POST", `/imports/${run.id}/retry`);
      expect([items[0].error.code, (await ended(ada, run.id)).run.status]).toEqual([
        "robots_unreadable",
        "completed",
      ]);
    }));

  test("a host's crawl delay is observed, with one connection at a time", () =>
    polite(body("User-agent: *\nCrawl-delay: 0.2\n", {}), async (own_site) => {
      await importing(...Array.from({ length: 4 }, (_, i) => `${own_site.url}/open?${i}`));
      const times = own_site.requests
        .filter(({ path }) => path !== "/robots.txt")
        .map(({ at_ms }) => at_ms);
      expect(times.slice(1).every((at, i) => at - times[i]! >= 190)).toBe(true);
      expect(own_site.open.most).toBe(1);
    }));

  test("a public host gets the pause of the settings, also between robots.txt and the page, and between redirects", () =>
    polite(undefined, async (own_site) => {
      own_site.set("/around", redirect("/open"));
      const fetcher = new Fetcher({
        lookup: async () => ({ kind: "absent" }),
        allows: () => true,
        isPublic: () => true,
        host_delay_ms: () => 120,
        timeout_ms: () => 20_000,
        now_ms: Date.now,
        shared: localShared(),
        files: server.files,
      });
      const { received, url } = await fetcher.fetch(`${own_site.url}/around#part`, {
        bytes_max: 10_000,
        robots: new Map(),
        signal: new AbortController().signal,
      });
      await received.release();
      const times = own_site.requests.map(({ at_ms }) => at_ms);
      expect([url, own_site.requests.map(({ path }) => path)]).toEqual([
        `${own_site.url}/open`,
        ["/robots.txt", "/around", "/open"],
      ]);
      expect(times.slice(1).every((at, i) => at - times[i]! >= 110)).toBe(true);
    }));

  test("a busy host is retried after the delay it gives, three times at most", async () => {
    let query_count = 0;
    const url = put(
      (_request, response) =>
        void (++query_count < 3
          ? response.writeHead(503, { "retry-after": "0" }).end()
          : response.writeHead(200, { "content-type": "text/plain" }).end("At last.")),
    );
    expect(await outcome(url)).toBe("At last.");
    const never = put(
      (_request, response) => void response.writeHead(429, { "retry-after": "0" }).end(),
    );
    expect(await outcome(never)).toMatch(/^http_status: .* responded with 429 Too Many Requests/);
    expect(site.paths().filter((path) => never.endsWith(path)).length).toBe(3);
  });

  test("a slow host does not delay another one of the same run", async () => {
    const patient = await startTestServer({ env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1" } });
    const client = await person(patient, "ada");
    await using slow = await startWebsite();
    const gate = Promise.withResolvers<void>();
    slow.set(
      "/slow",
      (_request, response) =>
        void gate.promise.then(() =>
          response.writeHead(200, { "content-type": "text/plain" }).end("Slow."),
        ),
    );
    const {
      body: { id },
    } = await client.send("POST", "/imports", {
      folder_id: await client.folder(),
      source: { type: "urls", urls: [`${slow.url}/slow`, put(body("Fast.", {}))] },
    });
    await until(
      async () => (await client.send("GET", `/imports/${id}`)).body.succeeded_item_count === 1,
    );
    gate.resolve();
    expect((await ended(client, id)).run.status).toBe("completed");
    await patient.stop();
  });

  test("no temporary files are left behind", async () => {
    await server.settle();
    expect(filesOf(server.data).filter((name) => name.startsWith("tmp/"))).toEqual([]);
  });
});
