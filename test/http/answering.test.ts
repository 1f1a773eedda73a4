/**
 * What an answer may be based on, what is stored of it, and how it reads later. Each test scripts
 * the answerer.
 */
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PermanentFailure, type Db } from "../../core/sdk";
import type { Question } from "../../plugins/chats/contract";
import type { FoundPassage } from "../../plugins/search/contract";
import { onSqlite } from "../helpers/databases";
import {
  bestPassage,
  heron,
  says,
  startScriptedServer,
  type ScriptedServer,
} from "../helpers/scripted-server";

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let folder: string;

beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  ({ folder } = await scripted.library("ada"));
});
beforeEach(() => scripted.answers(async () => says("It stands in water.")));

describe("what an answer may be based on", () => {
  test("a session without folders is answered with that fact, without the answerer", async () => {
    scripted.answers(async () => {
      throw new PermanentFailure("asked");
    });
    const result = await scripted.answerOf("ada", (await scripted.create("ada", "/chats")).id);
    expect(result).toMatchObject({ outcome: "no_answer", citations: [] });
    expect(result.answer).toContain("no folders");
  });

  test("only the session's current folders and their subfolders", async () => {
    const root = (await scripted.create("vic", "/folders", { name: "Root" })).id;
    const outside = (await scripted.create("vic", "/folders", { name: "Outside" })).id;
    const later = (await scripted.create("vic", "/folders", { name: "Later", parentId: root })).id;
    const { id } = await scripted.create("vic", "/chats", { usedFolders: [root] });
    const inside: string[] = [];
    for (const [folder_id, name] of [
      [root, "root"],
      [later, "later"],
      [outside, "outside"],
    ]) {
      const document = (
        await scripted.create("vic", "/documents", { folder_id, name, content: heron })
      ).id;
      if (folder_id !== outside) inside.push(document);
    }
    await scripted.server.settle();
    const seen = async () => {
      let documents: string[] = [];
      scripted.answers(async (question) => {
        documents = (await question.find("heron", { limit: 50 })).passages.map(
          (passage) => passage.document_id,
        );
        return says("Yes.");
      });
      await scripted.answerOf("vic", id);
      return documents.sort();
    };
    expect(await seen()).toEqual(inside.sort());
    await send("vic", "PUT", `/chats/${id}`, { usedFolders: [later] });
    expect(await seen()).toEqual([inside[1]!].sort());
  });

  test.each([
    ["none", 0, []],
    ["one", 1, ["1 document in these folders was still being indexed."]],
    [
      "two, one of them in a subfolder",
      2,
      ["2 documents in these folders were still being indexed."],
    ],
  ])(
    "a warning counts the documents that are still being read: %s",
    async (_why, count, warning) => {
      const root = (await scripted.create("eve", "/folders", { name: "Root" })).id;
      const below = (await scripted.create("eve", "/folders", { name: "Below", parentId: root }))
        .id;
      const { id } = await scripted.create("eve", "/chats", { usedFolders: [root] });
      const db = scripted.server.store.db as Db<{ folders: { id: string; syncing_count: number } }>;
      for (const folder_id of [root, below].slice(0, count))
        await db
          .updateTable("folders")
          .set({ syncing_count: 1 })
          .where("id", "=", folder_id)
          .execute();
      const { warnings } = await scripted.answerOf("eve", id);
      expect(warnings.map(({ message }: { message: string }) => message)).toEqual(warning);
    },
  );

  test("saved prompts arrive in the session's order", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c"])
      ids.push((await scripted.create("ada", "/prompts", { name, text: `Do ${name}.` })).id);
    const { id } = await scripted.create("ada", "/chats", {
      usedFolders: [folder],
      usedPrompts: [ids[2], ids[0]],
    });
    let prompts: Question["prompts"] = [];
    scripted.answers(async (question) => {
      prompts = question.prompts;
      return { ...says("Yes."), prompts: question.prompts.map((prompt) => prompt.id) };
    });
    const result = await scripted.answerOf("ada", id);
    expect(prompts.map((prompt) => prompt.text)).toEqual(["Do c.", "Do a."]);
    expect(result.prompts).toEqual([ids[2], ids[0]]);
  });

  test("history is the last six turns, oldest first, blank for removed folders", async () => {
    const library = await scripted.library("hal");
    const two = await scripted.library("hal", "The owl sits in a tree. It waits for mice.");
    let history: Question["history"] = [];
    scripted.answers(async (question) => {
      history = question.history;
      return says(`Answer to ${question.text} [1]`, [await bestPassage(question)]);
    });
    for (let i = 1; i <= 7; i++) await scripted.answerOf("hal", library.chat, `${i} heron?`);
    expect(history).toEqual(
      [1, 2, 3, 4, 5, 6].map((i) => ({
        question: `${i} heron?`,
        answer: `Answer to ${i} heron? [1]`,
      })),
    );
    await send("hal", "PUT", `/chats/${library.chat}`, { usedFolders: [two.folder] });
    await scripted.answerOf("hal", library.chat, "owl?");
    expect(history).toEqual(
      [2, 3, 4, 5, 6, 7].map((i) => ({ question: `${i} heron?`, answer: "" })),
    );
  });
});

