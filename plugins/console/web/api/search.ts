/** The search over the user's documents. */
import { api } from "./client";
import type { Answer, BodyOf, FoundPassage } from "./types";

/** Passages for the query, best first. @throws ApiProblem */
export const search = async (
  body: BodyOf<"search">,
  signal?: AbortSignal,
): Promise<readonly FoundPassage[]> =>
  (
    await api<Answer<"search">>("/search", {
      method: "POST",
      body,
      ...(signal ? { signal } : {}),
    })
  ).data;
