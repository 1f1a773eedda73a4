/** Strings of the models on the system page. */
import type { Answer } from "../api/types";

type Status = Answer<"trySettings">["status"];

export const model_strings = {
  /** By section. */
  texts: {
    answers:
      "How answers in chats are written: by quoting sentences from the documents, or by a " +
      "language model.",
    embeddings:
      "Which model turns texts into vectors, so that search finds passages with the same " +
      "meaning in other words or another language. If you change the model, all vectors " +
      "are recreated in the background.",
    rerank: "Which model reranks the passages found by search, so that the best one comes first.",
    oidc:
      "Single sign-on with an OpenID Connect provider, such as Keycloak, Authentik, " +
      "Entra ID or Google. “Test” shows the redirect address that must be registered " +
      "with the provider.",
  } as Readonly<Record<string, string>>,
  labels: {
    provider: "Provider",
    base_url: "Address",
    api_key: "API key",
    model: "Model",
    issuer: "Provider address",
    client_id: "Client ID",
    client_secret: "Client secret",
    title: "Button label",
  } as Readonly<Record<string, string>>,
  choices: {
    extractive: "Sentences from the documents",
    openai: "OpenAI-compatible endpoint",
    builtin: "Built in",
    none: "None",
    nobody: "Nobody",
    members: "Members",
    everybody: "Members and administrators",
  } as Readonly<Record<string, string>>,
  default_of: (choice: string) => `${choice} (default)`,
  more: "More settings",
  set_by: (origin: string) => `Set by ${origin}, which overrides the value stored here.`,
  secret_set: "A value is set; it is never shown. Type a new one to replace it.",
  secret_none: "None",
  secret_going: "Removed when you save.",
  take_away: "Remove key",
  keep: "Keep key",
  test: "Test",
  test_label: (title: string) => `Test ${title.toLowerCase()}`,
  testing: "Testing …",
  results: {
    ok: "It works",
    warn: "It works, with a warning",
    fail: "It does not work",
  } as Readonly<Record<Status, string>>,
  save: "Save",
  save_label: (title: string) => `Save ${title.toLowerCase()}`,
  saved: (title: string) => `${title}: settings saved and applied.`,
  nothing_to_save: "No changes to save.",
  unsaved: "Unsaved changes.",
  reset: "Reset to defaults",
  reset_label: (title: string) => `Reset to defaults: ${title}`,
  reset_title: (title: string) => `Reset ${title.toLowerCase()} to defaults?`,
  reset_text: "The stored values of these settings, including secrets, are removed:",
  reset_done: (title: string) => `${title}: reset to defaults.`,
  foot:
    "Changes take effect immediately, and secrets are stored encrypted. The command " +
    "line, the environment and dossier.toml override values saved here.",
} as const;
