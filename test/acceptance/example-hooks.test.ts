/**
 * The plugins of examples/virus-scan and examples/question-policy in the built executable: what
 * they refuse is refused by the API, with their messages.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { startClamd, virus, type Clamd } from "../helpers/clamd";
import { startExecutable, type Executable } from "../helpers/executable";
import { form } from "../helpers/forms";

const example = (name: string) =>
  Bun.file(resolve(import.meta.dir, `../../examples/${name}/plugin.ts`)).text();
const start_limit_ms = 120_000;

let dossier: Executable;
let clamd: Clamd;
beforeAll(async () => {
  clamd = await startClamd();
  dossier = await startExecutable({
    files: {
      "plugins/virus-scan.ts": await example("virus-scan"),
      "plugins/question-policy.ts": await example("question-policy"),
      "dossier.toml":
        `[virus_scan]\naddress = "${clamd.address}"\n` +
        '[question_policy]\nwords = ["salary"]\nfolder_beginnings = ["HR ", "Sales "]\n',
    },
  });
  await dossier.createUser();
}, start_limit_ms);
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  await clamd[Symbol.asyncDispose]();
});

test("uploads, folders and questions are accepted, or refused with a reason", async () => {
  const send = (path: string, body: unknown) => dossier.api("POST", path, body);
  const { body: folder } = await send("/folders", { name: "HR Handbooks" });
  const upload = (text: string, name = "a.txt") =>
    send(`/documents/file?folder_id=${folder.id}`, form(name, text));
  const { body: chat } = await send("/chats", { usedFolders: [folder.id] });
  const ask = (text: string) => send(`/chats/${chat.id}/messages`, { text });

  const refused = [
    await upload(`Hello ${virus}`),
    await send("/folders", { name: "Private" }),
    await ask("What is the salary of Ben?"),
  ].map(({ status, body }) => [status, body.code, body.detail]);
  expect(refused).toEqual([
    [422, "virus_found", "“a.txt” contains a virus: Eicar-Test-Signature."],
    [422, "folder_name_refused", "The name of a folder must begin with “HR ” or “Sales ”."],
    [422, "not_answered_here", "Questions about “salary” are not answered here."],
  ]);
  expect([
    (await upload("Hello otter.")).status,
    (await send("/folders", { name: "Private", parentId: folder.id })).status,
    (await ask("Where is Ben?")).status,
  ]).toEqual([201, 201, 202]);

  await clamd[Symbol.asyncDispose]();
  const { status, body } = await upload("Hello again.", "b.txt");
  expect([status, body.code]).toEqual([503, "check_failed"]);
  expect(dossier.output()).toMatch(/"a check failed".*"plugin":"virus-scan"/);
});
