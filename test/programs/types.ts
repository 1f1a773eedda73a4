/** What types that openapi-typescript made must say: compiled, never run. */
import type { paths } from "./schema.js";

type NewFolder = paths["/api/dev/v1/folders"]["post"]["requestBody"]["content"]["application/json"];
export const good: NewFolder = { name: "Reports" };
// @ts-expect-error a folder needs its name
export const bad: NewFolder = {};

type Answer =
  paths["/api/dev/v1/chats/{sessionId}/messages/{requestId}"]["get"]["responses"][200]["content"]["application/json"];
export const status = (answer: Answer): "PENDING" | "PROCESSING" | "COMPLETED" => answer.status;
