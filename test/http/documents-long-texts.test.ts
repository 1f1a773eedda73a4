/** Long texts sent as JSON: stored exactly, whatever is in or around them. */
import { beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;
let folder_id: string;
beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder_id = await ada.folder();
});

const words = "Der Lotse “fährt”\tüber die Förde 🚢.\n".repeat(40_000);
const spaces = " \n".repeat(700_000);

describe("the content returned is the content sent", () => {
  const cases: [why: string, content: string, name: string][] = [
    ["words", words, "Der Lotse “fährt” über die Förde 🚢."],
    ["leading white space", `${spaces}Titel\n${words}`, "Titel"],
    ["a leading U+FEFF", `\ufeff${words}`, "Der Lotse “fährt” über die Förde 🚢."],
    ["a single line", "Möwe ".repeat(300_000), "Möwe ".repeat(51).trim()],
    ["only white space", spaces, "Untitled"],
  ];
  for (const [why, content, name] of cases)
    test(why, async () => {
      const { body: document, status } = await ada.send("POST", "/documents", {
        folder_id,
        content,
      });
      expect([status, document.name]).toEqual([201, name]);
      const body = await ada.settled(document.id);
      expect(body.status).toBe(content === spaces ? "sync_failed" : "synced");
      expect(body.content === content).toBe(true);
      expect(body.size_bytes).toBe(Buffer.byteLength(content));
      const file = await ada.send("GET", `/documents/${document.id}/file`);
      expect(file.headers.get("etag")).toContain(
        new Bun.CryptoHasher("sha256").update(content).digest("hex"),
      );
    });
});

describe("what is refused", () => {
  const cases: [why: string, body: object | string, status: number, what: string][] = [
    ["a name of the wrong type", { content: words, name: 3 }, 400, "/name"],
    ["no folder", { content: words }, 400, "/folder_id"],
    ["a long text in an unknown field", { folder_id: "x", text: words }, 400, "/content"],
    ["an unknown folder", { folder_id: "fld_none", content: words }, 404, ""],
    ["U+0000 in the text", { folder_id: "x", content: `${words}\0` }, 400, "/content"],
    [
      "a lone surrogate",
      `{"folder_id":"x","content":${JSON.stringify(words).slice(0, -1)}\\ud83d"}`,
      400,
      "/content",
    ],
    ["no end", `{"folder_id":"x","content":${JSON.stringify(words)}`, 400, "malformed_json"],
  ];
  for (const [why, body, status, what] of cases)
    test(why, async () => {
      const sent = await ada.send("POST", "/documents", body, {
        "content-type": "application/json",
      });
      expect(sent.status).toBe(status);
      expect(sent.text).toContain(what);
    });
});
