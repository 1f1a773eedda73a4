/** Uploads one file and reports its progress, which XMLHttpRequest can and `fetch` can't. */
import { apiUrl, offline, problemFrom, unreachable, type Query } from "./client";

export interface UploadOptions {
  readonly query?: Query;
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** @throws ApiProblem, or an AbortError when `signal` fired. */
export function upload<T>(
  path: string,
  file: File,
  { query, onProgress, signal }: UploadOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const send = new XMLHttpRequest();
    const aborted = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    if (signal?.aborted) return aborted();
    signal?.addEventListener("abort", () => send.abort(), { once: true });
    send.open("POST", apiUrl(path, query));
    send.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded / total);
    });
    send.addEventListener("abort", aborted);
    send.addEventListener("error", () => {
      unreachable.value = true;
      reject(offline());
    });
    send.addEventListener("load", () => {
      unreachable.value = false;
      if (send.status >= 200 && send.status < 300) resolve(JSON.parse(send.responseText) as T);
      else
        reject(
          problemFrom(send.status, send.responseText, (name) => send.getResponseHeader(name), path),
        );
    });
    const form = new FormData();
    form.append("file", file, file.name);
    send.send(form);
  });
}
