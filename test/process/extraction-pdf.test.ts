/** PDF files: text with the right pages, and for every other file the reason, within limits. */
import { ProcessClock, type RunClock } from "../../core/isolate/run-clock";
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { newId } from "../../core/base/ids";
import { TaskFailure } from "../../core/isolate/contract";
import type { ExtractionLimits } from "../../plugins/extraction/context";
import { ExtractionFailure, type Extracted } from "../../plugins/extraction/contract";
import type { PageMessage } from "../../plugins/extraction/child/page-output";
import { pdfExtractor } from "../../plugins/extraction/pdf/extractor";
import type { PdfInput } from "../../plugins/extraction/pdf/reader";
import { testExtraction, type TestExtraction } from "../helpers/extraction";
import { buildPdf, setProse, type PdfPage } from "../helpers/pdf";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const others: TestExtraction[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});
const within = (limits: Partial<ExtractionLimits>): TestExtraction => {
  const other = testExtraction({ limits });
  others.push(other);
  return other;
};

const page = (text: string): PdfPage => ({ lines: [{ x: 60, y: 700, text }] });
const textOf = ({ text, pages }: Extracted): Record<number, string> =>
  Object.fromEntries(pages.map((span) => [span.page, text.slice(span.start, span.end)]));
/**
 * Forms that each draw the next one ten times: a few bytes that expand to more objects than any
 * memory holds.
 */
const form_bomb = Array.from({ length: 10 }, (_, depth) =>
  depth < 9 ? `/X${depth + 1} Do `.repeat(10) : "BT /F1 10 Tf (boom) Tj ET",
);
const bomb: PdfPage = { content: "/X0 Do" };