describe("what is stored of an answer", () => {
  test("quotes missing from the document are dropped, their statements marked", async () => {
    const { chat } = await scripted.library("sue");
    scripted.answers(async (question) => {
      const passage = await bestPassage(question);
      const good = { ...passage, quote: "It waits for fish.", start: 35, end: 53 };
      return says("A [1]. B [2]. C [3]. D [4]. E [5].", [
        { ...good, quote: "It waits for mice." },
        { ...good, start: 34, end: 52 },
        good,
        { ...passage, quote: "", start: 0, end: 0 },
      ]);
    });
    const result = await scripted.answerOf("sue", chat);
    expect(result.answer).toBe("A [?]. B [?]. C [1]. D [?]. E.");
    expect(result.grounded).toBe(false);
    expect(result.citations).toMatchObject([
      { id: 1, quote: "It waits for fish.", start: 35, end: 53, verified: true },
    ]);
  });

  test("citations of an answerer without markers or passages follow its answer", async () => {
    const { chat } = await scripted.library("una");
    scripted.answers(async (question) => {
      const { passage: _, ...before } = await bestPassage(question);
      return { ...says("In water."), citations: [{ ...before, id: 1 }] };
    });
    const { answer, citations, related } = await scripted.answerOf("una", chat);
    expect(answer).toBe("In water. [1]");
    expect(citations).toMatchObject([
      { id: 1, quote: heron, passage: { start: 0, end: heron.length } },
    ]);
    expect(related).toEqual([]);
  });

  test("related passages are checked like citations, and don't repeat them", async () => {
    const { chat } = await scripted.library("ria");
    const elsewhere = await scripted.library("ria", "The owl sits in a tree. It waits for mice.");
    let stolen: FoundPassage | undefined;
    scripted.answers(async (question) => {
      stolen = await bestPassage(question);
      return says("Owl.");
    });
    await scripted.answerOf("ria", elsewhere.chat, "owl?");
    scripted.answers(async (question) => {
      const passage = await bestPassage(question);
      return {
        ...says("Water [1].", [{ ...passage, quote: "It waits for fish.", start: 35, end: 53 }]),
        related: [
          stolen!,
          { ...passage, quote: "It waits for mice." },
          { ...passage, quote: "The heron stands in shallow water.", start: 0, end: 34 },
        ],
      };
    });
    const { citations, related } = await scripted.answerOf("ria", chat);
    expect(citations.length).toBe(1);
    expect(related).toMatchObject([
      {
        quote: "The heron stands in shallow water.",
        passage: { start: 0, end: 53 },
        verified: true,
      },
    ]);
    expect(related[0]).not.toHaveProperty("id");
  });

  test("a long quote is cut to the part that supports the answer", async () => {
    const talk = "Somebody tells a very long story about the hut by the sea. ".repeat(12);
    const { chat } = await scripted.library("eli", `${talk}${heron} ${talk}`);
    scripted.answers(async (question) =>
      says("It waits for fish [1].", [await bestPassage(question)]),
    );
    const { citations } = await scripted.answerOf("eli", chat);
    expect(citations[0]).toMatchObject({ quote: "It waits for fish.", verified: true });
    expect(citations[0].passage.end - citations[0].passage.start).toBeGreaterThan(500);
  });

  test("an answer that cites a document outside the session becomes no answer", async () => {
    const mine = await scripted.library("ted");
    const elsewhere = await scripted.library("ted", "The owl sits in a tree. It waits for mice.");
    let stolen: FoundPassage | undefined;
    scripted.answers(async (question) => {
      stolen = await bestPassage(question);
      return says("Owl.");
    });
    await scripted.answerOf("ted", elsewhere.chat, "owl?");
    scripted.answers(async () => says(`${stolen!.quote} [1]`, [stolen!]));
    const result = await scripted.answerOf("ted", mine.chat);
    expect(result).toMatchObject({ outcome: "no_answer", citations: [] });
    expect(result.answer).not.toContain("owl");
  });

  test("an answer is made again when a document it cites is unlinked meanwhile", async () => {
    const { folder, document, chat } = await scripted.library("uma");
    let attempts = 0;
    scripted.answers(async (question) => {
      attempts += 1;
      const passage = await bestPassage(question);
      if (!passage) return { ...says("Nothing."), outcome: "no_answer" };
      await send("uma", "DELETE", `/documents/${document}?folder_id=${folder}`);
      return says(`${passage.quote} [1]`, [passage]);
    });
    expect(await scripted.answerOf("uma", chat)).toMatchObject({
      answer: "Nothing.",
      outcome: "no_answer",
      citations: [],
    });
    expect(attempts).toBe(2);
  });
});

