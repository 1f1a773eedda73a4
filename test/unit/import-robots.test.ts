/**
 * What robots.txt allows (RFC 9309), when a host asks for a later retry, and the pause between two
 * requests.
 */
import { describe, expect, test } from "bun:test";
import { retryAfterMs } from "../../core/lib/retry-after";
import { localShared } from "../helpers/shared";
import { allow_all, HostDelays, readRobots, RobotsCache } from "../../plugins/imports/politeness";

describe("robots.txt:", () => {
  const cases: [reason: string, text: string, path: string, allowed: boolean][] = [
    ["an empty file allows everything", "", "/a", true],
    ["no group applies to us or to all", "User-agent: other\nDisallow: /", "/a", true],
    ["a group for all", "User-agent: *\nDisallow: /a", "/a/b", false],
    ["a prefix, not a name", "User-agent: *\nDisallow: /a", "/ab", false],
    ["another path", "User-agent: *\nDisallow: /a", "/b", true],
    [
      "our own group replaces the group for all",
      "User-agent: *\nDisallow: /\n\nUser-agent: Dossier\nDisallow: /private",
      "/a",
      true,
    ],
    [
      "our own group, regardless of case",
      "User-agent: *\nAllow: /\nUser-agent: DOSSIER\nDisallow: /",
      "/a",
      false,
    ],
    ["our name with a version", "User-agent: dossier/1.0\nDisallow: /", "/a", false],
    ["a longer name isn't ours", "User-agent: dossierbot\nDisallow: /", "/a", true],
    ["one group for several", "User-agent: other\nUser-agent: dossier\nDisallow: /x", "/x", false],
    [
      "two groups of ours are merged",
      "User-agent: dossier\nDisallow: /a\n\nUser-agent: dossier\nDisallow: /b",
      "/b",
      false,
    ],
    [
      "the longest pattern decides",
      "User-agent: *\nAllow: /a/open\nDisallow: /a",
      "/a/open/x",
      true,
    ],
    [
      "the longest pattern decides, in any order",
      "User-agent: *\nDisallow: /a\nAllow: /a/open",
      "/a/open/x",
      true,
    ],
    [
      "of two equally long patterns, Allow wins",
      "User-agent: *\nDisallow: /a\nAllow: /a",
      "/a",
      true,
    ],
    ["an empty Disallow forbids nothing", "User-agent: *\nDisallow:", "/a", true],
    ["a star is any run of characters", "User-agent: *\nDisallow: /*.pdf", "/x/y.pdf?z", false],
    ["a dollar anchors the end", "User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", true],
    ["a dollar matches at the end", "User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", false],
    ["stars that overlap", "User-agent: *\nDisallow: /a*ab$", "/ab", true],
    ["stars that fit", "User-agent: *\nDisallow: /a*b*c", "/a--b--c", false],
    ["the query belongs to the path", "User-agent: *\nDisallow: /*?sort=", "/list?sort=up", false],
    [
      "escapes regardless of case",
      "User-agent: *\nDisallow: /%7ejoe/%c3%a9",
      "/~joe/%C3%A9",
      false,
    ],
    ["unescaped letters", "User-agent: *\nDisallow: /é", "/%C3%A9", false],
    ["an escaped slash isn't a slash", "User-agent: *\nDisallow: /a%2Fb", "/a/b", true],
    [
      "comments, white space and Windows lines",
      "\ufeffuser-agent : * # all\r\n disallow : /a # this\r\n",
      "/a",
      false,
    ],
    [
      "other lines don't end a group",
      "User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /a",
      "/a",
      false,
    ],
    ["a rule before any group is ignored", "Disallow: /\nUser-agent: *\nAllow: /", "/a", true],
    [
      "a very long run of spaces",
      `User-agent: *\nDisallow: /a${" ".repeat(500_000)}b\nDisallow: /c`,
      "/c",
      false,
    ],
    ["robots.txt itself may always be read", "User-agent: *\nDisallow: /", "/robots.txt", true],
  ];
  test.each(cases)("%s", (_reason, text, path, allowed) => {
    expect(readRobots(text, "dossier").allows(path)).toBe(allowed);
  });

  const delays: [reason: string, text: string, delay: number | null][] = [
    ["none", "User-agent: *\nDisallow: /a", null],
    [
      "from the group that applies",
      "User-agent: *\nCrawl-delay: 9\n\nUser-agent: dossier\nCrawl-delay: 1.5",
      1.5,
    ],
    ["not a number", "User-agent: *\nCrawl-delay: soon", null],
  ];
  test.each(delays)("crawl delay: %s", (_reason, text, delay) => {
    expect(readRobots(text, "dossier").crawl_delay_s).toBe(delay);
  });

  test("patterns that would stall a regular expression match quickly", () => {
    const robots = readRobots(`User-agent: *\nDisallow: /${"*a".repeat(2_000)}$`, "dossier");
    expect(robots.allows(`/${"a".repeat(3_000)}b`)).toBe(true);
  });
});

