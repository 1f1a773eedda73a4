/** Cases: responses that are asked for and not read. */
import { inParallel } from "../bench/server";
import type { Attacker } from "./attacker";
import type { Case } from "./case";
import { fileForm, notes, textFile } from "./seeds";

/** Asks for a path over so many connections at once and reads nothing. */
export async function askUnread(
  attacker: Attacker,
  connections: number,
  request: string,
): Promise<void> {
  await attacker.repeat(1, async () => {
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => attacker.connect({ reads: false })),
    );
    for (const socket of sockets) socket.write(request);
    await Bun.sleep(2_000);
    for (const socket of sockets) socket.terminate();
  });
}

const readers = 64;

/** 200 prompts of 32,000 characters each. */
const longPrompts = (attacker: Attacker): Promise<void> =>
  inParallel(200, 8, async (at) => {
    const text = "p".repeat(32_000);
    await attacker.call("POST", "/prompts", { name: `Prompt ${at}`, text });
  });

/** A file of 60 MB. Returns the id of its document. */
async function longFile(attacker: Attacker): Promise<string> {
  const folder_id = await attacker.newFolder();
  const body = fileForm(textFile(60 * 2 ** 20, 5), "long.txt");
  await attacker.send(`/documents/file?folder_id=${folder_id}`, { body });
  await attacker.indexed(folder_id);
  return (await attacker.documentIds(folder_id))[0]!;
}

export const unread_cases: readonly Case[] = [
  {
    name: "unread prompts",
    reason: `${readers} pages of 200 long prompts that are not read`,
    prepare: async (attacker) => {
      await longPrompts(attacker);
      const request = attacker.head("GET", "/prompts?per_page=200");
      return () => askUnread(attacker, readers, request);
    },
  },
  {
    name: "read prompts",
    reason: `${readers} pages of 200 long prompts at a time that are read`,
    prepare: async (attacker) => {
      await longPrompts(attacker);
      return () => attacker.repeat(readers, () => attacker.send("/prompts?per_page=200"));
    },
  },
  {
    name: "unread messages",
    reason: `${readers} pages of 200 long messages that are not read`,
    without_vectors: true,
    prepare: async (attacker) => {
      const chat_id = await attacker.newChat(await attacker.newTexts(notes(10)));
      await inParallel(200, 8, async (at) => {
        const body = { text: `Where does the heron ${at} stand? ${"q".repeat(31_000)}` };
        await attacker.send(`/chats/${chat_id}/messages`, { body });
      });
      const request = attacker.head("GET", `/chats/${chat_id}/messages?per_page=200`);
      return () => askUnread(attacker, readers, request);
    },
  },
  {
    name: "unread files",
    reason: `${readers} downloads of a file of 60 MB that are not read`,
    without_vectors: true,
    prepare: async (attacker) => {
      const id = await longFile(attacker);
      return () => askUnread(attacker, readers, attacker.head("GET", `/documents/${id}/file`));
    },
  },
  {
    name: "unread texts",
    reason: `${readers} texts of 60 MB that are not read`,
    without_vectors: true,
    prepare: async (attacker) => {
      const id = await longFile(attacker);
      return () => askUnread(attacker, readers, attacker.head("GET", `/documents/${id}`));
    },
  },
  {
    name: "unread events",
    reason: `${readers} streams of the events since the first of many that are not read`,
    without_vectors: true,
    prepare: async (attacker) => {
      const first_id = await firstEventId(attacker);
      await attacker.newTexts(notes(3_000), 300_000);
      const request = attacker.head("GET", "/events", { "last-event-id": first_id });
      return () => askUnread(attacker, readers, request);
    },
  },
];

/** The id of an event that comes while a stream is open. */
async function firstEventId(attacker: Attacker): Promise<string> {
  let id = "";
  const stream = attacker.send("/events", {
    read: async (response) => {
      let text = "";
      const decoder = new TextDecoder();
      for await (const bytes of response.body!) {
        text += decoder.decode(bytes, { stream: true });
        id = /^id: ?(\S+)$/m.exec(text)?.[1] ?? "";
        if (id !== "") return;
      }
    },
  });
  while (id === "") {
    await attacker.newFolder("Event");
    await Bun.sleep(100);
  }
  await stream;
  return id;
}
