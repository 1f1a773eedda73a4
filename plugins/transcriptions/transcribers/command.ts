/**
 * A transcriber that runs a local program: whisper.cpp, or any that prints or writes VTT, SRT,
 * JSON, or text.
 */
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { findLeftovers } from "../../../core/lib/temporary-files";
import type { Context } from "../../../core/sdk";
import {
  TranscriptionFailure,
  type Recording,
  type Transcriber,
  type TranscriptionWatch,
} from "../contract";
import { temporary_prefix, written_bytes_max } from "../reader";
import { parseTiming } from "../child/captions";
import { decodeText } from "../child/transcript";
import { fillPlaceholders } from "./command-line";
import { killGroup, mark_name, runProgram, type ProgramResult } from "./process";

/** Name of the output file; `pid_file` is in the same directory. */
const output_name = "transcript";
const pid_file = "pid";
/** In order of preference. The program may add the extension itself. */
const extensions = [".vtt", ".srt", ".json", "", ".txt"] as const;

/** Runs the program once for each recording. */
export class CommandTranscriber implements Transcriber {
  readonly name: string;
  readonly rank = 10;

  /** `words`: the program and its arguments, with placeholders. */
  constructor(
    private readonly words: readonly string[],
    private readonly ctx: Pick<Context, "log" | "newId" | "paths">,
  ) {
    this.name = basename(words[0]!);
  }

  async transcribe(recording: Recording, watch: TranscriptionWatch): Promise<string> {
    const { newId, paths } = this.ctx;
    const directory = join(paths.temporary, `${temporary_prefix}${newId("cmd")}`);
    await mkdir(directory);
    try {
      const stdout = await this.run(directory, recording, watch);
      const written = (await writtenIn(directory)) ?? stdout;
      if (written.trim() === "")
        throw new TranscriptionFailure(
          "empty",
          `The transcription program ${this.name} found no speech: it wrote no text.`,
        );
      return written;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** The program's standard output. @throws TranscriptionFailure when it failed or can't be run. */
  private async run(
    directory: string,
    { path, duration_s, language }: Recording,
    { signal, onProgress }: TranscriptionWatch,
  ): Promise<string> {
    const values = {
      input: path,
      output: join(directory, output_name),
      language: language ?? "auto",
    };
    const result = await runProgram({
      words: this.words.map((word) => fillPlaceholders(word, values)),
      directory,
      mark: directory,
      stdout_bytes_max: written_bytes_max,
      signal,
      onPrinted: (text) => {
        const progress = progressIn(text, duration_s);
        if (progress !== undefined) onProgress(progress);
      },
      onStarted: (pid) => writeFile(join(directory, pid_file), String(pid)),
    }).catch((error: unknown) => {
      throw this.startFailure(error);
    });
    this.requireSuccess(result);
    return result.stdout;
  }

  private requireSuccess({ exit_code, ended_by, stderr, printed_too_much }: ProgramResult): void {
    if (printed_too_much)
      throw this.failure(`printed more than ${written_bytes_max / 2 ** 20} MiB and was stopped.`);
    if (exit_code === 0) return;
    this.ctx.log.warn("the transcription program failed", {
      program: this.name,
      exit_code,
      ended_by,
      printed: stderr,
    });
    const failure =
      ended_by === null ? `failed with exit code ${exit_code}` : `crashed (${ended_by})`;
    throw this.failure(`${failure}. The server's log has what it printed.`);
  }

  private startFailure(error: unknown): unknown {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT")
      return this.failure(
        "is not installed on this server, or its name in transcription.command is wrong.",
      );
    return code === "EACCES"
      ? this.failure("can't be run, because this server lacks the permission.")
      : error;
  }

  private failure(reason: string): TranscriptionFailure {
    return new TranscriptionFailure(
      "transcriber_failed",
      `The transcription program ${this.name} ${reason}`,
    );
  }
}

/** Contents of the output file; undefined if the program wrote none. */
async function writtenIn(directory: string): Promise<string | undefined> {
  for (const extension of extensions) {
    const path = join(directory, `${output_name}${extension}`);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile() || stats.size === 0) continue;
    if (stats.size > written_bytes_max)
      throw new TranscriptionFailure(
        "transcriber_failed",
        `The transcription program wrote more than ${written_bytes_max / 2 ** 20} MiB.`,
      );
    return decodeText(await readFile(path));
  }
  return undefined;
}

/** The last percentage in the text, or the last time relative to the duration; 0 to 1. */
export function progressIn(text: string, duration_s: number | null): number | undefined {
  const tail = text.slice(-2_000);
  const percent = [...tail.matchAll(/(?<![\d.])(\d{1,3}(?:\.\d{1,3})?) ?%/g)].at(-1)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  const times = [...tail.matchAll(/[\d:.,]{5,14} *--> *[\d:.,]{5,14}/g)].at(-1)?.[0];
  const end = times === undefined || duration_s === null ? undefined : parseTiming(times)?.end;
  return end === undefined ? undefined : Math.min(1, end / duration_s!);
}

/** After a crash: kills programs that the previous server left running. */
export async function killLeftovers(temporary: string): Promise<void> {
  for (const path of findLeftovers(temporary, temporary_prefix)) {
    const pid = Number(await readFile(join(path, pid_file), "utf8").catch(() => ""));
    if (Number.isSafeInteger(pid) && pid > 1 && (await isMarked(pid, path))) killGroup(pid);
  }
}

/**
 * Whether the process is ours, and not one that has got the same id since. Works only on Linux;
 * elsewhere a leftover program ends by itself.
 */
const isMarked = async (pid: number, mark: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""))
    .split("\0")
    .includes(`${mark_name}=${mark}`);
