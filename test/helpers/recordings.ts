/** Recordings that contain instructions for a fake transcription program, and that program. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The captions of a recording with two speakers. */
export const captions =
  "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\n<v Anna>The heron waits in shallow " +
  "water.\n\n00:00:03.500 --> 00:00:06.000\n<v Anna>It eats fish and frogs.\n\n00:00:20.000 " +
  "--> 00:00:22.250\n<v Ben>And where does it build its nest?\n";

/**
 * Silence of this many seconds as a WAV file, followed by the instructions for the program below.
 */
export function recordingOf(mode: string, seconds = 1): Uint8Array<ArrayBuffer> {
  const rate = 8_000;
  const samples = Buffer.alloc(Math.round(rate * seconds) * 2);
  const tail = Buffer.from(`note\0\0\0\0mode=${mode}\n`.padEnd(64, " "));
  tail.writeUInt32LE(tail.length - 8, 4);
  const head = Buffer.from(
    `RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\x02\0\x10\0data\0\0\0\0`,
    "latin1",
  );
  head.writeUInt32LE(36 + samples.length + tail.length, 4);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt32LE(samples.length, 40);
  return new Uint8Array(Buffer.concat([head, samples, tail]));
}

/** A form with one recording. */
export const formOf = (name: string, bytes: string | Uint8Array<ArrayBuffer>): FormData => {
  const form = new FormData();
  form.set("file", new File([bytes], name));
  return form;
};

const script = `#!/bin/sh
# engine.sh INPUT OUTPUT
here=$(dirname "$0")
echo "$(tail -c 64 "$1" | grep -ao 'mode=[a-z-]*')" >> "$here/heard"
echo "$$" > "$here/pid"
heron() { printf 'WEBVTT\\n\\n00:00.250 --> 00:00.750\\nThe heron waits for %s.\\n' "$1"; }
case $(tail -c 64 "$1" | grep -ao 'mode=[a-z-]*') in
  mode=vtt) heron fish ;;
  mode=file) heron frogs > "$2.vtt"; echo "I wrote a file" ;;
  mode=lines) printf '[00:00:00.000 --> 00:00:00.500]  The heron waits.\\n' ;;
  mode=json) printf '{"language": "english", "segments": [{"start": 0, "end": 0.5, "text": " The heron waits.", "speaker": "A"}]}' ;;
  mode=text) echo "The heron waits for eels." ;;
  mode=broken) printf '{"segments": [{"start": 0, "end' ;;
  mode=backwards) printf '%s' \\
    '{"segments": [{"start": 0.9, "end": 0.1, "text": "third"}, ' \\
    '{"start": 0.5, "end": 900, "text": "second"}, {"start": -3, "end": 0.2, "text": "first"}]}' ;;
  mode=crash) echo "out of memory: /srv/secret" >&2; exit 3 ;;
  mode=signal) kill -SEGV $$ ;;
  mode=nothing) ;;
  mode=flood) yes "The heron waits and waits and waits." ;;
  mode=environment) env | sed 's/^/x /' ;;
  mode=orphan) sleep 600 & echo $! > "$here/child"; heron newts ;;
  mode=slow) sleep 600 & echo $! > "$here/child"; echo "progress =  42%" >&2; wait ;;
  mode=gate) while [ ! -e "$here/open" ]; do sleep 0.05; done; heron toads ;;
esac
`;

/** The program; `command` is its line in the settings. */
export function createEngine() {
  const directory = mkdtempSync(join(tmpdir(), "dossier-engine-"));
  const path = join(directory, "engine.sh");
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const numberIn = (name: string): number => Number(readFileSync(join(directory, name), "utf8"));
  return {
    directory,
    path,
    command: `${path} {input} {output}`,
    /** The modes it was started with. */
    heard: (): string[] =>
      existsSync(join(directory, "heard"))
        ? readFileSync(join(directory, "heard"), "utf8")
            .trim()
            .split("\n")
            .map((line) => line.replace("mode=", ""))
        : [],
    /** Whether the program started last, or its children, are still running. */
    runs: (what: "pid" | "child" = "pid"): boolean =>
      existsSync(join(directory, what)) && isAlive(numberIn(what)),
    /** Releases waiting runs. */
    open: () => writeFileSync(join(directory, "open"), ""),
    close: () => rmSync(join(directory, "open"), { force: true }),
  };
}
/** A fake transcription program. */
export type Engine = ReturnType<typeof createEngine>;

/** A zombie process does not count as alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
