/** Uploads one file and reports its progress, which XMLHttpRequest can and `fetch` can't. */
import { apiUrl, offline, problemFrom, unreachable, type Query } from "./client";

/** Options of an upload. */
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
    const xhr = new XMLHttpRequest();
    const rejectAborted = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    if (signal?.aborted) return rejectAborted();
    signal?.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.open("POST", apiUrl(path, query));
    xhr.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded / total);
    });
    xhr.addEventListener("abort", rejectAborted);
    xhr.addEventListener("error", () => {
      unreachable.value = true;
      reject(offline());
    });
    xhr.addEventListener("load", () => {
      unreachable.value = false;
      if (xhr.status >= 200 && xhr.status < 300) resolve(JSON.parse(xhr.responseText) as T);
      else
        reject(
          problemFrom(xhr.status, xhr.responseText, (name) => xhr.getResponseHeader(name), path),
        );
    });
    const form = new FormData();
    form.append("file", file, file.name);
    xhr.send(form);
  });
}
