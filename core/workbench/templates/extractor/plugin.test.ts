/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";
import { textOf } from "./plugin";

const calendar = [
  "BEGIN:VCALENDAR",
  "BEGIN:VEVENT",
  "SUMMARY:Change of the ceramic filter",
  "DTSTART:20260301T093000Z",
  "DTEND:20260301T100000Z",
  "LOCATION:Boiler room\\, ground floor",
  "DESCRIPTION:The technician brings the new ceramic fil",
  " ter and takes the old one away.",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

let dossier: Dossier;
let folder_id: string;
beforeAll(async () => {
  dossier = await startDossier();
  folder_id = await dossier.folder("ada", "Plans");
});
afterAll(() => dossier.stop());

test("an event is a heading, its time, its place and what is said about it", () => {
  const { text, headings } = textOf(calendar);
  expect(text).toBe(
    "Change of the ceramic filter\nWhen: 2026-03-01 09:30 UTC to 2026-03-01 10:00 UTC\n" +
      "Where: Boiler room, ground floor\n" +
      "The technician brings the new ceramic filter and takes the old one away.",
  );
  expect(headings.map(({ start, end }) => text.slice(start, end))).toEqual([
    "Change of the ceramic filter",
  ]);
});

test("a calendar is read, whatever its name is, and answers questions", async () => {
  const document = await dossier.upload("ada", folder_id, "plans.txt", calendar);
  expect(document).toMatchObject({ status: "synced", content: textOf(calendar).text });
  const result = await dossier.ask("ada", [folder_id], "What does the technician bring?");
  expect(result.citations[0].quote).toContain("ceramic filter");
});

test("a calendar without events fails in words", async () => {
  const empty = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
  const document = await dossier.upload("ada", folder_id, "empty.ics", empty);
  expect(document.status).toBe("sync_failed");
  expect(JSON.stringify(document)).toContain("This calendar has no events.");
});
