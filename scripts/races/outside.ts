/**
 * External services for the races: a model and a transcriber that count concurrent requests, hosts
 * that ask for pauses, and gates that hold requests.
 */

/** The duration of an answer, so that others can arrive meanwhile. */
const answer_ms = 15;
/** How long to wait for a gate to open, and for requests to reach a host. */
const patience_ms = 10_000;
/** Marks a question that is never answered. */
const hold_words = "hold on";

/** An address whose responses wait. */
export interface Gate {
  /** Holds requests until it opens. */
  readonly url: string;
  open(): void;
}
/** Its robots.txt asks for ten seconds between two requests. */
export interface PatientHost {
  /** A page that does not exist. */
  readonly url: string;
  /** Resolves when one of its pages has been requested. */
  firstRequest(): Promise<void>;
  /** The number of such requests. */
  requests(): number;
}
interface Visits {
  robots: number;
  pages: number;
  /** How many fetch its robots.txt: none gets it before all have requested it. */
  readonly readers: number;
  readonly all_came: PromiseWithResolvers<void>;
  readonly page_came: PromiseWithResolvers<void>;
}

/** The services, until they are disposed of. */
export class Outside implements Disposable {
  /** Concurrent requests by key: the current number and the maximum. */
  private readonly counts = new Map<string, { open: number; peak: number }>();
  private readonly gates = new Map<string, PromiseWithResolvers<void>>();
  private readonly hosts = new Map<string, Visits>();
  // On every loopback address, each of which is another host.
  private readonly server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.answer(request),
  });

  /** Settings of servers that use it. */
  get env(): Readonly<Record<string, string>> {
    const base_url = `${this.urlAt("127.0.0.1")}/v1`;
    return {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: base_url,
      DOSSIER_ANSWERS_MODEL: "counting",
      DOSSIER_TRANSCRIPTION_PROVIDER: "openai",
      DOSSIER_TRANSCRIPTION_BASE_URL: base_url,
      DOSSIER_TRANSCRIPTION_MODEL: "counting",
    };
  }

  /**
   * The most concurrent requests since the last call, of questions with this key in brackets, or of
   * "recordings".
   */
  takePeak(key: string): number {
    const count = this.countOf(key);
    const { peak } = count;
    count.peak = count.open;
    return peak;
  }

  newGate(name: string): Gate {
    const opened = Promise.withResolvers<void>();
    this.gates.set(name, opened);
    return {
      url: `${this.urlAt("127.0.0.1")}/gates/${name}`,
      open: () => {
        opened.resolve();
        this.gates.delete(name);
      },
    };
  }

  /** A host that was not used yet, for that many concurrent imports. `n`: below two million. */
  patientHost(n: number, readers: number): PatientHost {
    const address = `127.${1 + (n >> 14)}.${(n >> 7) & 127}.${1 + (n & 127)}`;
    const visits: Visits = {
      robots: 0,
      pages: 0,
      readers,
      all_came: Promise.withResolvers(),
      page_came: Promise.withResolvers(),
    };
    this.hosts.set(address, visits);
    return {
      url: `${this.urlAt(address)}/page`,
      requests: () => visits.pages,
      firstRequest: () => withPatience(visits.page_came.promise),
    };
  }

  [Symbol.dispose](): void {
    void this.server.stop(true);
  }

  private urlAt(address: string): string {
    return `http://${address}:${this.server.port}`;
  }

  private countOf(key: string): { open: number; peak: number } {
    const count = this.counts.get(key) ?? { open: 0, peak: 0 };
    this.counts.set(key, count);
    return count;
  }

  private async answer(request: Request): Promise<Response> {
    const { hostname, pathname } = new URL(request.url);
    const visits = this.hosts.get(hostname);
    if (visits) return visit(visits, pathname);
    if (pathname.startsWith("/gates/")) return this.waitForGate(pathname.slice("/gates/".length));
    const text = await request.text();
    if (pathname.endsWith("/audio/transcriptions"))
      return this.counted("recordings", () => Response.json(transcript));
    if (text.includes(hold_words)) return clientGone(request.signal);
    return this.counted(/\((lane \d+)\)/.exec(text)?.[1] ?? "", streamedAnswer);
  }

  private async counted(key: string, answer: () => Response): Promise<Response> {
    const count = this.countOf(key);
    count.peak = Math.max(count.peak, ++count.open);
    await Bun.sleep(answer_ms);
    count.open--;
    return answer();
  }

  private async waitForGate(gate: string): Promise<Response> {
    await withPatience(this.gates.get(gate)?.promise);
    return new Response("open");
  }
}

const withPatience = (coming: Promise<void> | undefined): Promise<void> =>
  Promise.race([coming, Bun.sleep(patience_ms)]);

async function visit(visits: Visits, path: string): Promise<Response> {
  if (path !== "/robots.txt") {
    visits.pages++;
    visits.page_came.resolve();
    return new Response(null, { status: 404 });
  }
  if (++visits.robots === visits.readers) visits.all_came.resolve();
  await withPatience(visits.all_came.promise);
  return new Response("User-agent: *\nCrawl-delay: 10\n");
}

/** Resolves when the client has disconnected. */
const clientGone = (signal: AbortSignal): Promise<Response> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(new Response()), { once: true });
  });

const transcript = {
  text: "The kettle came from Linz.",
  duration: 1,
  segments: [{ id: 0, start: 0, end: 1, text: "The kettle came from Linz." }],
};

function streamedAnswer(): Response {
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
  // PCM, one channel of 8,000 samples per second, 16 bits each.
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
