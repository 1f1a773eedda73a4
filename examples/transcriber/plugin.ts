/**
 * A transcriber: sends recordings to the HTTP server of whisper.cpp (`whisper-server -m
 * model.bin`). A complete plugin in one file.
 */
import { definePlugin, fill, t } from "dossier";
import { Transcribers, TranscriptionFailure, type Transcriber } from "dossier/contracts";

export default definePlugin({
  name: "whisper-server",
  version: "1.0.0",
  config: t.Object({
    url: t.String({
      default: "http://127.0.0.1:8080/inference",
      description: "The address where whisper-server accepts recordings.",
    }),
  }),
  setup({ config }) {
    const transcriber: Transcriber = {
      name: "whisper-server",
      // Above the configured transcriber, which has 10.
      rank: 20,
      async transcribe({ path, language }, { signal }) {
        const form = new FormData();
        form.set("file", Bun.file(path), "recording");
        form.set("response_format", "vtt");
        if (language !== null) form.set("language", language);
        const response = await fetch(config.url, { method: "POST", body: form, signal }).catch(
          () => undefined,
        );
        signal.throwIfAborted();
        // The last argument says whether another attempt may succeed.
        if (!response)
          throw new TranscriptionFailure(
            "transcriber_unavailable",
            "whisper-server can't be reached. An administrator has to start it, or correct " +
              "whisper_server.url.",
            true,
          );
        if (!response.ok)
          throw new TranscriptionFailure(
            "transcriber_failed",
            `whisper-server responded with status ${response.status}. See its output for the ` +
              "reason.",
            response.status >= 500,
          );
        // WebVTT, SRT, JSON or plain text: the host detects the format.
        return response.text();
      },
    };
    return { fills: [fill(Transcribers, transcriber)] };
  },
});
