/** Probes a recording, in a child process. */
import { parseFile } from "music-metadata";

/** Properties of a recording; null if the file does not contain them. */
export interface Probed {
  readonly duration_s: number | null;
  readonly has_video: boolean | null;
}

/** The length of a recording, and whether it has sound or pictures. */
export async function probe({ path }: { readonly path: string }): Promise<Probed> {
  const {
    format: { duration, hasAudio, hasVideo },
  } = await parseFile(path, { duration: true, skipCovers: true, mkvUseIndex: true });
  return {
    duration_s:
      duration !== undefined && Number.isFinite(duration) && duration > 0
        ? Math.round(duration * 1_000) / 1_000
        : null,
    has_video: hasAudio === undefined && hasVideo === undefined ? null : hasVideo === true,
  };
}
