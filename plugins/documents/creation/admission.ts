/** Runs the hooks in `BeforeDocumentIntake` before a document is stored. */
import type { Hooks } from "../../../core/sdk";
import type { Admitted, DocumentIntake, NewIntake } from "../contract";

const proof: Admitted = Object.freeze({ admitted: true });

/** See `Documents.admit`. */
export async function admit(
  { before_intake }: { readonly before_intake: Hooks<DocumentIntake> },
  new_intake: NewIntake,
  signal?: AbortSignal,
): Promise<Admitted> {
  if (before_intake.any) {
    const { from, subfolder = null, ...intake } = new_intake;
    await before_intake.run({ ...intake, subfolder, ...contentOf(from) }, signal);
  }
  return proof;
}

/** The same for content sent in a request. */
export const admitSent = (
  ctx: Parameters<typeof admit>[0],
  kind: "text" | "upload",
  sent: Pick<NewIntake, "owner_id" | "folder_id" | "name" | "media_type" | "from">,
  signal?: AbortSignal,
): Promise<Admitted> => admit(ctx, { ...sent, origin: { kind, uri: null, run_id: null } }, signal);

/** @throws Error when a plugin has not called `Documents.admit`, which runs the hooks */
export function requireAdmitted(admitted: Admitted | undefined): void {
  if (admitted !== proof)
    throw new Error(
      "a document needs the result of Documents.admit, called before the transaction",
    );
}

function contentOf(from: NewIntake["from"]): Pick<DocumentIntake, "bytes" | "path" | "size_bytes"> {
  if (typeof from === "string" || from instanceof Uint8Array) {
    const bytes = typeof from === "string" ? new TextEncoder().encode(from) : from;
    return { path: null, size_bytes: bytes.byteLength, bytes: () => once(bytes) };
  }
  if ("bytes" in from)
    return { path: null, size_bytes: from.size_bytes, bytes: () => from.bytes() };
  const { path, size_bytes } = from;
  return { path, size_bytes, bytes: () => Bun.file(path).stream() };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
