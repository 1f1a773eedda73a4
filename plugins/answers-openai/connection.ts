/** The language model named by the current settings, and its client. */
import { probeEndpoint } from "../../core/sdk";
import type { SystemCheck } from "../doctor/contract";
import { LanguageModelAnswerer, type AnswererContext } from "./answerer";
import { endpointOf, type AnswersSettings } from "./settings";

/** The settings as they are stored. Times are in ms. */
export interface ModelSettings extends AnswersSettings {
  readonly fallback: "extractive" | "fail";
  readonly silence_timeout: number;
  readonly first_word_timeout: number;
  readonly rewrite_timeout: number;
  readonly passages_max: number;
}
/** The answerer of the current settings, and its check. */
export interface Connection {
  readonly answerer: LanguageModelAnswerer;
  readonly check: SystemCheck;
}
type ConnectionContext = Pick<
  AnswererContext,
  "answerers" | "retrieval" | "analyze" | "languageOf" | "now_ms" | "log"
>;

/** The connection, replaced when the settings change. */
export class CurrentModel {
  /** Null when the settings name none. */
  current: Connection | null = null;
  private chosen = 0;

  constructor(private readonly ctx: ConnectionContext) {}

  /** Applies the current settings. @throws ConfigError, without any change. */
  async choose(settings: ModelSettings): Promise<void> {
    const chosen = ++this.chosen;
    const connection = await connect(settings, this.ctx);
    // A later call may have been faster.
    if (chosen === this.chosen) this.current = connection;
  }
}

async function connect(
  settings: ModelSettings,
  ctx: ConnectionContext,
): Promise<Connection | null> {
  const endpoint = endpointOf(settings);
  if (endpoint === null) return null;
  const { context_tokens, answer_tokens, passages_max, fallback } = settings;
  // The client is large: only a server that uses it loads it.
  const { Provider } = await import("./provider");
  const provider = new Provider({
    ...endpoint,
    answer_tokens,
    silence_ms: settings.silence_timeout,
    first_word_ms: settings.first_word_timeout,
  });
  return {
    answerer: new LanguageModelAnswerer({
      ...ctx,
      complete: (messages, options) => provider.complete(messages, options),
      model: endpoint.model,
      limits: { context_tokens, answer_tokens, passages_max },
      timeout_ms: settings.timeout,
      rewrite_timeout_ms: settings.rewrite_timeout,
      fallback,
    }),
    check: {
      name: "Language model",
      run: () => probeEndpoint({ ...endpoint, section: "answers" }),
    },
  };
}
