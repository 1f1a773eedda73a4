/** Saved prompts as MCP prompts. */
import { HttpError } from "../../core/sdk";
import { ask } from "../client/contract";
import { cutTo, textTokens } from "./budget";
import type { ToolCall } from "./tool";

/** As many names and descriptions as fit one response. */
const page_size = 15;
const description_length = 160;

interface PromptRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly text: string;
}

/** A page of the caller's prompts; `cursor` is that of the page before. */
export async function listPrompts(call: ToolCall, cursor: string | undefined) {
  const page = pageOf(cursor);
  const { data, pagination } = await ask<{
    readonly data: readonly PromptRecord[];
    readonly pagination: { readonly next_page: number | null };
  }>(call, "GET", `/prompts?per_page=${page_size}&page=${page}`);
  return {
    prompts: data.map(({ id, name, description }) => ({
      name: id,
      title: name,
      ...(description !== null && { description: shortened(description) }),
    })),
    ...(pagination.next_page !== null && { nextCursor: String(pagination.next_page) }),
  };
}

/** @throws HttpError 404 */
export async function getPrompt(call: ToolCall, id: string) {
  const prompt = await ask<PromptRecord>(call, "GET", `/prompts/${encodeURIComponent(id)}`);
  return {
    description: shortened(prompt.description ?? prompt.name),
    messages: [
      { role: "user" as const, content: { type: "text" as const, text: whole(prompt.text, call) } },
    ],
  };
}

const shortened = (text: string): string =>
  text.length > description_length ? `${text.slice(0, description_length).toWellFormed()}…` : text;
const whole = (text: string, { tokens_max }: ToolCall): string =>
  cutTo(text, textTokens(tokens_max));

/** @throws HttpError 400 for an unknown cursor. */
function pageOf(cursor: string | undefined): number {
  if (cursor === undefined) return 1;
  if (!/^[1-9]\d{0,6}$/.test(cursor))
    throw new HttpError(400, "invalid_request", "This cursor was not issued by this server.");
  return Number(cursor);
}
