/** A document of an answer is deleted while the answer is being written. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Question } from "../../plugins/chats/contract";
import { says, startScriptedServer, type ScriptedServer } from "../helpers/scripted-server";

let scripted: ScriptedServer;
beforeAll(async () => {
  scripted = await startScriptedServer();
});

const owl = "The owl sits in a tree. It waits for mice.";
/**
 * Documents about an owl, one of which is lost whenever an answer cites it, beside one about a
 * heron. `attempts` counts the answers.
 */
async function losing(who: string) {
  const { folder, chat } = await scripted.library(who);
  for (const name of ["a", "b", "c"])
    await scripted.create(who, "/documents", {
      folder_id: folder,
      name,
      content: `${owl} It is owl ${name}.`,
    });
  await scripted.server.settle();
  const seen = { attempts: 0 };
  scripted.answers(async ({ find }: Question) => {
    seen.attempts += 1;
    const { passages } = await find("heron owl", { limit: 5 });
    const of = (bird: string) => passages.find(({ quote }) => quote.includes(bird))!;
    const [heron, lost] = [of("heron"), of("owl")];
    await scripted.send(who, "DELETE", `/documents/${lost.document_id}?folder_id=${folder}`);
    return says("It sits in a tree [2]. It stands in water [1]. Both wait [1][2].", [heron, lost]);
  });
  return { chat, seen };
}
const marked = "It sits in a tree [?]. It stands in water [1]. Both wait [1].";

describe("a statement whose document is deleted meanwhile is marked", () => {
  test("in a session, at the last attempt", async () => {
    const { chat, seen } = await losing("ann");
    const { answer, grounded, citations } = await scripted.answerOf("ann", chat);
    expect([answer, grounded]).toEqual([marked, false]);
    expect(citations).toMatchObject([{ id: 1, document_name: "heron.txt" }]);
    expect(seen.attempts).toBe(3);
  });

  test("without a session", async () => {
    await losing("ben");
    const { key, fetch } = scripted.server;
    const answered = await fetch(
      new Request("http://dossier.test/v1/chat/completions", {
        method: "POST",
        headers: {
          authorization: `Bearer ${await key("ben")}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({
          model: "dossier",
          messages: [{ role: "user", content: "Where are they?" }],
        }),
      }),
    );
    const { choices, dossier } = (await answered.json()) as any;
    expect([choices[0].message.content, dossier.grounded]).toEqual([marked, false]);
    expect(dossier.citations).toMatchObject([{ id: 1, document_name: "heron.txt" }]);
  });
});