describe("the overview of folders", () => {
  test("lists each searchable document once, with its headings", async () => {
    const root = (await scripted.create("ivy", "/folders", { name: "Root" })).id;
    const below = (await scripted.create("ivy", "/folders", { name: "Below", parentId: root })).id;
    const other = (await scripted.create("ivy", "/folders", { name: "Other" })).id;
    const upload = async (folder_id: string, name: string, text: string): Promise<string> => {
      const form = new FormData();
      form.append("file", new File([text], name));
      const { body } = await scripted.server.send(
        "ivy",
        "POST",
        `/documents/file?folder_id=${folder_id}`,
        form,
      );
      return body.id;
    };
    const guide = "# 🐦 Guide\n\n## Herons\n\nThey stand.\n\n## Owls\n\nThey sit.\n";
    const id = await upload(root, "guide.md", guide);
    await upload(below, "plain.txt", "The owl sits in a tree.");
    await upload(below, "broken.pdf", "%PDF-1.7 and no more");
    await upload(other, "other.txt", "The crow flies.");
    await scripted.server.settle();
    await send("ivy", "POST", `/documents/${id}/links`, { folder_id: below });
    let seen: Awaited<ReturnType<Question["overview"]>> | undefined;
    scripted.answers(async (question) => {
      seen = await question.overview({ documents: 10, headings: 2 });
      return says("Seen.");
    });
    const { id: chat } = await scripted.create("ivy", "/chats", { usedFolders: [root] });
    await scripted.answerOf("ivy", chat);
    expect([seen!.count, seen!.all_counted]).toEqual([2, true]);
    expect(new Set(seen!.documents.map(({ name }) => name))).toEqual(
      new Set(["plain.txt", "guide.md"]),
    );
    const { headings, folder_id } = seen!.documents.find((document) => document.id === id)!;
    expect([root, below]).toContain(folder_id);
    expect(headings.map(({ text }) => text)).toEqual(["Herons", "Owls"]);
    for (const { text, start, end } of headings)
      expect([...guide].slice(start, end).join("")).toBe(text);
    const { id: empty } = await scripted.create("ivy", "/folders", { name: "Empty" });
    await send("ivy", "PUT", `/chats/${chat}`, { usedFolders: [empty] });
    await scripted.answerOf("ivy", chat);
    expect(seen).toEqual({ documents: [], count: 0, all_counted: true });
  });

  test("is not repeated to the answerer in the history", async () => {
    const { chat } = await scripted.library("kai");
    scripted.answers(async () => ({
      ...says("They hold heron.txt."),
      warnings: [{ code: "overview", message: "Names only." }],
    }));
    await scripted.answerOf("kai", chat, "What is in here?");
    let history: Question["history"] = [];
    scripted.answers(async (question) => {
      history = question.history;
      return says("Yes.");
    });
    await scripted.answerOf("kai", chat);
    expect(history).toEqual([{ question: "What is in here?", answer: "" }]);
  });
});