describe("text", () => {
  test("comes with its pages, separated by blank lines", async () => {
    const found = await read(
      buildPdf([page("Tidal gauge"), page("Puffin Ring"), page("Dredging caf\u00e9")]),
    );
    expect(found).toEqual({
      text: "Tidal gauge\n\nPuffin Ring\n\nDredging café",
      media_type: "application/pdf",
      page_count: 3,
      warnings: [],
      pages: [
        { page: 1, start: 0, end: 11 },
        { page: 2, start: 13, end: 24 },
        { page: 3, start: 26, end: 39 },
      ],
    });
  });

  test("a table of contents is no table, though its dots are in columns", async () => {
    const chapter = (name: string, sections: readonly string[]) => [
      [60, name, 0] as const,
      ...sections.map((section) => [75, section, Math.floor(38 - section.length / 2)] as const),
    ];
    const entries = [
      ...chapter("1\tHarbours", ["1.1\tBerths", "1.2\tMoorings along the quay", "1.3\tFees"]),
      ...chapter("2\tCanals", ["2.1\tLocks", "2.2\tBridges and ferries", "2.3\tSpeed"]),
      ...chapter("3\tRivers", ["3.1\tCurrents", "3.2\tFloods in spring and autumn"]),
    ];
    const put = (x: number, y: number, text: string) =>
      `BT /F1 10 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET`;
    const lines = entries.flatMap(([x, entry, dots], at) => {
      const [number, text] = entry.split("\t") as [string, string];
      const y = 700 - 14 * at;
      const leader = Array.from({ length: dots }, (_, dot) =>
        put(486 - 10 * dot, y, "."),
      ).reverse();
      return [put(x, y, number), put(x + 25, y, text), ...leader, put(500, y, String(3 + at))];
    });
    const rules = "60 725 m 510 725 l S 60 560 m 510 560 l S";
    const content = [put(60, 730, "Pilot book"), put(500, 730, "iv"), ...lines, rules].join("\n");
    const { text } = await read(buildPdf([{ content }]));
    expect(text).not.toContain("|");
  });

  test("keeps paragraphs apart and lines together", async () => {
    const paragraphs = [
      "The northern breakwater was inspected by the survey vessel in March and found to be in " +
        "good order, but for two blocks at its head.",
      "Repairs begin in June.",
      "The dredging contract was awarded to the lowest of three bidders, who has to begin within " +
        "a month and to end before the autumn storms.",
    ];
    const { text } = await read(buildPdf(setProse(paragraphs, { gap: 6 })));
    expect(text.split("\n\n").map((paragraph) => paragraph.replaceAll("\n", " "))).toEqual(
      paragraphs,
    );
  });

  const cut: [why: string, lines: string[], expected: string][] = [
    [
      "a word hyphenated at the end of a line is joined",
      ["The northern break-", "water was inspected."],
      "The northern breakwater\nwas inspected.",
    ],
    [
      "… with its full stop, when nothing follows it",
      ["They saw the break-", "water."],
      "They saw the breakwater.",
    ],
    [
      "a compound that stands elsewhere keeps its hyphen",
      ["A north-west wind blows. The north-", "west wind is cold."],
      "A north-west wind blows. The north-west\nwind is cold.",
    ],
    [
      "a name keeps its hyphen",
      ["The line Dover-", "Calais is closed."],
      "The line Dover-\nCalais is closed.",
    ],
    [
      "a command-line option keeps its hyphen",
      ["Call it with --shell-", "escape to allow that."],
      "Call it with --shell-escape\nto allow that.",
    ],
  ];
  for (const [why, lines, expected] of cut)
    test(why, async () => {
      const placed = lines.map((text, at) => ({ x: 60, y: 700 - 14 * at, text }));
      expect((await read(buildPdf([{ lines: placed }]))).text).toBe(expected);
    });

  test("reads column by column", async () => {
    const paragraph =
      "The survey vessel left the harbour before dawn and came back with the evening tide, its " +
      "hold full of samples. ".repeat(12).trim();
    const { text } = await read(buildPdf(setProse([paragraph], { columns: 3, size: 9 })));
    expect(text.replaceAll("\n", " ")).toBe(paragraph);
    expect(text).not.toContain("\n\n");
  });

  const recognised: [string, Uint8Array, string][] = [
    ["whatever its name says", buildPdf([page("Words")]), "picture.png"],
    [
      "behind a few bytes that do not belong to it",
      Buffer.concat([Buffer.from("junk\n".repeat(100)), buildPdf([page("Words")])]),
      "a.pdf",
    ],
    ["with an owner's password alone", buildPdf([page("Words")], { password: "" }), "a.pdf"],
    ["on a page that is turned", buildPdf([{ ...page("Words"), rotate: 90 }]), "a.pdf"],
  ];
  for (const [why, bytes, name] of recognised)
    test(`is found ${why}`, async () => {
      expect((await read(bytes, { name })).text).toBe("Words");
    });

  test("reports progress page by page", async () => {
    const progress: number[] = [];
    await read(buildPdf([page("one"), {}, page("three"), page("four")]), {
      onProgress: (done) => progress.push(done),
    });
    expect(progress).toEqual([0.25, 0.5, 0.75, 1]);
  });
});

describe("pages without text give warnings", () => {
  const cases: [string, PdfPage[], { code: string; page: number | null; message: RegExp }[]][] = [
    ["a blank one is none", [page("one"), {}], []],
    ["one with nothing legible on it is none", [page("one"), { picture: true }], []],
    [
      "a missing one",
      [page("one"), { missing: true }, page("three")],
      [{ code: "page_damaged", page: 2, message: /^Page 2 is damaged/ }],
    ],
    [
      "several missing ones",
      [{ missing: true }, page("two"), { missing: true }, { missing: true }],
      [{ code: "page_damaged", page: null, message: /^Pages 1, 3 and 4 are damaged/ }],
    ],
    [
      "very many are counted",
      [page("one"), ...Array.from({ length: 30 }, () => ({ missing: true }))],
      [
        {
          code: "page_damaged",
          page: null,
          message: /^30 pages, the first of them 2, are damaged/,
        },
      ],
    ],
  ];
  for (const [why, pages, expected] of cases) {
    test(why, async () => {
      const { warnings, page_count } = await read(buildPdf(pages));
      expect(warnings).toEqual(
        expected.map((warning) => ({
          ...warning,
          message: expect.stringMatching(warning.message),
        })),
      );
      expect(page_count).toBe(pages.length);
    });
  }
});

