/**
 * My plugin: turns recordings into text with a service that takes a file and answers with a
 * transcript, such as `whisper-server -m model.bin` of whisper.cpp.
 */
import { definePlugin, fill, t } from "dossier";
import { Transcribers, TranscriptionFailure, type Transcriber } from "dossier/contracts";

/** [my_plugin] in dossier.toml, or DOSSIER_MY_PLUGIN_URL in the environment. */
const config = t.Object({
  url: t.String({
    default: "http://127.0.0.1:8080/inference",
    pattern: "^https?://",
    changes: "now",
    description: "Where the service takes recordings.",
  }),
});

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  config,
  setup({ config }) {
    const transcriber: Transcriber = {
      name: "my-plugin",
      /** Whoever has the highest rank is asked: those of the settings have 10. */
      rank: 20,
      async transcribe({ path, language }, { signal }) {
        const form = new FormData();
        form.set("file", Bun.file(path), "recording");
        form.set("response_format", "vtt");
        if (language !== null) form.set("language", language);
        const answer = await fetch(config.url, { method: "POST", body: form, signal }).catch(
          () => null,
        );
        signal.throwIfAborted();
        // Sentences for the person who sent the recording; the last word says whether another
        // attempt may help.
        if (answer === null)
          throw new TranscriptionFailure(
            "transcriber_unavailable",
            "The transcription service can't be reached: the administrator looks at my_plugin.url.",
            true,
          );
        if (!answer.ok)
          throw new TranscriptionFailure(
            "transcriber_failed",
            `The transcription service answered with status ${answer.status}.`,
            answer.status >= 500,
          );
        // WebVTT, SRT, JSON or plain text: Dossier sees which it is.
        return answer.text();
      },
    };
    return { fills: [fill(Transcribers, transcriber)] };
  },
});
