/** Administrators delete users, in the console and by key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signedIn, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let grace: Browser;
let ada: Browser;
beforeAll(async () => {
  server = await startTestServer();
  grace = await signedIn(server, "grace", { role: "admin" });
  ada = await signedIn(server, "ada");
});
afterAll(() => server.stop());

describe("deletion is refused", () => {
  const cases: [why: string, who: () => Browser, id: string, status: number, code: string][] = [
    ["by a member", () => ada, "usr_grace", 403, "admin_only"],
    ["for a member themselves", () => ada, "usr_ada", 403, "admin_only"],
    ["for an unknown user", () => grace, "usr_nobody", 404, "not_found"],
    ["for the last administrator", () => grace, "usr_grace", 409, "last_admin"],
  ];
  test.each(cases)("%s", async (_why, who, id, status, code) => {
    const answer = await who().send("DELETE", `/users/${id}`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
  test("by a member's key, and without a key", async () => {
    expect((await server.send("ada", "DELETE", "/users/usr_grace")).status).toBe(403);
    expect((await server.send(null, "DELETE", "/users/usr_ada")).status).toBe(401);
  });
});

test("in the console, deletion signs out the user, revokes keys and frees the email", async () => {
  const key = await server.newKey("ada");
  expect((await grace.send("DELETE", "/users/usr_ada")).status).toBe(204);
  expect((await ada.send("GET", "/folders")).status).toBe(401);
  const folders = await server.fetch(
    new Request("http://dossier.test/api/dev/v1/folders", {
      headers: { authorization: `Bearer ${key}` },
    }),
  );
  expect(folders.status).toBe(401);
  const { data } = (await grace.send("GET", "/users")).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual(["usr_grace"]);
  expect((await grace.send("DELETE", "/users/usr_ada")).status).toBe(404);
  const second_user = { email: "ada@dossier.test", role: "member" };
  expect((await grace.send("POST", "/users", second_user)).status).toBe(201);
  const { data: entries } = (await grace.send("GET", "/audit?action=deleteUser")).body;
  expect(entries[0]).toMatchObject({ record: "usr_ada", actor_id: "usr_grace", status: 204 });
});

test("an administrator's key can delete users, also invited ones", async () => {
  await server.key("grace");
  const { user } = (await grace.send("POST", "/users", { email: "eve@example.com", role: "admin" }))
    .body;
  expect((await server.send("grace", "DELETE", `/users/${user.id}`)).status).toBe(204);
  expect((await server.send("grace", "DELETE", `/users/${user.id}`)).status).toBe(404);
});

test("running imports and answers end when their owner is deleted", async () => {
  const { id } = (await server.send("bob", "POST", "/folders", { name: "Runs" })).body;
  await server.send("bob", "POST", "/imports", {
    folder_id: id,
    source: { type: "urls", urls: ["http://192.0.2.1/never"] },
  });
  const chat = (await server.send("bob", "POST", "/chats", { usedFolders: [id] })).body;
  await server.send("bob", "POST", `/chats/${chat.id}/messages`, { text: "Who is there?" });
  expect((await grace.send("DELETE", "/users/usr_bob")).status).toBe(204);
  await server.settle();
  for (const table of ["folders", "chats", "imports_runs", "quotas_used"]) {
    const rows = await server.store.db.selectFrom(table).selectAll().execute();
    expect([table, rows.filter(({ owner_id }: any) => owner_id === "usr_bob")]).toEqual([
      table,
      [],
    ]);
  }
});
