/** Starts threads, and checks beforehand that enough file descriptors are free. */
import { closeSync, openSync } from "node:fs";
import { NothingSaved } from "./errors";

/** More than a thread or a child process opens as it starts. */
const needed = 32;

/** 503, retry after five seconds. */
export const tooManyOpen = (): NothingSaved =>
  new NothingSaved(
    "The server has too many connections, files or processes open at the moment. Try again in a " +
      "few seconds.",
    5,
  );

/** @throws HttpError 503 when the process may open no more files, or have no more threads */
export function startThread(start: () => Worker): Worker {
  requireDescriptors();
  try {
    return start();
  } catch (error) {
    // The runtime says this without a code.
    const cause = Object.assign(new Error(String(error), { cause: error }), { code: "EAGAIN" });
    throw Object.assign(tooManyOpen(), { cause });
  }
}

/**
 * Before starting a child process; Bun ends this process when a new thread gets no descriptors.
 * @throws HttpError 503, with the error of the operating system as its cause
 */
export function requireDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < needed) opened.push(openSync("/dev/null", "r"));
  } catch (error) {
    throw Object.assign(tooManyOpen(), { cause: error });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
