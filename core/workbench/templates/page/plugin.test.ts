/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";

let dossier: Dossier;
beforeAll(async () => {
  dossier = await startDossier();
});
afterAll(() => dossier.stop());

test("the console serves the page as a module of its own, which needs no other", async () => {
  const module = await dossier.send(null, "GET", "//console/modules/pages/my-plugin.js");
  expect(module.status).toBe(200);
  expect(module.headers.get("content-type")).toContain("text/javascript");
  expect(new Bun.Transpiler({ loader: "js" }).scan(module.text)).toMatchObject({
    exports: ["default"],
    imports: [],
  });
});

test("what the page asks for is there", async () => {
  const folder_id = await dossier.folder("ada", "Handbooks");
  await dossier.upload("ada", folder_id, "filters.md", "The ceramic filter lasts six months.");
  await dossier.upload("ada", folder_id, "empty.md", "");
  const count = async (query: string) => {
    const path = `/documents?per_page=1&folder_id=${folder_id}${query}`;
    return (await dossier.send("ada", "GET", path)).body.pagination.total;
  };
  expect([await count(""), await count("&status=sync_failed")]).toEqual([2, 1]);
});
