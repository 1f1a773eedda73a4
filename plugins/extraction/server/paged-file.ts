/**
 * Reads a file page by page in a child process: keeps the pages that were read if the child ends
 * early, and continues after a page that was too slow.
 */
import { join } from "node:path";
import type { PageMessage, PagesInput } from "../child/page-output";
import type { Context, RunClock } from "../../../core/sdk";
import type { ExtractionContext, ExtractionLimits } from "../context";
import type { Extracted, ExtractionOptions } from "../contract";
import { toExtractionFailure, withOutputs, type RunOptions } from "./child-run";
import { Deadline } from "./deadline";
import { PageCollector, type PagedFile } from "./page-collector";

/** The limits of one child process, and what takes its messages. */
export interface PagedRunOptions extends RunOptions {
  readonly onMessage: (message: PageMessage, clock: RunClock) => void;
}
/** Runs a child that reads the pages from `first_page` on. */
type Run = (input: PagesInput, options: PagedRunOptions) => Promise<unknown>;

/** Inside the data directory: `<language>.traineddata` files for text recognition. */
const languages_directory = "tessdata";
/** After this many pages whose recognition was too slow, the rest of the file is given up. */
const slow_pages_max = 3;
/**
 * While no page has given text, pages after a slow one get only this much time, so that a file of
 * nothing but slow pages ends soon.
 */
const hopeless_page_ms = 4_000;

/** @throws ExtractionFailure */
export const readPagedFile = (
  ctx: ExtractionContext,
  file: PagedFile,
  options: ExtractionOptions,
  run: Run,
): Promise<Extracted> =>
  withOutputs(ctx, (newOutput) => readPages(ctx, file, options, newOutput, run));

async function readPages(
  ctx: ExtractionContext,
  file: PagedFile,
  options: ExtractionOptions,
  newOutput: () => string,
  run: Run,
): Promise<Extracted> {
  const pages = new PageCollector(file);
  const limits = ctx.limits();
  let left_ms = limits.timeout_max_ms;
  for (;;) {
    const parts = { limits, paths: ctx.paths };
    const end = await runOnce(parts, pages, options, left_ms, newOutput(), run);
    left_ms -= end.took_ms;
    const hopeless = !pages.hasText() && pages.slow().length > 0;
    const skipped = end.overran && pages.slow().length < slow_pages_max;
    if (skipped) pages.skipSlowPage();
    if (skipped && !hopeless && !pages.isComplete()) continue;
    if (end.failure !== undefined && !skipped && !pages.survives(end.failure)) throw end.failure;
    return pages.result(skipped ? undefined : end.failure, options.takeLong);
  }
}

interface End {
  readonly failure: unknown;
  /** Text recognition of a page exceeded its limit. */
  readonly overran: boolean;
  readonly took_ms: number;
}

async function runOnce(
  { limits, paths }: { readonly limits: ExtractionLimits; readonly paths: Context["paths"] },
  pages: PageCollector,
  { signal, onProgress }: ExtractionOptions,
  left_ms: number,
  output: string,
  run: Run,
): Promise<End> {
  const deadline = new Deadline(signal);
  let took_ms = 0;
  const onMessage = (message: PageMessage, clock: RunClock): void => {
    if (message.step === "started") deadline.set(limits.timeout_ms, clock);
    if (message.step === "opened")
      deadline.set(
        Math.min(left_ms, limits.timeout_ms + message.page_count * limits.page_timeout_ms),
        clock,
      );
    if (message.step === "recognising")
      deadline.pauseFor(
        pages.hasText() || pages.slow().length === 0
          ? limits.ocr_page_timeout_ms
          : Math.min(hopeless_page_ms, limits.ocr_page_timeout_ms),
        clock,
      );
    took_ms = clock.now_ms();
    pages.receive(message);
    if (message.step !== "page") return;
    deadline.resume(clock);
    onProgress(pages.progress());
  };
  const input: PagesInput = {
    ...pages.remaining(limits),
    output,
    languages: join(paths.data, languages_directory),
    pages_max: limits.pages_max,
  };
  try {
    await run(input, {
      timeout_ms: Math.max(1, left_ms),
      memory_max_bytes: limits.memory_max_bytes,
      signal: deadline.signal,
      onMessage,
    });
    return { failure: undefined, overran: false, took_ms };
  } catch (error) {
    signal.throwIfAborted();
    return {
      failure: toExtractionFailure(error, deadline.missed_ms),
      overran: deadline.missed_ms !== null && pages.isRecognising(),
      took_ms: took_ms + (deadline.missed_ms ?? 0),
    };
  } finally {
    deadline.clear();
    pages.collect(output);
  }
}