describe("a file without text says why", () => {
  const good = buildPdf([page("Words"), page("More words")]);
  const cases: [string, Uint8Array | string, ExtractionFailure["code"], RegExp][] = [
    [
      "protected by a password",
      buildPdf([page("Words")], { password: "sesame" }),
      "encrypted",
      /^This PDF is protected by a password\.$/,
    ],
    ["cut off", good.subarray(0, 300), "corrupt", /damaged/],
    ["nothing but the mark", "%PDF-1.7\n", "corrupt", /damaged/],
    ["no pages at all", buildPdf([]), "corrupt", /no pages|damaged/],
    ["every page missing", buildPdf([{ missing: true }]), "corrupt", /none of its pages/],
    [
      "a circular page tree",
      Buffer.from(buildPdf([page("Words")]))
        .toString("latin1")
        .replace("/Kids [7 0 R", "/Kids [2 0 R")
        .replace("/Count 1", "/Count 9"),
      "corrupt",
      /damaged|none of its pages/,
    ],
    [
      "a picture without text",
      buildPdf([{ picture: true }, {}]),
      "empty",
      /No text was found on any page/,
    ],
    ["blank", buildPdf([{}]), "empty", /No text/],
    ["a memory bomb", buildPdf([bomb], { forms: form_bomb }), "out_of_memory", /memory/],
  ];
  for (const [why, bytes, code, message] of cases) {
    test(
      why,
      async () => {
        const failure = await fail(bytes, { name: "a.pdf" });
        expect(failure.code).toBe(code);
        expect(failure.message).toMatch(message);
        expect(extraction.leftovers()).toEqual([]);
      },
      60_000,
    );
  }

  test("too many pages", async () => {
    const failure = await within({ pages_max: 2 }).fail(
      buildPdf([page("1"), page("2"), page("3")]),
    );
    expect([failure.code, failure.message]).toEqual([
      "too_large",
      "This PDF has 3 pages, which is more than the limit of 2.",
    ]);
  });

  test("too much text", async () => {
    const other = within({ characters_max: 20 });
    expect((await other.fail(buildPdf([page("ten or more"), page("and some more")]))).code).toBe(
      "too_large",
    );
    expect((await other.read(buildPdf([page("twenty letters, all")]))).text).toBe(
      "twenty letters, all",
    );
  });

  test("too slow to open", async () => {
    const failure = await within({ timeout_ms: 1 }).fail(buildPdf([page("Words")]));
    expect([failure.code, failure.message]).toEqual([
      "timeout",
      "Reading the file took longer than 0.001 s and was stopped.",
    ]);
  });

  test("the next file is read normally", async () => {
    expect((await read(buildPdf([page("Words")]))).text).toBe("Words");
  });
});

describe("what was read before a stop is kept", () => {
  /** A busy machine gives a child one twentieth of its time, which is all that its limit counts. */
  const stop_ms_max = 120_000;
  const pages = [page("one"), page("two"), bomb, page("four")];

  test(
    "when memory runs out",
    async () => {
      const other = within({ memory_max_bytes: 300 * 1024 ** 2 });
      const found = await other.read(buildPdf(pages, { forms: form_bomb }));
      expect(textOf(found)).toEqual({ 1: "one", 2: "two" });
      expect(found.page_count).toBe(4);
      expect(found.warnings).toEqual([
        {
          code: "partly_read",
          page: 2,
          message:
            "Only the first 2 of 4 pages were read. Reading the file needed too much memory and " +
            "was stopped.",
        },
      ]);
      expect(other.leftovers()).toEqual([]);
    },
    stop_ms_max,
  );

  test(
    "when time runs out",
    async () => {
      const other = within({
        memory_max_bytes: 8 * 1024 ** 3,
        timeout_ms: 3_000,
        page_timeout_ms: 0,
      });
      await other.read(buildPdf([page("the engine is loaded now")]));
      const found = await other.read(buildPdf(pages, { forms: form_bomb }));
      expect(textOf(found)).toEqual({ 1: "one", 2: "two" });
      expect(found.warnings.map(({ code, page }) => [code, page])).toEqual([["partly_read", 2]]);
    },
    stop_ms_max,
  );
});

