/** The names under which requests are counted. */
export interface SubjectBounds {
  /**
   * Subjects with this prefix, such as addresses, can be invented by clients at will, so only a
   * limited number is counted separately.
   */
  readonly unbounded_prefix: string;
  /** How many of those are counted separately in one window; the rest share one count. */
  readonly unbounded_max: number;
}

/** Limits how many subjects that anybody can invent are counted apart. */
export class Subjects {
  private unbounded_count = 0;

  /** `isKnown`: it already has a count in this window. */
  constructor(
    private readonly bounds: SubjectBounds,
    private readonly isKnown: (name: string) => boolean,
  ) {}

  /** The name under which this subject's requests are counted. */
  countedAs(subject: string): string {
    const { unbounded_prefix, unbounded_max } = this.bounds;
    return this.isKnown(subject) ||
      !subject.startsWith(unbounded_prefix) ||
      this.unbounded_count < unbounded_max
      ? subject
      : unbounded_prefix;
  }

  /** Gives it a count. */
  add(name: string): void {
    if (name.startsWith(this.bounds.unbounded_prefix)) this.unbounded_count += 1;
  }

  /** A name is no longer counted. */
  remove(name: string): void {
    if (name.startsWith(this.bounds.unbounded_prefix)) this.unbounded_count -= 1;
  }

  /** A new window has begun. */
  clear(): void {
    this.unbounded_count = 0;
  }
}
