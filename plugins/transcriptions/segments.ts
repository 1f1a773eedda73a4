/** What a transcript is made of. */

/** A stretch of speech, in order of `start`. Seconds; both are 0 where nobody knows. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  /** Not blank, without markup. Lines only where the transcript has no times. */
  readonly text: string;
  readonly speaker: string | null;
}
export interface Transcript {
  readonly segments: readonly Segment[];
  /** A code such as `en`; null when nobody says. */
  readonly language: string | null;
  /** Null when neither the recording nor the transcript tells. */
  readonly duration_s: number | null;
}
/** As it was written, before it is put in order: times may be missing, wrong or backwards. */
export interface Heard {
  readonly segments: readonly {
    readonly start?: number | undefined;
    readonly end?: number | undefined;
    readonly text: string;
    readonly speaker?: string | null | undefined;
  }[];
  readonly language?: string | null | undefined;
  readonly duration_s?: number | undefined;
}