describe("reading an answer back", () => {
  const citing = async (question: Question) => says("In water [1].", [await bestPassage(question)]);

  test("an answer stored by an earlier version uses its quotes as passages", async () => {
    const { chat } = await scripted.library("old");
    scripted.answers(citing);
    const path = await scripted.ask("old", chat);
    await scripted.server.settle();
    const now = (await send("old", "GET", path)).body.result;
    const { related: _related, ...before } = now;
    const [{ passage: _passage, ...cited }] = now.citations;
    await scripted.server.store.db
      .updateTable("chats_messages")
      .set({ result: JSON.stringify({ ...before, citations: [cited] }) })
      .where("chat_id", "=", chat)
      .execute();
    expect((await send("old", "GET", path)).body.result).toEqual(now);
    scripted.answers(async ({ history }) => says(`${history.length} before.`));
    expect((await scripted.answerOf("old", chat)).answer).toBe("1 before.");
  });

  test("purging a document blanks its quotes but keeps the answer", async () => {
    const { folder, chat } = await scripted.library("pam");
    scripted.answers(async (question) => ({
      ...(await citing(question)),
      related: [
        { ...(await bestPassage(question)), quote: "It waits for fish.", start: 35, end: 53 },
      ],
    }));
    const path = await scripted.ask("pam", chat);
    await scripted.server.settle();
    expect((await send("pam", "GET", path)).body.result.citations[0]).toMatchObject({
      quote: heron,
      stale: false,
    });
    await send("pam", "DELETE", `/folders/${folder}`);
    const { result } = (await send("pam", "GET", path)).body;
    expect(result).toMatchObject({
      answer: "In water [1].",
      citations: [{ id: 1, quote: "", stale: true }],
      related: [{ quote: "", stale: true }],
    });
    await scripted.server.settle();
    const stored = await scripted.server.store.db
      .selectFrom("chats_messages")
      .select("result")
      .where("chat_id", "=", chat)
      .executeTakeFirstOrThrow();
    expect(stored.result).not.toContain("heron stands");
    expect(stored.result).not.toContain("waits for");
    expect((await send("pam", "GET", `/chats/${chat}/messages`)).body.data[0].result).toEqual(
      result,
    );
  });

  test("a passage missing from the new version is stale; one that remains is not", async () => {
    const { folder, chat } = await scripted.library("roy", `${heron}\n\nThe owl sits in a tree.`);
    scripted.answers(async (question) => {
      const passage = await bestPassage(question);
      return says("Water [1] and fish [2].", [
        { ...passage, quote: "The heron stands in shallow water.", start: 0, end: 34 },
        { ...passage, quote: "It waits for fish.", start: 35, end: 53 },
      ]);
    });
    const path = await scripted.ask("roy", chat);
    await scripted.server.settle();
    const form = new FormData();
    form.append("file", new File(["The heron stands in shallow water. It sleeps."], "heron.txt"));
    expect(
      (
        await scripted.server.send(
          "roy",
          "POST",
          `/documents/file?folder_id=${folder}&overwrite=true`,
          form,
        )
      ).status,
    ).toBe(200);
    await scripted.server.settle();
    const { citations } = (await send("roy", "GET", path)).body.result;
    expect(
      citations.map((citation: { quote: string; stale: boolean }) => [
        citation.quote,
        citation.stale,
      ]),
    ).toEqual([
      ["The heron stands in shallow water.", false],
      ["It waits for fish.", true],
    ]);
  });

  const versions: [why: string, next: string, stale: boolean][] = [
    ["is in the same place", "It waits for fish. And more follows.", false],
    ["has moved", "A new beginning.\n\nThe owl sleeps. It waits for fish. The end.", false],
    ["is gone", "The owl sleeps.", true],
    ["is there in another case only", "IT WAITS FOR FISH.", true],
    ["is there in part", "It waits for", true],
  ];
  for (const [why, next, stale] of versions)
    test(`a passage that ${why} in the new version: stale is ${stale}, quote kept`, async () => {
      const { folder, chat } = await scripted.library(
        "sid",
        "It waits for fish. It stands in water.",
      );
      scripted.answers(async (question) =>
        says("Fish [1].", [
          { ...(await bestPassage(question)), quote: "It waits for fish.", start: 0, end: 18 },
          { ...(await bestPassage(question)), quote: "It waits for fish. It", start: 0, end: 21 },
        ]),
      );
      const path = await scripted.ask("sid", chat, "What does it wait for?");
      await scripted.server.settle();
      const overwrite = async (content: string) => {
        const form = new FormData();
        form.append("file", new File([content], "heron.txt"));
        expect(
          (
            await scripted.server.send(
              "sid",
              "POST",
              `/documents/file?folder_id=${folder}&overwrite=true`,
              form,
            )
          ).status,
        ).toBe(200);
        await scripted.server.settle();
      };
      const before = (await send("sid", "GET", path)).body.result;
      await overwrite(next);
      const expected = {
        ...before,
        citations: [{ ...before.citations[0], stale }],
        related: [{ ...before.related[0], stale: true }],
      };
      const watcher = await scripted.watch("sid", path);
      await watcher.ended;
      expect([
        (await send("sid", "GET", path)).body.result,
        (await send("sid", "GET", `/chats/${chat}/messages`)).body.data[0].result,
        watcher.events.at(-1)!.data,
      ]).toEqual([expected, expected, expected]);
      expect(watcher.events.find(({ event }) => event === "citation")!.data).toEqual(
        expected.citations[0],
      );
      await overwrite("It waits for fish. It stands in water.");
      expect((await send("sid", "GET", path)).body.result).toEqual(before);
    });

  test("a running answer survives deleting and restoring its session", async () => {
    const gate = scripted.gate();
    const { id } = await scripted.create("ada", "/chats", { usedFolders: [folder] });
    const path = await scripted.ask("ada", id);
    await gate.begun;
    expect((await send("ada", "DELETE", `/chats/${id}`)).status).toBe(204);
    gate.open();
    await scripted.server.settle();
    expect((await send("ada", "GET", path)).status).toBe(410);
    await send("ada", "POST", `/chats/${id}/restore`);
    expect((await send("ada", "GET", path)).body).toMatchObject({
      status: "COMPLETED",
      result: { answer: "It stands in water." },
    });
  });
});

