/** The configured transcriber, validated at start. */
import { problemOfKey, problemOfUrl } from "../../core/lib/endpoint-settings";
import { ConfigError } from "../../core/sdk";
import { splitCommandLine } from "./transcribers/command-line";

/** The settings as they are stored. `timeout` is in ms. */
export interface TranscriptionSettings {
  readonly provider: "none" | "openai" | "command";
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly command?: string | undefined;
  readonly language?: string | undefined;
  readonly timeout: number;
}
/** The transcriber that the settings describe; `words` are the program and its arguments. */
export type Chosen =
  | { readonly kind: "none" }
  | {
      readonly kind: "openai";
      readonly base_url: string;
      readonly model: string;
      readonly api_key: string | undefined;
    }
  | { readonly kind: "command"; readonly words: readonly string[] };

/** The longest time limit that can be set. */
export const timeout_ms_max = 24 * 3_600_000;
/** What a language code looks like: `en`, `pt-BR`. */
export const language_pattern = "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$";

/** @throws ConfigError that says what to set. */
export function chosenTranscriber(settings: TranscriptionSettings): Chosen {
  const words = settings.command === undefined ? undefined : splitCommandLine(settings.command);
  const problems = [
    ...(settings.provider === "openai" ? problemsOfEndpoint(settings) : []),
    ...(settings.provider === "command" ? [problemOfCommand(settings.command, words)] : []),
    settings.timeout > 0 && settings.timeout <= timeout_ms_max
      ? null
      : "transcription.timeout must be more than 0s and at most 24h.",
    settings.language === undefined || new RegExp(language_pattern).test(settings.language)
      ? null
      : "transcription.language must be a code such as en.",
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ConfigError(problems);
  if (settings.provider === "openai")
    return {
      kind: "openai",
      base_url: settings.base_url!.replace(/\/+$/, ""),
      model: settings.model!.trim(),
      api_key: settings.api_key,
    };
  return settings.provider === "command" ? { kind: "command", words: words! } : { kind: "none" };
}

const problemsOfEndpoint = ({
  base_url,
  model,
  api_key,
}: TranscriptionSettings): (string | null)[] => [
  base_url
    ? problemOfUrl("transcription", base_url)
    : "transcription.base_url is required when transcription.provider is openai. Set " +
      "DOSSIER_TRANSCRIPTION_BASE_URL to the endpoint, such as http://127.0.0.1:8000/v1.",
  model?.trim()
    ? null
    : "transcription.model is required when transcription.provider is openai. Set " +
      "DOSSIER_TRANSCRIPTION_MODEL to the model's name at the endpoint.",
  problemOfKey("transcription", api_key),
];

function problemOfCommand(
  command: string | undefined,
  words: readonly string[] | undefined,
): string | null {
  if (!command?.trim())
    return (
      "transcription.command is required when transcription.provider is command. Set " +
      "DOSSIER_TRANSCRIPTION_COMMAND to the program, such as whisper-cli -m model.bin -f " +
      "{input} -ovtt -of {output}."
    );
  if (!words) return "transcription.command has an unclosed quote.";
  return words.some((word) => word.includes("{input}"))
    ? null
    : "transcription.command must contain {input}, which is replaced by the path of the " +
        "recording.";
}
