/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";
import { tidied } from "./plugin";

let dossier: Dossier;
beforeAll(async () => {
  dossier = await startDossier({ env: { DOSSIER_MY_PLUGIN_NOTES_MAX: "2" } });
});
afterAll(() => dossier.stop());

test("white space in a text is tidied", () => {
  expect(tidied("  Order \n new filters. ")).toBe("Order new filters.");
});

test("a note is kept, and listed for its owner alone", async () => {
  const created = await dossier.send("ada", "POST", "/my-plugin", { text: "Order new filters." });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ text: "Order new filters.", color: null });
  expect((await dossier.send("ada", "GET", "/my-plugin")).body.data).toEqual([created.body]);
  expect((await dossier.send("bob", "GET", "/my-plugin")).body.data).toEqual([]);
});

// The host checks requests before the plugin sees them.
const refused: [why: string, who: "ada" | null, body: unknown, status: number][] = [
  ["without a key", null, { text: "Hello" }, 401],
  ["without a text", "ada", {}, 400],
  ["with a color that is none", "ada", { text: "Hello", color: "red" }, 400],
];
test.each(refused)("a note is refused %s", async (_, who, body, status) => {
  expect((await dossier.send(who, "POST", "/my-plugin", body)).status).toBe(status);
});

test("as many notes are kept as the settings say", async () => {
  const create = () => dossier.send("bob", "POST", "/my-plugin", { text: "Hello" });
  const statuses = [(await create()).status, (await create()).status, (await create()).status];
  expect(statuses).toEqual([201, 201, 409]);
});