onSqlite("copies").test(
  "answers interrupted by a crash are made once after the next start",
  async () => {
    const crashing = await startScriptedServer();
    const { chat } = await crashing.library("ada");
    const gate = crashing.gate();
    const paths = await Promise.all(
      ["1?", "2?", "3?", "4?"].map((text) => crashing.ask("ada", chat, text)),
    );
    for (const path of paths.slice(0, 3)) await crashing.reaches("ada", path, "PROCESSING");
    // Copies the disk as a killed process would leave it: three answers in progress and one
    // waiting.
    const data = mkdtempSync(join(tmpdir(), "dossier-test-"));
    cpSync(crashing.server.data, data, { recursive: true });
    const authorization = `Bearer ${await crashing.server.key("ada")}`;
    const next = await startScriptedServer({ data });
    const questions: string[] = [];
    next.answers(async (question) => {
      questions.push(question.text);
      return says("After all.");
    });
    await next.server.settle();
    for (const path of paths)
      expect((await next.send(null, "GET", path, undefined, { authorization })).body).toMatchObject(
        {
          status: "COMPLETED",
          result: { answer: "After all." },
        },
      );
    expect(questions.sort()).toEqual(["1?", "2?", "3?", "4?"]);
    gate.open();
  },
);

test("no message is left unfinished without a pending job", async () => {
  await scripted.server.settle();
  const unfinished = await scripted.server.store.db
    .selectFrom("chats_messages")
    .select("id")
    .where("status", "in", ["PENDING", "PROCESSING"])
    .execute();
  expect(unfinished).toEqual([]);
});
