/** Row: how much an upload of 500 MB adds to the memory of the server while it is received. */
import { has_proc, peakRssMib, resetPeak, rssMib, type Row } from "./measure";
import { temporaryDirectory, startDossier } from "./server";

const upload_bytes = 500 * 1000 * 1000;
const boundary = "----dossier-bench";

/** A multipart body with a file of repeated lines, generated while it is sent. */
function body(): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode(
    "The quick brown fox jumps over the lazy dog, again and again and again.\n".repeat(1024),
  );
  const head = new TextEncoder().encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  );
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
  let remaining_bytes = upload_bytes;
  return new ReadableStream({
    start: (controller) => controller.enqueue(head),
    pull(controller) {
      if (remaining_bytes === 0) {
        controller.enqueue(tail);
        controller.close();
        return;
      }
      const sent = Math.min(remaining_bytes, piece.length);
      controller.enqueue(piece.subarray(0, sent));
      remaining_bytes -= sent;
    },
  });
}

export async function uploadRow(): Promise<Row[]> {
  if (!has_proc) return [];
  const temporary = temporaryDirectory();
  const dossier = await startDossier(temporary.directory);
  try {
    const { id } = await dossier.call<{ id: string }>("POST", "/folders", { name: "Large" });
    await Bun.sleep(1_000);
    resetPeak(dossier.pid);
    const before = rssMib(dossier.pid);
    const started = performance.now();
    const response = await fetch(`${dossier.url}/api/dev/v1/documents/file?folder_id=${id}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${dossier.key}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      body: body(),
    });
    const seconds = (performance.now() - started) / 1000;
    const peak = peakRssMib(dossier.pid);
    if (response.status !== 201)
      throw new Error(`the upload answered ${response.status}: ${await response.text()}`);
    return [
      {
        name: "upload of 500 MB",
        unit: "MiB",
        target: { most: 60 },
        value: peak - before,
        measured:
          `rise of the resident set size, from ${before.toFixed(0)} to at most ` +
          `${peak.toFixed(0)} MiB until the answer came, ${seconds.toFixed(1)} s`,
      },
    ];
  } finally {
    await dossier.stop();
    temporary.remove();
  }
}
