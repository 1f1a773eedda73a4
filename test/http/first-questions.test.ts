/** The first questions of sessions, by which the console calls those without a name. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { signedIn, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let ada: Browser;
let bob: Browser;
const chats: Record<string, string> = {};

const newChat = async (of: Browser, ...questions: string[]): Promise<string> => {
  const { id } = (await of.send("POST", "/chats", {})).body;
  for (const text of questions) await of.send("POST", `/chats/${id}/messages`, { text });
  return id;
};
beforeAll(async () => {
  server = await startTestServer();
  ada = await signedIn(server, "ada");
  bob = await signedIn(server, "bob");
  chats["asked"] = await newChat(ada, "Who keeps the lamp?", "And the oil?");
  chats["long"] = await newChat(ada, "🙂".repeat(300));
  chats["silent"] = await newChat(ada);
  chats["foreign"] = await newChat(bob, "Where is the boat?");
  chats["deleted"] = await newChat(ada, "When did it rain?");
  await ada.send("DELETE", `/chats/${chats["deleted"]}`);
  chats["gone"] = await newChat(ada, "When did it snow?");
  await ada.send("DELETE", `/chats/${chats["gone"]}?permanent=true`);
  await server.settle();
});
afterAll(() => server.stop());

const cases: [reason: string, names: string[], texts: string[]][] = [
  ["the first of several questions", ["asked"], ["Who keeps the lamp?"]],
  ["the beginning of a long one", ["long"], ["🙂".repeat(200)]],
  ["nothing of a session without questions", ["silent"], []],
  ["nothing of another user's session", ["foreign"], []],
  ["that of a session that can be restored", ["deleted"], ["When did it rain?"]],
  ["nothing of a session that is deleted for good", ["gone"], []],
  ["nothing of an unknown session", ["unknown"], []],
  [
    "those of several sessions",
    ["asked", "silent", "deleted"],
    ["When did it rain?", "Who keeps the lamp?"],
  ],
];
test.each(cases)("%s", async (_reason, names, texts) => {
  const ids = names.map((name) => chats[name] ?? name);
  const { status, body } = await ada.send("GET", `/first-questions?chat_ids=${ids.join()}`);
  expect([status, body.map(({ text }: { text: string }) => text).toSorted()]).toEqual([200, texts]);
  for (const { chat_id } of body) expect(ids).toContain(chat_id);
});

test("more than 200 ids are refused", async () =>
  expect((await ada.send("GET", `/first-questions?chat_ids=${"x,".repeat(200)}x`)).status).toBe(
    400,
  ));

test("they are available in the console only", async () =>
  expect((await server.send("ada", "GET", "/first-questions?chat_ids=x")).status).toBe(404));
