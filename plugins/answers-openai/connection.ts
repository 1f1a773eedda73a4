/** The language model that the settings name now, and what asks it. */
import { probeEndpoint } from "../../core/sdk";
import type { Answerer } from "../chats/contract";
import type { SystemCheck } from "../doctor/contract";
import { LanguageModelAnswerer, type AnswererOptions } from "./answerer";
import { endpointOf, type AnswersSettings } from "./settings";

export interface ModelSettings extends AnswersSettings {
  readonly fallback: "extractive" | "fail";
  readonly silence_timeout: number;
}
export interface Connection {
  readonly answerer: Answerer;
  readonly check: SystemCheck;
}
type ConnectionParts = Pick<
  AnswererOptions,
  "answerers" | "retrieval" | "analyze" | "languageOf" | "now_ms" | "log"
>;

export class CurrentModel {
  /** Null when the settings name none. */
  current: Connection | null = null;
  private chosen = 0;

  constructor(private readonly parts: ConnectionParts) {}

  /** The settings as they are now. @throws ConfigError, and leaves everything as it was. */
  async choose(settings: ModelSettings): Promise<void> {
    const chosen = ++this.chosen;
    const connection = await connect(settings, this.parts);
    // A later choice may have been quicker.
    if (chosen === this.chosen) this.current = connection;
  }
}

async function connect(
  settings: ModelSettings,
  parts: ConnectionParts,
): Promise<Connection | null> {
  const endpoint = endpointOf(settings);
  if (endpoint === null) return null;
  const { context_tokens, answer_tokens, fallback, timeout, silence_timeout } = settings;
  // The client is large: only a server that uses it loads it.
  const { Provider } = await import("./provider");
  const provider = new Provider({ ...endpoint, answer_tokens, silence_ms: silence_timeout });
  return {
    answerer: new LanguageModelAnswerer({
      ...parts,
      complete: (messages, options) => provider.complete(messages, options),
      model: endpoint.model,
      limits: { context_tokens, answer_tokens },
      timeout_ms: timeout,
      fallback,
    }),
    check: {
      name: "Language model",
      run: () => probeEndpoint({ ...endpoint, section: "answers" }),
    },
  };
}
