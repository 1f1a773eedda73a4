/** Strings of the models on the system page. */
import type { Answer } from "../api/types";

type Status = Answer<"trySettings">["status"];

export const model_strings = {
  /** By section. */
  texts: {
    answers: "Who writes the answers of chats: sentences of the documents, or a language model.",
    embeddings:
      "Who turns texts into vectors, so that search finds what means the same in other words or " +
      "another language. Another model than before: documents are encoded anew in the background.",
    rerank: "Who looks again at the passages that search has found, and puts the best one first.",
    oidc:
      "Where people sign in instead of with a password here: a provider of OpenID Connect, such " +
      "as Keycloak, Authentik, Entra ID or Google. Test says which address it must send back to.",
  } as Readonly<Record<string, string>>,
  labels: {
    provider: "Provider",
    base_url: "Address",
    api_key: "Key",
    model: "Model",
    issuer: "Address of the provider",
    client_id: "Client ID",
    client_secret: "Client secret",
    title: "Words of the button",
  } as Readonly<Record<string, string>>,
  choices: {
    extractive: "Sentences of the documents",
    openai: "OpenAI-compatible endpoint",
    builtin: "Built in",
    none: "Nobody",
    nobody: "Nobody",
    members: "Members",
    everybody: "Members and administrators",
  } as Readonly<Record<string, string>>,
  default_of: (choice: string) => `${choice} (default)`,
  more: "Further settings",
  set_by: (origin: string) => `Set by ${origin}: it wins over what is stored here.`,
  secret_set: "It is set, and shown to nobody. Type another to replace it.",
  secret_none: "None",
  secret_going: "It is taken away when you save.",
  take_away: "Take the key away",
  keep: "Keep the key",
  test: "Test",
  test_label: (title: string) => `Test ${title.toLowerCase()}`,
  testing: "Testing …",
  results: {
    ok: "It works",
    warn: "It works, but look at this",
    fail: "It does not work",
  } as Readonly<Record<Status, string>>,
  save: "Save",
  save_label: (title: string) => `Save ${title.toLowerCase()}`,
  saved: (title: string) => `${title}: saved, and in force.`,
  nothing_to_save: "Nothing has changed.",
  unsaved: "Not saved yet.",
  reset: "Back to the defaults",
  reset_label: (title: string) => `${title}: back to the defaults`,
  reset_title: (title: string) => `${title}: back to the defaults?`,
  reset_text: "What was stored here of these settings is taken away, the key with it:",
  reset_done: (title: string) => `${title}: the defaults hold again.`,
  foot:
    "What is saved takes effect at once and is stored sealed where it is secret. The command " +
    "line, the environment and dossier.toml win over it.",
} as const;