/** A fake child that sends these messages and then ends this way. */
function scripted(messages: readonly PageMessage[], written: string, end: Error | null) {
  const temporary = process.env.TMPDIR ?? "/tmp";
  const isolate = async (
    _task: string,
    input: PdfInput,
    { onMessage }: { onMessage: (message: PageMessage, clock: RunClock) => void },
  ) => {
    const clock = new ProcessClock(process.pid);
    writeFileSync(input.output, written);
    for (const message of messages) onMessage(message, clock);
    if (end) throw end;
    return null;
  };
  const limits = {
    memory_max_bytes: 1,
    pages_max: 1,
    ocr_pages_max: 1,
    ocr_page_timeout_ms: 1,
    characters_max: 1,
    timeout_ms: 60_000,
    page_timeout_ms: 1,
    timeout_max_ms: 60_000,
  };
  const extractor = pdfExtractor({
    isolate: isolate as never,
    newId,
    paths: { data: "", database: "", temporary },
    limits: () => limits,
  });
  return extractor.extract(
    { path: "", size_bytes: 1, name: "", declared_type: null },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
}

describe("running headers and footers", () => {
  const body = (number: number): string => `Buoy ${"abcdefghijkl"[number]} lies in the fairway.`;
  /** Pages with a header, a text and a footer each. */
  const pages = (
    count: number,
    head: (number: number) => string,
    foot: (number: number) => string,
    title: (number: number) => string = () => "",
  ): PdfPage[] =>
    Array.from({ length: count }, (_, at) => ({
      lines: [
        { x: 60, y: 800, size: 9, text: head(at + 1) },
        { x: 60, y: 740, size: 16, text: title(at + 1) },
        { x: 60, y: 700 - 3 * at, text: body(at) },
        { x: 290, y: 30, size: 9, text: foot(at + 1) },
      ].filter(({ text }) => text !== ""),
    }));
  const all = (count: number): string[] => Array.from({ length: count }, (_, at) => body(at));
  const none = (): string => "";
  const cases: [why: string, pages: PdfPage[], expected: string[]][] = [
    ["numbers of pages are no text", pages(6, none, String), all(6)],
    ["… nor Roman ones", pages(5, none, (n) => ["", "i", "ii", "iii", "iv", "v"][n]!), all(5)],
    [
      "a chapter heading is kept on the page where the chapter starts",
      pages(
        6,
        (n) => (n === 1 ? "" : `Moorings ${n}`),
        none,
        (n) => (n === 1 ? "Moorings" : ""),
      ),
      ["Moorings", ...all(6)],
    ],
    [
      "a letterhead is kept once",
      pages(4, () => "Harbour Office, Quay 7", none),
      ["Harbour Office, Quay 7", ...all(4)],
    ],
    [
      "two pages are too few to detect them",
      pages(2, () => "Harbour Office", none),
      ["Harbour Office", body(0), "Harbour Office", body(1)],
    ],
    [
      "numbers that do not increase are text",
      pages(5, none, (n) => String([17, 3, 99, 20, 1][n - 1])),
      ["17", "3", "99", "20", "1"].flatMap((number, at) => [body(at), number]),
    ],
    [
      "text that each page repeats in its body is kept",
      pages(4, (n) => `Berth ${"ABCD"[n - 1]} is free`, none),
      all(4).flatMap((text, at) => [`Berth ${"ABCD"[at]} is free`, text]),
    ],
  ];
  for (const [why, file, expected] of cases)
    test(why, async () => {
      const found = await read(buildPdf(file));
      expect(found.text.split(/\n+/)).toEqual(expected);
      expect(found.pages.map((span) => span.page)).toEqual(file.map((_, at) => at + 1));
      for (const [at, text] of Object.entries(textOf(found))) expect(text).toContain(body(+at - 1));
    });

  const headingsOf = ({ text, headings = [] }: Extracted): [string, number][] =>
    headings.map(({ start, end, level }) => [text.slice(start, end), level]);
  const titled = pages(
    6,
    (n) => `Pilot book ${n}`,
    none,
    (n) => (n % 2 === 0 ? "" : `Part ${"xabcdef"[n]}`),
  );
  test("larger type makes headings, running headers do not", async () =>
    expect(headingsOf(await read(buildPdf(titled)))).toEqual([
      ["Part a", 1],
      ["Part c", 1],
      ["Part e", 1],
    ]));
  test("its own table of contents says which lines are headings", async () => {
    const outline = [
      ["Buoy b lies in the fairway.", 2],
      ["3.1 Part c", 3],
      ["Part e", 5],
      ["Nowhere", 1],
      ["Beyond the end", 99],
    ] as const;
    expect(headingsOf(await read(buildPdf(titled, { outline })))).toEqual([
      ["Buoy b lies in the fairway.", 1],
      ["Part c", 1],
      ["Part e", 1],
    ]);
  });
});

describe("the end of a child", () => {
  const opened: PageMessage[] = [{ step: "started" }, { step: "opened", page_count: 3 }];
  const one_page: PageMessage[] = [
    ...opened,
    { step: "page", page: 1, kind: "text", doubtful: false, start: 0, end: 3, bytes: 3 },
  ];
  const crashed = new TaskFailure("crashed", "The process ended.");
  const full = new TaskFailure("threw", "no space left", "ENOSPC");
  const cases: [
    string,
    { messages: PageMessage[]; end: Error },
    { code: string } | Error | "partly_read",
  ][] = [
    [
      "a time limit without a page is a failure",
      { messages: opened, end: new TaskFailure("timeout", "") },
      { code: "timeout" },
    ],
    [
      "a memory limit without a page is a failure",
      { messages: opened, end: new TaskFailure("memory", "") },
      { code: "out_of_memory" },
    ],
    ["a crash without a page is retried", { messages: opened, end: crashed }, crashed],
    [
      "a time limit after a page keeps it",
      { messages: one_page, end: new TaskFailure("timeout", "") },
      "partly_read",
    ],
    ["a crash after a page keeps it", { messages: one_page, end: crashed }, "partly_read"],
    [
      "damage found after a page keeps it",
      { messages: one_page, end: new TaskFailure("threw", "damaged", "corrupt") },
      "partly_read",
    ],
    ["a full disk is worth another attempt, pages or not", { messages: one_page, end: full }, full],
    [
      "too much text fails, with or without pages",
      { messages: one_page, end: new TaskFailure("threw", "long", "too_large") },
      { code: "too_large" },
    ],
  ];
  for (const [why, { messages, end }, expected] of cases) {
    test(why, async () => {
      const outcome = await scripted(messages, "one, and half of t", end).catch(
        (error: unknown) => error,
      );
      if (expected === "partly_read")
        expect(outcome).toMatchObject({
          text: "one",
          warnings: [{ code: "partly_read", page: 1 }],
        });
      else if (expected instanceof Error) expect(outcome).toBe(expected);
      else {
        expect(outcome).toBeInstanceOf(ExtractionFailure);
        expect(outcome).toMatchObject(expected);
      }
    });
  }
});