describe("Retry-After:", () => {
  const cases: [reason: string, header: string | null, ms: number | null][] = [
    ["is missing", null, null],
    ["seconds", "7", 7_000],
    ["a date", "Thu, 01 Jan 1970 00:01:10 GMT", 60_000],
    ["a past date", "Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["nonsense", "later", null],
  ];
  test.each(cases)("%s", (_reason, header, ms) => {
    expect(retryAfterMs(header, 10_000)).toBe(ms);
  });
});

describe("pauses", () => {
  const never = new AbortController().signal;

  test("requests to one host are spaced out, and other hosts don't wait", async () => {
    const delays = new HostDelays({ shared: localShared(() => 0) });
    const begun = performance.now();
    const turns: string[] = [];
    const waited: Record<string, number> = {};
    const turn = (name: string, host: string) =>
      delays.wait(host, 40, never).then(() => {
        turns.push(name);
        waited[name] = performance.now() - begun;
      });
    await Promise.all([
      turn("first", "a"),
      turn("second", "a"),
      turn("third", "a"),
      turn("other", "b"),
    ]);
    expect(turns).toEqual(["first", "other", "second", "third"]);
    // Timers count in whole milliseconds.
    expect(waited.second!).toBeGreaterThanOrEqual(39);
    expect(waited.third!).toBeGreaterThanOrEqual(79);
  });

  test("the pause restarts when a response arrives", async () => {
    let now = 0;
    const delays = new HostDelays({ shared: localShared(() => now) });
    await delays.wait("a", 30, never);
    now = 100;
    await delays.start("a", 30);
    const stop = new AbortController();
    const waiting = delays.wait("a", 30, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});

describe("the robots.txt rules of hosts", () => {
  const allowed = Promise.resolve(allow_all);
  test("are known within their run until it is forgotten", () => {
    const robots = new RobotsCache();
    robots.ofRun("one").set("https://a.test", allowed);
    robots.ofRun("one").set("https://b.test", allowed);
    robots.ofRun("one").delete("https://b.test");
    robots.ofRun("two").set("https://a.test", allowed);
    expect([
      robots.ofRun("one").get("https://a.test"),
      robots.ofRun("one").get("https://b.test"),
      robots.ofRun("three").get("https://a.test"),
    ]).toEqual([allowed, undefined, undefined]);
    robots.forget("one");
    expect([
      robots.ofRun("one").get("https://a.test"),
      robots.ofRun("two").get("https://a.test"),
    ]).toEqual([undefined, allowed]);
  });
  test("are kept only for recently used hosts", () => {
    const robots = new RobotsCache();
    robots.ofRun("run").set("https://again.test", allowed);
    for (let n = 0; n < 10_000; n++) {
      robots.ofRun("run").set(`https://${n}.test`, allowed);
      robots.ofRun("run").set("https://again.test", allowed);
    }
    expect([
      robots.size,
      robots.ofRun("run").get("https://again.test"),
      robots.ofRun("run").get("https://9999.test"),
      robots.ofRun("run").get("https://0.test"),
    ]).toEqual([64, allowed, allowed, undefined]);
  });
});
