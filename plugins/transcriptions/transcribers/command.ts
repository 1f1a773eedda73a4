/**
 * A transcriber that is a program on this machine: whisper.cpp, or any that prints or writes VTT,
 * SRT, JSON, or text.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Log } from "../../../core/sdk";
import {
  TranscriptionFailure,
  type Recording,
  type Transcriber,
  type TranscriptionWatch,
} from "../contract";
import { temporary_prefix, written_bytes_max } from "../reader";
import { timesOf } from "../child/captions";
import { textOf } from "../child/transcript";
import { killGroup, mark_name, runProgram, type Ended } from "./process";
import { filled } from "./command-line";

export interface CommandParts {
  /** The program and its arguments, with places to fill. */
  readonly words: readonly string[];
  readonly temporary: string;
  readonly newId: (prefix: string) => string;
  readonly log: Log;
}

/** Where the program writes; beside it lies `pid_file`. */
const output_name = "transcript",
  pid_file = "pid";
/** The best one that it writes counts; the program may add the ending itself. */
const endings = [".vtt", ".srt", ".json", "", ".txt"] as const;

export function createCommandTranscriber({
  words,
  temporary,
  newId,
  log,
}: CommandParts): Transcriber {
  const program = basename(words[0]!);

  async function transcribe(
    recording: Recording,
    { signal, onProgress }: TranscriptionWatch,
  ): Promise<string> {
    const directory = join(temporary, `${temporary_prefix}${newId("cmd")}`);
    await mkdir(directory);
    try {
      const places = {
        input: recording.path,
        output: join(directory, output_name),
        language: recording.language ?? "auto",
      };
      const ended = await run(
        words.map((word) => filled(word, places)),
        directory,
        recording,
        { signal, onProgress },
      );
      const written = (await writtenIn(directory)) ?? ended.stdout;
      if (written.trim() === "")
        throw new TranscriptionFailure(
          "empty",
          `The transcription program ${program} heard nothing: it wrote no text.`,
        );
      return written;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async function run(
    line: readonly string[],
    directory: string,
    { duration_s }: Recording,
    { signal, onProgress }: TranscriptionWatch,
  ): Promise<Ended> {
    try {
      const ended = await runProgram({
        words: line,
        directory,
        mark: directory,
        stdout_bytes_max: written_bytes_max,
        signal,
        onPrinted: (text) => {
          const progress = progressIn(text, duration_s);
          if (progress !== undefined) onProgress(progress);
        },
        onStarted: (pid) => writeFile(join(directory, pid_file), String(pid)),
      });
      if (ended.printed_too_much)
        throw new TranscriptionFailure(
          "transcriber_failed",
          `The transcription program ${program} printed more than ${written_bytes_max / 2 ** 20} MiB and was stopped.`,
        );
      if (ended.exit_code === 0) return ended;
      log.warn("the transcription program failed", {
        program,
        exit_code: ended.exit_code,
        ended_by: ended.ended_by,
        printed: ended.stderr,
      });
      const how =
        ended.ended_by === null
          ? `failed with exit code ${ended.exit_code}`
          : `crashed (${ended.ended_by})`;
      throw new TranscriptionFailure(
        "transcriber_failed",
        `The transcription program ${program} ${how}. The server's log has what it printed.`,
      );
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT")
        throw new TranscriptionFailure(
          "transcriber_failed",
          `The transcription program ${program} is not installed on this server, or transcription.command names it wrongly.`,
        );
      if (code === "EACCES")
        throw new TranscriptionFailure(
          "transcriber_failed",
          `The transcription program ${program} may not be run by this server.`,
        );
      throw error;
    }
  }

  return { name: program, rank: 10, transcribe };
}

/** What the program wrote where it was told to; undefined when there is no such file. */
async function writtenIn(directory: string): Promise<string | undefined> {
  for (const ending of endings) {
    const path = join(directory, `${output_name}${ending}`),
      found = await stat(path).catch(() => undefined);
    if (!found?.isFile() || found.size === 0) continue;
    if (found.size > written_bytes_max)
      throw new TranscriptionFailure(
        "transcriber_failed",
        `The transcription program wrote more than ${written_bytes_max / 2 ** 20} MiB.`,
      );
    return textOf(await readFile(path));
  }
  return undefined;
}

/** The last percentage in what was printed, or how far the times of the lines have come; 0 to 1. */
export function progressIn(text: string, duration_s: number | null): number | undefined {
  const tail = text.slice(-2_000);
  const percent = [...tail.matchAll(/(?<![\d.])(\d{1,3}(?:\.\d{1,3})?) ?%/g)].at(-1)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  const times = [...tail.matchAll(/[\d:.,]{5,14} *--> *[\d:.,]{5,14}/g)].at(-1)?.[0];
  const end = times === undefined || duration_s === null ? undefined : timesOf(times)?.end;
  return end === undefined ? undefined : Math.min(1, end / duration_s!);
}

/** After a crash: ends the programs that the server left running, and removes what lay about. */
export async function removeLeftovers(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    if (!name.startsWith(temporary_prefix)) continue;
    const path = join(temporary, name);
    const pid = Number(await readFile(join(path, pid_file), "utf8").catch(() => ""));
    if (Number.isSafeInteger(pid) && pid > 1 && (await isMarked(pid, path))) killGroup(pid);
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Whether the process with this number is ours, and not one that got the number since. Only Linux
 * tells; elsewhere a program that was left ends by itself.
 */
const isMarked = async (pid: number, mark: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""))
    .split("\0")
    .includes(`${mark_name}=${mark}`);
