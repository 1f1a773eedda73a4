/**
 * How the child process reads untrusted input: the main text of pages, the addresses in sitemaps
 * and feeds, the entries of archives.
 */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeFeed, writeSitemap, writeZip } from "../../plugins/imports/child/entry-writer";
import { TaskFailure } from "../../core/sdk";
import { readFeed, readSitemap } from "../../plugins/imports/child/address-lists";
import { readPage } from "../../plugins/imports/child/page";
import { readInChild } from "../../plugins/imports/child/tasks";
import { listZip, unzip } from "../../plugins/imports/child/zip";
import { SourceFailure } from "../../plugins/imports/contract";
import { zip, type ZipContent } from "../helpers/office";

const directory = mkdtempSync(join(tmpdir(), "dossier-test-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
let files = 0;
const written = (bytes: string | Uint8Array): string => {
  const path = join(directory, `${files++}`);
  writeFileSync(path, bytes);
  return path;
};

describe("the main text of a page:", () => {
  async function mainOf(
    html: string | Uint8Array,
    charset: string | null = null,
  ): Promise<{ text: string; title: string | null; canonical: string | null; written: boolean }> {
    const output = join(directory, `${files++}`);
    const {
      title,
      canonical,
      written: is_written,
    } = await readPage({ path: written(html), charset, output });
    const cleaned = is_written ? await Bun.file(output).text() : "";
    const text = cleaned
      .replace(/^.*<body>/s, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim();
    return { text, title, canonical, written: is_written };
  }
  const words =
    "The mooring was lifted at noon, and the otters slept through all of it in the reeds by the " +
    "bank of the river.";
  const body = (inner: string) => `<html><head><title>T</title></head><body>${inner}</body></html>`;

  const cases: [reason: string, html: string, text: string][] = [
    ["a page without anything else", body(`<p>${words}</p>`), words],
    [
      "navigation elements are dropped",
      body(
        `<nav>Home</nav><header><a href="/">Site</a></header><p>${words}</p><aside>See</aside><footer>Imprint</footer>`,
      ),
      words,
    ],
    [
      "navigation roles are dropped",
      body(
        `<div role="navigation">Home</div><div role="search">Find</div><p>${words}</p><div role="contentinfo">Imprint</div>`,
      ),
      words,
    ],
    [
      "navigation classes and ids are dropped",
      body(
        `<div class="site-nav">Home</div><div id="sidebar">Side</div><div ` +
          `class="cookieConsent">Cookies</div><p>${words}</p><div ` +
          `class="related-posts">More</div>`,
      ),
      words,
    ],
    ["a similar class is kept", body(`<div class="navigator">${words}</div>`), words],
    [
      "only main",
      body(`<div>Beside the main part of this page.</div><main><p>${words}</p></main>`),
      words,
    ],
    [
      "articles when there is no main",
      body(`<div>Short.</div><article><p>${words}</p></article><article><p>${words}</p></article>`),
      `${words} ${words}`,
    ],
    ["the whole page when main is empty", body(`<main></main><div><p>${words}</p></div>`), words],
    [
      "lists of links within the text are dropped",
      body(
        `<main><p>${words}</p><ul><li><a href="/1">First</a></li><li><a href="/2">Second</a></li><li><a href="/3">Third</a></li></ul></main>`,
      ),
      words,
    ],
    [
      "links in a sentence are kept",
      body(
        `<main><p>The <a href="/1">otter</a>, the <a href="/2">heron</a> and the <a href="/3">carp</a> live in ${words}</p></main>`,
      ),
      `The otter , the heron and the carp live in ${words}`,
    ],
    [
      "a page of links keeps its links",
      body(
        `<main><ul><li><a href="/1">First</a></li><li><a href="/2">Second</a></li><li><a href="/3">Third</a></li></ul></main>`,
      ),
      "First Second Third",
    ],
    ["a page of navigation only keeps its text", body(`<nav>Only this.</nav>`), "Only this."],
    [
      "a menu that holds the whole page is kept",
      body(`<div class="menu"><p>${words}</p></div>`),
      words,
    ],
    ["a page inside a form is kept", body(`<form><p>${words}</p></form>`), words],
    [
      "scripts and styles are dropped",
      body(
        `<script>let a = "</div><p>no</p>";</script><style>p { color: red }</style><p>${words}</p><noscript>Switch it on.</noscript>`,
      ),
      words,
    ],
    [
      "the header of an article is kept",
      body(`<article><header><h1>Moorings</h1></header><p>${words}</p></article>`),
      `Moorings ${words}`,
    ],
    ["hidden elements are dropped", body(`<p>${words}</p><div aria-hidden="true">×</div>`), words],
    [
      "comments, one of them unclosed",
      body(`<!-- no --><p>${words}</p><!-- <p>Nobody ended this.</p>`),
      `${words} Nobody ended this.`,
    ],
    ["countless unclosed comments", body(`<p>${words}</p>${"<!--".repeat(200_000)}`), words],
    [
      "unclosed tags",
      `<title>T</title><body><p>${words}<p>Second.<ul><li>One<li>Two`,
      `${words} Second. One Two`,
    ],
  ];
  test.each(cases)("%s", async (_reason, html, text) => {
    expect((await mainOf(html)).text).toBe(text);
  });

  const heads: [reason: string, html: string, title: string | null, canonical: string | null][] = [
    [
      "a title with references and line breaks",
      "<title>\n Otters &amp;\n herons </title><p>x</p>",
      "Otters & herons",
      null,
    ],
    [
      "the title of an SVG doesn't count",
      "<svg><title>Icon</title></svg><h1>Otters</h1>",
      "Otters",
      null,
    ],
    ["an Open Graph title", `<meta property="og:title" content="Otters"><p>x</p>`, "Otters", null],
    ["no title", "<p>x</p>", null, null],
    [
      "a canonical address",
      `<title>T</title><link rel="canonical" href="/otters"><p>x</p>`,
      "T",
      "/otters",
    ],
    [
      "canonical among several relations",
      `<title>T</title><link rel="icon canonical" href="https://a.test/"><p>x</p>`,
      "T",
      "https://a.test/",
    ],
  ];
  test.each(heads)("%s", async (_reason, html, title, canonical) => {
    expect(await mainOf(html)).toMatchObject({ title, canonical });
  });

  const cyrillic = Uint8Array.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  const encoded: [reason: string, bytes: Uint8Array, charset: string | null, text: string][] = [
    [
      "valid UTF-8 despite the declared charset",
      Buffer.from(`<meta charset="latin1"><p>Čtyři</p>`),
      "latin1",
      "Čtyři",
    ],
    ["from the server", Buffer.concat([Buffer.from("<p>"), cyrillic]), "windows-1251", "Привет"],
    [
      "from the page",
      Buffer.concat([Buffer.from(`<meta charset="windows-1251"><p>`), cyrillic]),
      null,
      "Привет",
    ],
    [
      "from the page when the server's is unknown",
      Buffer.concat([Buffer.from(`<meta charset="windows-1251"><p>`), cyrillic]),
      "x-none",
      "Привет",
    ],
    [
      "a byte order mark",
      Buffer.concat([Uint8Array.from([0xff, 0xfe]), Buffer.from("<p>Čtyři</p>", "utf16le")]),
      null,
      "Čtyři",
    ],
  ];
  test.each(encoded)("encoding: %s", async (_reason, bytes, charset, text) => {
    expect((await mainOf(bytes, charset)).text).toBe(text);
  });

  const left: [reason: string, html: string | Uint8Array][] = [
    ["an undeclared encoding", Buffer.concat([Buffer.from("<p>"), cyrillic])],
    ["elements a hundred thousand deep", "<div>".repeat(100_000)],
  ];
  test.each(left)("left to the file reader: %s", async (_reason, html) => {
    expect((await mainOf(html)).written).toBe(false);
  });
});

const list = (bytes: string | Uint8Array, entries_max = 100) => ({
  path: written(bytes),
  charset: null,
  bytes_max: 1_000_000,
  entries_max,
});

describe("sitemaps:", () => {
  const urlOf = (loc: string) => `<url><loc>${loc}</loc><lastmod>2026-01-01</lastmod></url>`;
  const urls = (...locs: string[]) =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
    `${locs.map(urlOf).join("")}</urlset>`;
  const cases: [
    reason: string,
    bytes: string | Uint8Array,
    pages: string[],
    sitemaps?: string[],
  ][] = [
    [
      "a list of pages",
      urls("https://a.test/1", " https://a.test/2?x=1&amp;y=2\n"),
      ["https://a.test/1", "https://a.test/2?x=1&y=2"],
    ],
    ["an empty one", urls(), []],
    ["gzipped", gzipSync(urls("https://a.test/1")), ["https://a.test/1"]],
    [
      "an index",
      "<sitemapindex><sitemap><loc>https://a.test/s1.xml</loc></sitemap></sitemapindex>",
      [],
      ["https://a.test/s1.xml"],
    ],
    [
      "prefixes, comments, instructions, CDATA",
      `<!-- <url><loc>no</loc></url> --><s:urlset xmlns:s="x"><s:url><s:loc><![CDATA[https://a.test/?a&b]]></s:loc></s:url></s:urlset>`,
      ["https://a.test/?a&b"],
    ],
    [
      "image addresses are not pages",
      `<urlset><url><loc>https://a.test/1</loc><image:image><image:loc>https://a.test/1.png</image:loc></image:image></url></urlset>`,
      ["https://a.test/1"],
    ],
    [
      "truncated",
      `<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/2`,
      ["https://a.test/1"],
    ],
    [
      "a plain list",
      "https://a.test/1\r\n\r\nhttps://a.test/2\n",
      ["https://a.test/1", "https://a.test/2"],
    ],
    [
      "entities are not expanded",
      `<!DOCTYPE urlset [<!ENTITY x "https://a.test/">]><urlset><url><loc>https://b.test/&x;</loc></url></urlset>`,
      ["https://b.test/&x;"],
    ],
  ];
  test.each(cases)("%s", async (_reason, bytes, pages, sitemaps = []) => {
    expect(await readSitemap(list(bytes))).toEqual({ pages, sitemaps, omitted: 0 });
  });

  test("addresses beyond the limit are counted", async () => {
    expect(await readSitemap(list(urls("a", "b", "c"), 2))).toEqual({
      pages: ["a", "b"],
      sitemaps: [],
      omitted: 1,
    });
  });
  const refused: [reason: string, bytes: string | Uint8Array, words: RegExp][] = [
    [
      "a web page",
      "<!doctype html><html><body><url><loc>x</loc></url></body></html>",
      /not a sitemap/,
    ],
    ["prose", "These are no addresses.", /not a sitemap/],
    ["a decompression bomb", gzipSync(Buffer.alloc(2_000_000)), /limit of 1000000 bytes/],
    ["damaged gzip", gzipSync("<urlset/>").subarray(0, 12), /damaged/],
  ];
  test.each(refused)("refused: %s", async (_reason, bytes, words) => {
    await expect(readSitemap(list(bytes))).rejects.toThrow(words);
  });
});

describe("feeds:", () => {
  const cases: [
    reason: string,
    text: string,
    entries: [url: string | null, title: string | null][],
  ][] = [
    [
      "RSS 2",
      `<rss version="2.0"><channel><title>Site</title><link>https://a.test/</link><item>` +
        `<title>One &amp; two</title><link>https://a.test/1</link></item></channel></rss>`,
      [["https://a.test/1", "One & two"]],
    ],
    [
      "RSS 2 with only a permalink guid",
      `<rss><channel><item><title>One</title><guid>https://a.test/1</guid></item><item>` +
        `<guid isPermaLink="false">https://a.test/2</guid></item></channel></rss>`,
      [
        ["https://a.test/1", "One"],
        [null, null],
      ],
    ],
    [
      "RSS 1",
      `<rdf:RDF xmlns:rdf="x"><channel><items><rdf:Seq/></items></channel><item ` +
        `rdf:about="https://a.test/1"><title>One</title><link>https://a.test/1</link></item>` +
        `</rdf:RDF>`,
      [["https://a.test/1", "One"]],
    ],
    [
      "Atom",
      `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/><entry>` +
        `<title type="html"><![CDATA[<b>One</b>]]></title><link rel="self" ` +
        `href="https://a.test/self"/><link rel="alternate" href="https://a.test/1"/></entry>` +
        `</feed>`,
      [["https://a.test/1", "One"]],
    ],
    [
      "Atom with one link without a relation",
      `<feed><entry><link href="/1"/><source><link href="/no"/><title>No</title></source><title>One</title></entry></feed>`,
      [["/1", "One"]],
    ],
    [
      "JSON Feed",
      `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"https://a.test/1","title":"One"},{"id":"2"}]}`,
      [
        ["https://a.test/1", "One"],
        [null, null],
      ],
    ],
    ["a feed without entries", "<rss><channel/></rss>", []],
    [
      "an endless attribute name",
      `<rss><channel><item><link ${"a".repeat(1_000_000)} href="/x"></link><title>A</title></item></channel></rss>`,
      [["/x", "A"]],
    ],
    [
      "attributes without values, and both kinds of quotes",
      `<feed><entry><link hidden rel = 'alternate' title="a='b" atom:href='/y'/></entry></feed>`,
      [["/y", null]],
    ],
    [
      "a title with unclosed tags",
      `<rss><channel><item><link>/z</link><title><![CDATA[A <b>bold</b> one${"<".repeat(1_000_000)}]]></title></item></channel></rss>`,
      [["/z", `A bold one${"<".repeat(1_000_000)}`]],
    ],
  ];
  test.each(cases)("%s", async (_reason, text, entries) => {
    expect((await readFeed(list(text))).entries.map(({ url, title }) => [url, title])).toEqual(
      entries as never,
    );
  });

  const refused: [reason: string, text: string][] = [
    ["a web page", "<html><body><item><link>x</link></item></body></html>"],
    ["some JSON", `{"a": 1}`],
    ["broken JSON", `{"items": [`],
    ["nothing", ""],
  ];
  test.each(refused)("refused: %s", async (_reason, text) => {
    await expect(readFeed(list(text))).rejects.toThrow("not a feed");
  });
});

describe("archives:", () => {
  const namesIn = async (bytes: Uint8Array) =>
    (await listZip({ path: written(bytes), entries_max: 100 })).entries.map(({ name }) => name);
  const unpacked = async (bytes: Uint8Array, bytes_max = 1_000_000, change = {}) => {
    const path = written(bytes);
    const [entry] = (await listZip({ path, entries_max: 1 })).entries;
    const output = join(directory, `${files++}`);
    await unzip({ path, entry: { ...entry!, ...change }, output, bytes_max });
    return Bun.file(output).text();
  };

  const zipped = (
    files: readonly (readonly [name: string, text: string])[],
    { stored = false } = {},
  ): Uint8Array =>
    zip(Object.fromEntries(files.map(([name, data]) => [name, { data, stored }])) as ZipContent);

  test("files are listed, folders are not", async () => {
    expect(
      await namesIn(
        zipped([
          ["a.txt", "one"],
          ["b/", ""],
          ["b/c.txt", "two"],
          ["é.txt", "three"],
        ]),
      ),
    ).toEqual(["a.txt", "b/c.txt", "é.txt"]);
  });
  const contents: [reason: string, bytes: Uint8Array, text: string][] = [
    ["compressed", zipped([["a.txt", "one ".repeat(100)]]), "one ".repeat(100)],
    ["stored", zipped([["a.txt", "one"]], { stored: true }), "one"],
    ["empty", zipped([["a.txt", ""]]), ""],
    ["listed in ZIP64 format", zip({ "a.txt": "one" }, { wide: true }), "one"],
    [
      "preceded by other data",
      Buffer.concat([Buffer.from("#!/bin/sh\n"), zipped([["a.txt", "one"]])]),
      "one",
    ],
  ];
  test.each(contents)("a file that is %s", async (_reason, bytes, text) => {
    expect(await unpacked(bytes)).toBe(text);
  });

  const refused: [reason: string, () => Promise<unknown>, words: RegExp][] = [
    ["not an archive", () => namesIn(Buffer.from("not a zip")), /not a ZIP archive/],
    [
      "more bytes than declared",
      () => unpacked(zipped([["a.txt", "x".repeat(5_000)]]), 1_000_000, { bytes: 10 }),
      /damaged/,
    ],
    [
      "a decompression bomb",
      () => unpacked(zipped([["a.txt", "0".repeat(500_000)]]), 100_000),
      /limit of 100000 bytes/,
    ],
    ["a wrong checksum", () => unpacked(zipped([["a.txt", "one"]]), 1_000, { crc: 1 }), /damaged/],
    [
      "a password",
      () => unpacked(zipped([["a.txt", "one"]]), 1_000, { encrypted: true }),
      /password/,
    ],
    [
      "an unknown compression method",
      () => unpacked(zipped([["a.txt", "one"]]), 1_000, { method: 99 }),
      /compressed with an unsupported method/,
    ],
    [
      "an offset outside the archive",
      () => unpacked(zipped([["a.txt", "one"]]), 1_000, { at: 10_000_000 }),
      /damaged/,
    ],
    [
      "invalid compressed data",
      () => unpacked(zipped([["a.txt", "one"]], { stored: true }), 1_000, { method: 8 }),
      /damaged/,
    ],
  ];
  test.each(refused)("refused: %s", async (_reason, run, words) => {
    await expect(run()).rejects.toThrow(words);
  });
});

describe("what the server accepts of a list:", () => {
  const output = join(directory, "listing");
  const long = `https://a.test/${"u".repeat(100_000)}`;
  const limits = { charset: null, bytes_max: 1_000_000, entries_max: 2, output };
  const item = (address: string) =>
    `<item><title>${"t".repeat(100_000)}</title><link>${address}</link></item>`;
  const cases: [reason: string, head: object, write: () => Promise<object>][] = [
    [
      "a sitemap",
      { omitted: 1 },
      () =>
        writeSitemap({
          path: written(`<urlset>${`<url><loc>${long}</loc></url>`.repeat(3)}</urlset>`),
          ...limits,
        }),
    ],
    [
      "a feed",
      { omitted: 1, base: long.slice(0, 4_097) },
      () =>
        writeFeed({
          path: written(`<rss xml:base="${long}">${item(long).repeat(3)}</rss>`),
          ...limits,
        }),
    ],
    [
      "an archive",
      { omitted: 1 },
      () =>
        writeZip({
          path: written(
            zip(Object.fromEntries([1, 2, 3].map((n) => [`${n}${"n".repeat(60_000)}`, "x"]))),
          ),
          entries_max: 2,
          output,
        }),
    ],
  ];
  test.each(cases)(
    "%s gives a head, and entries truncated to what is kept",
    async (...[, head, write]) => {
      expect(await write()).toEqual(head);
      const lines = (await Bun.file(output).text()).trimEnd().split("\n");
      expect(lines).toHaveLength(2);
      for (const line of lines)
        for (const value of Object.values(JSON.parse(line) as object))
          if (typeof value === "string") expect([1_001, 4_097]).toContain(value.length);
    },
  );
});

describe("a child that can't read a list reports it in the run:", () => {
  const cases: [reason: string, failure: Error, said: string | null][] = [
    ["it died", new TaskFailure("crashed", "SIGSEGV"), "ended unexpectedly: it may be damaged."],
    [
      "it took too long",
      new TaskFailure("timeout", "late"),
      "took longer than 60 s and was stopped.",
    ],
    [
      "too much memory",
      new TaskFailure("memory", "600"),
      "took more than 600 MiB of memory and was stopped.",
    ],
    [
      "it is not a list",
      new TaskFailure("threw", "This is no sitemap.", "unfit"),
      "This is no sitemap.",
    ],
    [
      "an internal error isn't blamed on the list",
      new TaskFailure("threw", "x is undefined"),
      null,
    ],
    ["nor is an unrelated error", new Error("disk"), null],
  ];
  test.each(cases)("%s", async (_reason, failure, message) => {
    const read = readInChild({ signal: new AbortController().signal }, "the sitemap", () =>
      Promise.reject(failure),
    );
    const thrown = await read.catch((error: unknown) => error);
    if (message === null) expect(thrown).toBe(failure);
    else {
      expect(thrown).toBeInstanceOf(SourceFailure);
      expect(String(thrown)).toEndWith(message);
    }
  });
});
