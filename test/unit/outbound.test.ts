/**
 * Which addresses are public, which URLs may be requested, and how a lookup interprets the answers
 * of name servers.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { checkHost } from "../../core/outbound/host-check";
import { createDnsLookup } from "../../core/outbound/dns-lookup";
import {
  createAddressPolicy,
  isPublic,
  special_v4,
  special_v6,
} from "../../core/outbound/address-policy";
import { parseTarget } from "../../core/outbound/target";
import {
  not_public_pattern,
  public_uri_pattern,
  uri_pattern,
} from "../../core/outbound/url-patterns";
import { bytesOf, startNameServer } from "../../scripts/lib/name-server";

/**
 * The special-purpose registries of IANA for IPv4 and IPv6, with the multicast and the unassigned
 * ranges.
 */
const registry: readonly (readonly [name: string, ...blocks: string[]])[] = [
  ["this network", "0.0.0.0/8", "0.0.0.0/32"],
  ["private use", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  ["shared address space", "100.64.0.0/10"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["IETF protocol assignments", "192.0.0.0/24"],
  ["IPv4 service continuity", "192.0.0.0/29"],
  ["dummy", "192.0.0.8/32"],
  ["anycast", "192.0.0.9/32", "192.0.0.10/32"],
  ["NAT64 discovery", "192.0.0.170/32", "192.0.0.171/32"],
  ["documentation", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"],
  ["AS112", "192.31.196.0/24", "192.175.48.0/24"],
  ["AMT", "192.52.193.0/24"],
  ["6to4 relay", "192.88.99.0/24", "192.88.99.2/32"],
  ["benchmarking", "198.18.0.0/15"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
  ["broadcast", "255.255.255.255/32"],
  ["loopback v6", "::1/128"],
  ["unspecified", "::/128"],
  ["v4-compatible", "::/96"],
  ["v4-mapped", "::ffff:0:0/96"],
  ["NAT64", "64:ff9b::/96", "64:ff9b:1::/48"],
  ["discard", "100::/64", "100:0:0:1::/64"],
  ["protocol assignments v6", "2001::/23"],
  ["Teredo", "2001::/32"],
  ["anycast v6", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128"],
  ["benchmarking v6", "2001:2::/48"],
  ["AMT v6", "2001:3::/32"],
  ["AS112 v6", "2001:4:112::/48", "2620:4f:8000::/48"],
  ["ORCHID", "2001:10::/28", "2001:20::/28"],
  ["drone ids", "2001:30::/28"],
  ["documentation v6", "2001:db8::/32", "3fff::/20"],
  ["6to4", "2002::/16"],
  ["segment routing", "5f00::/16"],
  ["unique local", "fc00::/7"],
  ["link-local v6", "fe80::/10"],
  ["site-local", "fec0::/10"],
  ["multicast v6", "ff00::/8"],
  ["unassigned", "4000::/3", "8000::/1", "200::/7", "400::/6"],
];

/** The first, a middle and the last address of a block. */
function probes(block: string): string[] {
  const [address = "", bits] = block.split("/");
  const v4 = address.includes(".");
  const first = v4 ? Buffer.from(address.split(".").map(Number)) : bytesOf(address);
  const at = (fill: number): string => {
    const bytes = Buffer.from(first);
    for (let bit = Number(bits); bit < bytes.length * 8; bit++)
      if (fill === 1 || (fill === 0.5 && bit % 2 === 1)) bytes[bit >> 3]! |= 128 >> (bit & 7);
    return v4 ? bytes.join(".") : bytes.toString("hex").match(/.{4}/g)!.join(":");
  };
  return [at(0), at(0.5), at(1)];
}

describe("[1] no address of a special block is public", () => {
  for (const [name, ...blocks] of registry)
    for (const block of blocks)
      test(`${name} ${block}`, () => {
        expect(probes(block).filter(isPublic)).toEqual([]);
      });
});

/** IPv6 forms that embed an IPv4 address, given as its two halves in hexadecimal. */
const carriers: readonly (readonly [name: string, form: (high: string, low: string) => string])[] =
  [
    ["mapped", (high, low) => `::ffff:${high}:${low}`],
    ["mapped, written out", (high, low) => `0:0:0:0:0:ffff:${high}:${low}`],
    ["compatible", (high, low) => `::${high}:${low}`],
    ["translated (SIIT)", (high, low) => `::ffff:0:${high}:${low}`],
    ["NAT64", (high, low) => `64:ff9b::${high}:${low}`],
    ["local NAT64", (high, low) => `64:ff9b:1::${high}:${low}`],
    ["6to4", (high, low) => `2002:${high}:${low}::1`],
    ["Teredo server", (high, low) => `2001:0:${high}:${low}::1`],
    [
      "Teredo client",
      (high, low) =>
        `2001:0:102:304:0:0:${(0xffff ^ parseInt(high, 16)).toString(16)}:${(0xffff ^ parseInt(low, 16)).toString(16)}`,
    ],
    ["ISATAP, link-local", (high, low) => `fe80::5efe:${high}:${low}`],
  ];
describe("[3] no IPv6 address that embeds an IPv4 address is public, not even a public one", () => {
  for (const [name, form] of carriers)
    test(name, () => {
      const carried = [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "255.255.255.255",
        "1.1.1.1",
      ].map((address) => {
        const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
        return form(((a << 8) | b).toString(16), ((c << 8) | d).toString(16));
      });
      expect(carried.filter(isPublic)).toEqual([]);
    });
  for (const address of ["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1", "::ffff:1.1.1.1"])
    test(address, () => expect(isPublic(address)).toBe(false));
});

describe("[1] public addresses are public", () => {
  const cases = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "2003::1",
    "2620:4f:8001::1",
    "3ffe:ffff::1",
  ];
  for (const address of cases) test(address, () => expect(isPublic(address)).toBe(true));
});

describe("strings that are not addresses are not public", () => {
  for (const address of [
    "",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "2001:4860::8888%eth0",
    "fe80::1%1",
    "0x7f.1",
  ])
    test(JSON.stringify(address), () => expect(isPublic(address)).toBe(false));
});

describe("allowed networks", () => {
  const allows = createAddressPolicy(
    ["127.0.0.2", "10.1.0.0/16", "fd00::/8"],
    "imports.allow_networks",
  );
  const cases: [string, string, boolean][] = [
    ["one address", "127.0.0.2", true],
    ["its neighbour", "127.0.0.1", false],
    ["internal name", "10.1.255.1", true],
    ["outside it", "10.2.0.0", false],
    ["IPv6", "fd12::1", true],
    ["other IPv6", "fe80::1", false],
    ["public", "1.1.1.1", true],
  ];
  for (const [why, address, allowed] of cases)
    test(why, () => expect(allows(address)).toBe(allowed));
  test("a value that is not a network is named in the error", () =>
    expect(() => createAddressPolicy(["10.0.0.0/8", "intranet"], "imports.allow_networks")).toThrow(
      "imports.allow_networks: intranet is not a network",
    ));
});

describe("refused URLs", () => {
  const cases: [string, string][] = [
    ["empty", ""],
    ["relative", "/hook"],
    ["without a scheme", "//hook.test/"],
    ["ftp", "ftp://hook.test/"],
    ["file", "file:///etc/passwd"],
    ["javascript", "javascript:alert(1)"],
    ["ws", "ws://hook.test/"],
    ["one slash", "http:/hook.test/"],
    ["no slash", "http:hook.test"],
    ["a user name", "http://ada@hook.test/"],
    ["a password", "http://ada:x@hook.test/"],
    ["an empty user name", "http://@hook.test/"],
    ["a fragment", "http://hook.test/#x"],
    ["an empty fragment", "http://hook.test/#"],
    ["port 0", "http://hook.test:0/"],
    ["port 65536", "http://hook.test:65536/"],
    ["a backslash", "http://hook.test\\@10.0.0.1/"],
    ["a tab", "http://ho\tok.test/"],
    ["a line break", "http://hook.test/\r\nX: y"],
    ["a leading space", " http://hook.test/"],
    ["a space inside", "http://hook.test/a b"],
    ["U+007F", "http://hook.test/\x7f"],
    ["too long", `http://hook.test/${"x".repeat(2_048)}`],
    ["localhost", "http://localhost/"],
    ["LOCALHOST", "http://LOCALHOST:80/"],
    ["localhost.", "http://localhost./"],
    ["below localhost", "http://x.localhost/"],
    ["fullwidth localhost", "http://ｌocalhost/"],
    ["below internal", "http://metadata.google.internal/"],
    ["below local", "http://printer.local/"],
    ["home.arpa", "http://nas.home.arpa/"],
    ["onion", "http://abc.onion/"],
    ["a single label", "http://intranet/"],
    ["only a dot", "http://./"],
    ["two dots at the end", "http://hook.test../"],
    ["an empty label", "http://a..b.test/"],
    ["127.0.0.1..", "http://127.0.0.1../"],
    ["a leading dash", "http://-a.test/"],
    ["a label of 64 characters", `http://${"a".repeat(64)}.test/`],
    ["a name of 254 characters", `http://${"a.".repeat(125)}test/`],
    ["a number too high", "http://256.1.1.1/"],
    ["an IPv6 zone", "http://[fe80::1%25eth0]/"],
    ["nothing but the scheme", "http://"],
  ];
  for (const [why, url] of cases)
    test(why, () => expect(() => parseTarget(url)).toThrow(/^The URL/));
});

describe("every notation of an address is recognised as that address", () => {
  const cases: [string, string, string][] = [
    ["decimal", "http://2130706433/", "127.0.0.1"],
    ["hexadecimal", "http://0x7f.1/", "127.0.0.1"],
    ["octal", "http://0177.0.0.1/", "127.0.0.1"],
    ["short", "http://127.1/", "127.0.0.1"],
    ["a dot at the end", "http://127.0.0.1./", "127.0.0.1"],
    ["fullwidth digits", "http://１２７.0.0.1/", "127.0.0.1"],
    ["escaped", "http://%31%32%37.0.0.1/", "127.0.0.1"],
    ["zero", "http://0/", "0.0.0.0"],
    ["mapped", "http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["long IPv6", "http://[0:0:0:0:0:0:0:1]/", "::1"],
    ["compatible", "http://[::127.0.0.1]/", "::7f00:1"],
    ["NAT64", "http://[64:ff9b::7f00:1]/", "64:ff9b::7f00:1"],
    ["6to4", "http://[2002:7f00:1::]/", "2002:7f00:1::"],
    ["Teredo", "http://[2001:0:7f00:1::]/", "2001:0:7f00:1::"],
  ];
  for (const [why, url, host] of cases)
    test(why, async () => {
      expect(parseTarget(url)).toMatchObject({ host, is_address: true });
      expect(
        await checkHost(parseTarget(url), () => Promise.reject(new Error("looked up")), isPublic),
      ).toEqual({ kind: "refused" });
    });
});

test("equivalent URLs are normalised to one form", () => {
  for (const url of [
    "http://Hook.Test",
    "HTTP://hook.test:80/",
    "http://hook.test./",
    "http://hook.test/./",
  ])
    expect(parseTarget(url).href).toBe("http://hook.test/");
  expect(parseTarget("https://bücher.test/ä?q=1").href).toBe(
    "https://xn--bcher-kva.test/%C3%A4?q=1",
  );
});

describe("a DNS lookup with", async () => {
  const names = await startNameServer();
  afterAll(() => names[Symbol.dispose]());
  const within = (timeout_ms: number) => createDnsLookup({ servers: [names.address], timeout_ms });
  const cases: [string, Parameters<typeof names.set>[1], unknown][] = [
    ["one public address", ["93.184.216.34"], { kind: "allowed", addresses: ["93.184.216.34"] }],
    [
      "both families, IPv4 first",
      { a: ["1.1.1.1"], aaaa: ["2606:4700::1"] },
      { kind: "allowed", addresses: ["1.1.1.1", "2606:4700::1"] },
    ],
    ["only IPv6", { aaaa: ["2606:4700::1"] }, { kind: "allowed", addresses: ["2606:4700::1"] }],
    ["only private", ["10.0.0.1"], { kind: "refused" }],
    ["public and private", ["1.1.1.1", "127.0.0.1"], { kind: "refused" }],
    ["public IPv4, local IPv6", { a: ["1.1.1.1"], aaaa: ["::1"] }, { kind: "refused" }],
    ["mapped loopback in IPv6", { aaaa: ["0:0:0:0:0:ffff:7f00:1"] }, { kind: "refused" }],
    [
      "sixty public addresses and a private one at the end",
      [...Array.from({ length: 60 }, (_, n) => `93.184.216.${n}`), "10.0.0.1"],
      { kind: "refused" },
    ],
    ["an unknown name", "nxdomain", { kind: "absent" }],
    ["a name without addresses", [], { kind: "absent" }],
    [
      "a failing server",
      "servfail",
      { kind: "silent", reason: expect.stringContaining("the name server failed") },
    ],
    [
      "a refusing server",
      "refused",
      { kind: "silent", reason: expect.stringContaining("the name server failed") },
    ],
    [
      "a failure for IPv6, an answer for IPv4",
      { a: ["1.1.1.1"], aaaa: "servfail" },
      { kind: "allowed", addresses: ["1.1.1.1"] },
    ],
  ];
  /** The time limit ends these, so it leaves a busy machine the time for the other family. */
  const limited: [string, Parameters<typeof names.set>[1], timeout_ms: number, unknown][] = [
    ["a garbled answer", "garbled", 400, { kind: "silent", reason: expect.any(String) }],
    ["no answer", "silent", 400, { kind: "silent", reason: "no response in time" }],
    [
      "no answer for IPv6, one for IPv4",
      { a: ["1.1.1.1"], aaaa: "silent" },
      3_000,
      { kind: "allowed", addresses: ["1.1.1.1"] },
    ],
    [
      "no answer for IPv6, no address for IPv4",
      { a: [], aaaa: "silent" },
      400,
      { kind: "silent", reason: "no response in time" },
    ],
  ];
  const check = async (zone: Parameters<typeof names.set>[1], timeout_ms: number) => {
    const name = `n${++name_count}.test`;
    names.set(name, zone);
    return checkHost(parseTarget(`http://${name}/`), within(timeout_ms), isPublic);
  };
  let name_count = 0;
  test.each(cases)("%s", async (_why, zone, expected) =>
    expect(await check(zone, 60_000)).toEqual(expected as never),
  );
  test.each(limited)("%s", async (_why, zone, timeout_ms, expected) =>
    expect(await check(zone, timeout_ms)).toEqual(expected as never),
  );
  test("a name server that is not an address is refused at once", () =>
    expect(() => createDnsLookup({ servers: ["not a server"] })).toThrow());
});

describe("the URL patterns in the API document", () => {
  const uri = new RegExp(`^${uri_pattern}$`, "u");
  const may_be_public = new RegExp(`^${public_uri_pattern}$`, "u");
  const not_public = new RegExp(not_public_pattern, "u");
  const saysPublic = (url: string) => may_be_public.test(url) && !not_public.test(url);
  const cases: [why: string, url: string, taken: boolean][] = [
    ["a name", "https://hooks.example.com/a?b=c", true],
    ["capitals, a port, a final dot", "HTTP://Hooks.Example.COM.:8443/", true],
    ["seven short labels", "http://a.b.c.d.e.f.g", true],
    ["an address", "http://93.184.215.14/", true],
    ["an address of IPv6", "http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:80/x", true],
    ["a short IPv6 address", "http://[2a00::1]", true],
    ["a name of one label", "http://intranet/", false],
    ["a local network name", "http://nas.home.arpa:80", false],
    ["a local name in capitals, with a final dot", "http://printer.LOCAL.", false],
    ["a number as a name", "http://1.2.3/", false],
    ["a space", "http://a.example/a b", false],
    ["a fragment", "http://a.example/#b", false],
    ["a user name", "http://me@a.example/", false],
    ["port 0", "http://a.example:0/", false],
    ["port 65536", "http://a.example:65536/", false],
    ["an invalid percent escape", "http://a.example/%zz", false],
  ];
  test.each(cases)("%s", (_why, url, taken) => expect(saysPublic(url)).toBe(taken));

  test("accept exactly the public addresses", () => {
    const blocks = [...special_v4, ...special_v6].map(([block]) => block.split("/")[0]!);
    const v4 = Array.from({ length: 4_000 }, (_, n) =>
      [n * 7, n * 31 + 3, n * 13, n].map((number) => number % 256).join("."),
    );
    const v6 = Array.from({ length: 4_000 }, (_, n) => {
      const group = (of: number) => ((n * of + of) % 0x10000).toString(16);
      const first = ["2001", "2620", "3fff", "2002", "2a00", "fe80", "3ffe"][n % 7]!;
      const second = [group(3), "4f", "1ff", "200", "db8", "0", "0fff"][(n >> 3) % 7]!;
      return [`${first}:${second}:${group(5)}::`, `${first}:${second}::${group(7)}`, `${first}::`];
    }).flat();
    const urlOf = (address: string) =>
      `http://${address.includes(":") ? `[${address}]` : address}/`;
    const wrong = [...blocks, ...v4, ...v6].filter(
      (address) => saysPublic(urlOf(address)) !== isPublic(address),
    );
    expect(wrong).toEqual([]);
  });
  test("allow only URLs that can be requested", () => {
    const urls = [
      ...cases.map(([, url]) => url),
      `http://${`${"a".repeat(63)}.`.repeat(3)}${"b".repeat(61)}`,
      `http://${`${"a".repeat(63)}.`.repeat(4)}b`,
      `http://${`${"a".repeat(27)}.`.repeat(7)}${"b".repeat(27)}/`,
      "http://_dmarc.a-_b.example/?~!$&'()*+,;=:@/?%20",
    ];
    const allowed = urls.filter((url) => uri.test(url));
    expect(allowed.length).toBeGreaterThan(8);
    for (const url of allowed.filter(saysPublic)) expect(parseTarget(url).href).toBeString();
  });
});
