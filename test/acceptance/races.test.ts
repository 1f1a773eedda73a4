/**
 * Acceptance, on the executable: simultaneous calls are answered as if they had come one after
 * the other.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { until, type Answered } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

let server: Executable;
let ada: Person;
const stage = writeStagedPlugin();
beforeAll(async () => {
  server = await startExecutable({ env: stage.env });
  ada = await person(server, "ada");
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

/** The sorted statuses; every error must be a problem. */
function statusesOf(answers: readonly Answered[]): number[] {
  for (const answer of answers) if (answer.status >= 400) expectProblem(answer, answer.status);
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}
const times = <R>(count: number, call: (n: number) => Promise<R>): Promise<R[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)));
const upload = async (folder: string, name: string): Promise<string> =>
  (await ada.upload(folder, name, `Of ${name}.`)).body.id;

describe("one call succeeds, the others are refused", () => {
  const cases: [string, () => Promise<Answered[]>, number[]][] = [
    [
      "deleting a folder",
      async () => {
        const folder = await ada.folder();
        return times(5, () => ada.send("DELETE", `/folders/${folder}`));
      },
      [204, 404, 404, 404, 404],
    ],
    [
      "deleting a root folder and its subfolder",
      async () => {
        const root = await ada.folder();
        const sub = await ada.folder("sub", root);
        const [above, below] = await Promise.all([
          ada.send("DELETE", `/folders/${root}`),
          ada.send("DELETE", `/folders/${sub}`),
        ]);
        return [
          above,
          ...([204, 404].includes(below.status) ? [] : [below]),
          await ada.send("GET", `/folders/${sub}`),
        ];
      },
      [204, 404],
    ],
    [
      "deleting a prompt",
      async () => {
        const { id } = await ada.create("/prompts", { name: "x", text: "x" });
        return times(5, () => ada.send("DELETE", `/prompts/${id}`));
      },
      [204, 404, 404, 404, 404],
    ],
    [
      "deleting a session",
      async () => {
        const { id } = await ada.create("/chats");
        return times(5, () => ada.send("DELETE", `/chats/${id}`));
      },
      [204, 410, 410, 410, 410],
    ],
    [
      "removing a document from its folder",
      async () => {
        const folder = await ada.folder();
        const { id } = await ada.text(folder, "x");
        return times(5, () => ada.send("DELETE", `/documents/${id}?folder_id=${folder}`));
      },
      [204, 404, 404, 404, 404],
    ],
    [
      "cancelling a message",
      async () => {
        const { id } = await ada.create("/chats", { usedFolders: [await ada.folder()] });
        const { headers } = await ada.send("POST", `/chats/${id}/messages`, {
          text: "hold cancel please",
        });
        const answers = await times(5, () => ada.send("POST", `${headers.get("location")}/cancel`));
        stage.open("cancel");
        return answers;
      },
      [202, 409, 409, 409, 409],
    ],
    [
      "renaming several uploads to one name",
      async () => {
        const folder = await ada.folder();
        const ids = await times(5, (n) => upload(folder, `${n}.txt`));
        return Promise.all(
          ids.map((id) => ada.send("PATCH", `/documents/${id}`, { name: "one.txt" })),
        );
      },
      [200, 409, 409, 409, 409],
    ],
    [
      "linking several uploads of one name to a folder",
      async () => {
        const folder = await ada.folder();
        const ids = await times(5, async () => upload(await ada.folder(), "one.txt"));
        return Promise.all(
          ids.map((id) => ada.send("POST", `/documents/${id}/links`, { folder_id: folder })),
        );
      },
      [200, 409, 409, 409, 409],
    ],
    [
      "restoring several uploads of one name",
      async () => {
        const folder = await ada.folder();
        const ids: string[] = [];
        for (let n = 0; n < 5; n++) {
          ids.push(await upload(folder, "one.txt"));
          await ada.send("DELETE", `/documents/${ids[n]}?folder_id=${folder}`);
        }
        return Promise.all(
          ids.map((id) => ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`)),
        );
      },
      [200, 409, 409, 409, 409],
    ],
    [
      "uploading, renaming, linking and restoring to one name",
      async () => {
        const [folder, other] = [await ada.folder(), await ada.folder()];
        const back = await upload(folder, "one.txt");
        await ada.send("DELETE", `/documents/${back}?folder_id=${folder}`);
        const [named, linked] = [await upload(folder, "two.txt"), await upload(other, "one.txt")];
        return (
          await Promise.all([
            ada.upload(folder, "one.txt", "x"),
            ada.send("PATCH", `/documents/${named}`, { name: "one.txt" }),
            ada.send("POST", `/documents/${linked}/links`, { folder_id: folder }),
            ada.send("POST", `/documents/${back}/restore?folder_id=${folder}`),
          ])
        ).map((answer) => (answer.status === 201 ? { ...answer, status: 200 } : answer));
      },
      [200, 409, 409, 409],
    ],
  ];
  for (const [why, calls, expected] of cases)
    test(why, async () => expect(statusesOf(await calls())).toEqual(expected));
});

describe("all calls succeed, with a single effect", () => {
  test("linking one document to one folder", async () => {
    const [one, two] = [await ada.folder(), await ada.folder()];
    const { id } = await ada.text(one, "x");
    expect(
      statusesOf(
        await times(5, () => ada.send("POST", `/documents/${id}/links`, { folder_id: two })),
      ),
    ).toEqual([200, 200, 200, 200, 200]);
    expect([
      (await ada.send("GET", `/folders/${two}`)).body.document_count,
      await ada.names(two),
    ]).toEqual([1, ["x"]]);
  });
  test("restoring one session", async () => {
    const { id } = await ada.create("/chats");
    await ada.send("DELETE", `/chats/${id}`);
    expect(statusesOf(await times(5, () => ada.send("POST", `/chats/${id}/restore`)))).toEqual([
      200, 200, 200, 200, 200,
    ]);
  });
  test("indexing one document again", async () => {
    const folder = await ada.folder();
    const { id } = await ada.text(folder, "The pika makes hay.");
    expect(statusesOf(await times(5, () => ada.send("POST", `/documents/${id}/reindex`)))).toEqual([
      202, 202, 202, 202, 202,
    ]);
    expect((await ada.settled(id)).status).toBe("synced");
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({
      syncing: 0,
      synced: 1,
      sync_failed: 0,
    });
    expect(await ada.found("pika")).toEqual([id]);
  });
});

test("while a folder is deleted, calls succeed or get 404; nothing is left", async () => {
  for (let round = 0; round < 5; round++) {
    const [folder, other] = [await ada.folder(), await ada.folder()];
    const spare = (await ada.text(other, `The vole of round ${round}.`)).id;
    const { id: chat } = await ada.create("/chats", { usedFolders: [folder] });
    const fill = (n: number) => [
      ada.send("POST", "/documents", {
        folder_id: folder,
        content: `The shrew of round ${round}, ${n}.`,
      }),
      ada.upload(folder, `${n}.txt`, `The shrew of round ${round}, ${n}.`),
      ada.send("POST", "/folders", { name: "sub", parentId: folder }),
      ada.send("POST", `/documents/${spare}/links`, { folder_id: folder }),
      ada.send("PUT", `/chats/${chat}`, { usedFolders: [folder, other] }),
      ada.send("GET", `/documents?folder_id=${folder}`),
      ada.send("POST", "/search", { query: "shrew", folder_ids: [folder] }),
    ];
    const before = fill(0);
    const removal = ada.send("DELETE", `/folders/${folder}`);
    const answers = await Promise.all([...before, ...fill(1), ...fill(2)]);
    expect((await removal).status).toBe(204);
    for (const status of statusesOf(answers)) expect([200, 201, 404]).toContain(status);
    expect((await ada.send("GET", `/chats/${chat}`)).body.usedFolders).not.toContain(folder);
    expect((await ada.send("GET", `/documents/${spare}`)).body.folder_ids).toEqual([other]);
    for (const { status, body } of answers)
      if (status === 201)
        expectProblem(
          await ada.send(
            "GET",
            `/${body.id.startsWith("fld") ? "folders" : "documents"}/${body.id}`,
          ),
          404,
        );
    expect(await ada.found("shrew")).toEqual([]);
  }
  await until(async () =>
    (await ada.send("GET", "/folders?per_page=200")).body.data.every(
      ({ status_counts }: any) => status_counts.syncing === 0,
    ),
  );
});

test("concurrent messages to one session are all answered exactly once", async () => {
  const { id } = await ada.create("/chats");
  const sent = await times(20, (n) =>
    ada.send("POST", `/chats/${id}/messages`, { text: `Question ${n}?` }),
  );
  expect(statusesOf(sent)).toEqual(Array(20).fill(202));
  for (const { headers } of sent)
    expect((await ada.finished(headers.get("location")!)).body.status).toBe("COMPLETED");
  const listed = (await ada.send("GET", `/chats/${id}/messages?per_page=200`)).body;
  expect([
    listed.pagination.total,
    new Set(listed.data.map(({ text }: any) => text)).size,
    (await ada.send("GET", `/chats/${id}`)).body.message_count,
  ]).toEqual([20, 20, 20]);
});
