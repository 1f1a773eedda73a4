/**
 * The model and the transcriber of the races, which count how many requests they have at the same
 * time.
 */

/** How long each takes: the others have time to come. */
const answer_ms = 15;

export interface Outside extends Disposable {
  /** Settings of servers that use it. */
  readonly env: Readonly<Record<string, string>>;
  /** The most requests that it had at the same time since this was asked last. */
  takePeak(): number;
}

export function startOutside(): Outside {
  let open = 0;
  let peak = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      peak = Math.max(peak, ++open);
      await request.arrayBuffer();
      await Bun.sleep(answer_ms);
      open--;
      return request.url.endsWith("/chat/completions") ? said() : Response.json(transcript);
    },
  });
  const base_url = `http://127.0.0.1:${server.port}/v1`;
  return {
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: base_url,
      DOSSIER_ANSWERS_MODEL: "counting",
      DOSSIER_TRANSCRIPTION_PROVIDER: "openai",
      DOSSIER_TRANSCRIPTION_BASE_URL: base_url,
      DOSSIER_TRANSCRIPTION_MODEL: "counting",
    },
    takePeak() {
      const taken = peak;
      peak = open;
      return taken;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const transcript = {
  text: "The kettle came from Linz.",
  duration: 1,
  segments: [{ id: 0, start: 0, end: 1, text: "The kettle came from Linz." }],
};

function said(): Response {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({
      id: "c",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    })}\n\n`;
  const body =
    chunk({ role: "assistant", content: "The kettle came from Linz [1]." }, null) +
    chunk({}, "stop") +
    "data: [DONE]\n\n";
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A second of silence, as a WAV file. */
export function silence(): Uint8Array<ArrayBuffer> {
  const samples_bytes = 16_000;
  const bytes = Buffer.alloc(44 + samples_bytes);
  bytes.write("RIFF");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  // PCM, one channel of 8,000 samples a second, 16 bits each.
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(samples_bytes, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(samples_bytes, 40);
  return new Uint8Array(bytes);
}
