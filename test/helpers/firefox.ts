/**
 * A second browser for tests of the console: Firefox through WebDriver BiDi, if installed. Only
 * what a smoke test of pages needs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path of the browser; undefined when none is found. */
export const firefox_path =
  process.env["FIREFOX"] ?? Bun.which("firefox-esr") ?? Bun.which("firefox") ?? undefined;
/** Why its tests are skipped; "" when they are not. */
export const why_no_firefox = firefox_path
  ? ""
  : "No Firefox was found, so the console was tried in Chromium alone. Install one, or name it " +
    "in FIREFOX.";

/** A running browser with one page. */
export interface Firefox extends AsyncDisposable {
  /** Loads an address, until its scripts have run. */
  open(url: string): Promise<void>;
  size(width: number, height: number): Promise<void>;
  /** The value of an expression on the page: a string, a number, a boolean or null. */
  evaluate(expression: string): Promise<unknown>;
  /** Errors reported by the page so far. */
  readonly faults: readonly string[];
}

const start_ms = 60_000;

/** Starts it without a window on the screen. */
export async function launchFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), "dossier-firefox-"));
  const child = Bun.spawn(
    [firefox_path!, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"],
    {
      stdout: "ignore",
      stderr: "pipe",
      env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
    },
  );
  const faults: string[] = [];
  const waiting = new Map<number, (answer: any) => void>();
  const socket = new WebSocket(`${await addressOf(child.stderr)}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
    const { method, params } = message;
    if (method === "log.entryAdded" && params.level === "error") faults.push(String(params.text));
  });
  let last_id = 0;
  const send = (method: string, params: object = {}): Promise<any> => {
    const id = ++last_id;
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ type, result, message }) => {
        waiting.delete(id);
        if (type === "success") resolve(result);
        else reject(new Error(`${method}: ${message}`));
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await send("browsingContext.getTree");
  const context: string = contexts[0].context;
  return {
    faults,
    async open(url) {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async size(width, height) {
      await send("browsingContext.setViewport", { context, viewport: { width, height } });
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await send("script.evaluate", {
        expression,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value ?? null;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      child.kill();
      await child.exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Firefox prints this once it listens. */
async function addressOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const found = Promise.withResolvers<string>();
  const timer = setTimeout(() => found.reject(new Error("Firefox did not start.")), start_ms);
  let output = "";
  void (async () => {
    for await (const piece of stderr) {
      output += new TextDecoder().decode(piece);
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(output)?.[1];
      if (address) found.resolve(address);
    }
    found.reject(new Error(`Firefox ended: ${output}`));
  })();
  return found.promise.finally(() => clearTimeout(timer));
}
