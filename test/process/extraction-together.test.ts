/**
 * Files of many kinds in a whole server: the good ones are found with their headings and languages,
 * and hostile ones among them do no harm.
 */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";
import { docx, wp } from "../helpers/office";
import { buildPdf, pdf } from "../helpers/pdf";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const prose = (word: string): string =>
  `The ${word} was inspected in the morning, and it is in a good state, as the report of the harbour master says to all of us.`;
const mail = (body: string): string =>
  [
    "From: a@example.org",
    "To: b@example.org",
    "Subject: Inspection of buoys",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    body,
    "",
  ].join("\r\n");

/** Name, content, a word found in no other file, and the heading above that word. */
const good: [string, Uint8Array, string, string | null][] = [
  ["a.pdf", pdf([[prose("breakwater")]]), "breakwater", null],
  [
    "b.docx",
    docx(wp("Moorings", '<w:outlineLvl w:val="0"/>') + wp(prose("puffin"))),
    "puffin",
    "Moorings",
  ],
  ["c.html", bytes(`<title>Tides</title><h1>Gauges.</h1><p>${prose("gauge")}`), "gauge", "Gauges."],
  ["d.eml", bytes(mail(prose("buoy"))), "buoy", "Inspection of buoys"],
  ["e.csv", bytes(`what;state\nthe skua;${prose("skua")}\n`), "skua", null],
  ["f.md", bytes(`# What is a quay?\n\n${prose("quay")}`), "quay", "What is a quay?"],
  ["g.rtf", bytes(`{\\rtf1\\ansi ${prose("dredger")}\\par}`), "dredger", null],
  ["h.txt", bytes(prose("lighthouse")), "lighthouse", null],
];
const hostile: [string, Uint8Array][] = [
  ["swelling.pdf", buildPdf([{ content: new Uint8Array(300 * 1024 ** 2).fill(32) }])],
  ["bomb.docx", docx(wp("x"), { "word/document.xml": new Uint8Array(200 * 1024 ** 2) })],
];

test("ten files at once, two of them hostile: the eight good ones are found, with their headings and language", async () => {
  const server = await startTestServer({ env: { DOSSIER_EXTRACTION_MEMORY_MAX: "300MiB" } });
  const ada = await person(server, "ada");
  const folder = await ada.folder();
  const all = [...hostile, ...good.map(([name, file]): [string, Uint8Array] => [name, file])];
  const ids = new Map(
    await Promise.all(
      all.map(async ([name, file]): Promise<[string, string]> => [
        name,
        (await ada.upload(folder, name, file as Uint8Array<ArrayBuffer>)).body.id,
      ]),
    ),
  );
  await server.settle();
  for (const [name, , word, heading] of good) {
    const { data } = (await ada.send("POST", "/search", { query: word, folder_ids: [folder] }))
      .body;
    expect([
      name,
      data.map((hit: { document_id: string }) => hit.document_id),
      data[0]?.heading,
    ]).toEqual([name, [ids.get(name)], heading]);
    expect(await ada.get(ids.get(name)!)).toMatchObject({
      name,
      status: "synced",
      language: "en",
      warnings: [],
    });
  }
  for (const [name] of hostile)
    expect([name, (await ada.get(ids.get(name)!)).status]).toEqual([name, "sync_failed"]);
  expect(readdirSync(join(server.data, "tmp"))).toEqual([]);

  await ada.send("PATCH", `/documents/${ids.get("c.html")}`, { name: "renamed.html" });
  await server.settle();
  expect(
    (await ada.send("POST", "/search", { query: "gauge", folder_ids: [folder] })).body.data[0],
  ).toMatchObject({ document_name: "renamed.html", heading: "Gauges." });
}, 120_000);
