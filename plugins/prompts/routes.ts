/** The HTTP routes of saved prompts: parse the request, call the service, format the response. */
import {
  LongPage,
  Nullable,
  PageOf,
  PageQuery,
  reply,
  rfc3339,
  route,
  t,
  Timestamp,
  toPage,
  type HandlersOf,
  type Static,
  named,
  RequiredText,
  TrimmedName,
  LimitedText,
  description_length_max,
} from "../../core/sdk";
import { text_length_max, type PromptService } from "./service";
import type { PromptRow } from "./store";

const name_words = "What people call the prompt. Trimmed, not blank, at most 255 characters.";
const NewName = TrimmedName(name_words);
const Text = RequiredText(
  "What the answers are asked to respect. Not blank, at most 32,000 characters.",
  text_length_max,
);
const Description = Nullable(
  LimitedText(description_length_max),
  "A note for people, at most 4,000 characters.",
);

const NewPrompt = named(
  "NewPrompt",
  t.Object({ name: NewName, text: Text, description: t.Optional(Description) }),
);
const PromptChange = named(
  "PromptChange",
  t.Object({
    name: t.Optional(NewName),
    text: t.Optional(Text),
    description: t.Optional(Description),
  }),
);
const PromptRecord = named(
  "Prompt",
  t.Object({
    id: t.String({ description: "Opaque, starts with `prm_`." }),
    name: RequiredText(name_words),
    text: Text,
    description: Description,
    created_at: Timestamp("When it was saved."),
    updated_at: Timestamp("When it was last changed."),
  }),
);

const example: Static<typeof PromptRecord> = {
  id: "prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  name: "Plain words",
  text: "Answer in plain words and name the page.",
  description: null,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
};
const { name, text } = example;
const answer = (description: string) => ({ description, schema: PromptRecord, example });

export const routes = {
  list: route.get("/prompts", {
    summary: "List saved prompts",
    tag: "Prompts",
    operation: "listPrompts",
    description: "The caller's saved prompts, newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of prompts.",
        schema: PageOf(PromptRecord),
        example: toPage([example], 1, {}),
      },
    },
  }),
  create: route.post("/prompts", {
    summary: "Save a prompt",
    tag: "Prompts",
    operation: "createPrompt",
    description:
      "Saves a text that the caller's chat sessions can apply to their answers (`usedPrompts`).",
    body: NewPrompt,
    body_bytes_max: 2 ** 20,
    example: { name, text },
    answers: {
      201: {
        ...answer("The saved prompt."),
        headers: { location: "Path of the new prompt." },
        links: {
          getPrompt: { promptId: "id" },
          updatePrompt: { promptId: "id" },
          deletePrompt: { promptId: "id" },
        },
      },
    },
  }),
  get: route.get("/prompts/:promptId", {
    summary: "Get a prompt",
    tag: "Prompts",
    operation: "getPrompt",
    description: "One of the caller's saved prompts.",
    answers: { 200: answer("The prompt.") },
  }),
  change: route.put("/prompts/:promptId", {
    summary: "Change a prompt",
    tag: "Prompts",
    operation: "updatePrompt",
    description: "Replaces the fields that are given; a `description` of null is taken away.",
    body: PromptChange,
    body_bytes_max: 2 ** 20,
    example: { text },
    answers: { 200: answer("The prompt after the change.") },
  }),
  remove: route.delete("/prompts/:promptId", {
    summary: "Delete a prompt",
    tag: "Prompts",
    operation: "deletePrompt",
    description:
      "Deletes the prompt for good; its id leaves the `usedPrompts` of every chat session.",
    answers: { 204: { description: "It is gone." } },
  }),
};

export const promptHandlers = (prompts: PromptService): HandlersOf<typeof routes> => ({
  list: async ({ caller, query }) =>
    new LongPage(await prompts.list(caller.owner_id, query), query, toRecord),
  create: async ({ caller, body }) => {
    const prompt = await prompts.create(caller.owner_id, body);
    return reply(201, toRecord(prompt), { location: `/api/dev/v1/prompts/${prompt.id}` });
  },
  get: async ({ caller, params }) => toRecord(await prompts.get(caller.owner_id, params.promptId)),
  change: async ({ caller, params, body }) =>
    toRecord(await prompts.change(caller.owner_id, params.promptId, body)),
  remove: async ({ caller, params }) => {
    await prompts.remove(caller.owner_id, params.promptId);
    return reply(204);
  },
});

/** A prompt in API form. */
const toRecord = ({
  id,
  name,
  text,
  description,
  created_at,
  updated_at,
}: PromptRow): Static<typeof PromptRecord> => ({
  id,
  name,
  text,
  description,
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
});
