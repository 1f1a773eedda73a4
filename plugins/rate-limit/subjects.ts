/** Under which name requests are counted. */
export interface SubjectBounds {
  /**
   * Subjects whose name starts with this are invented at will by whoever sends requests, such as
   * addresses: only so many are counted apart.
   */
  readonly unbounded_prefix: string;
  /** How many of those are counted apart in one window; the rest share one count. */
  readonly unbounded_max: number;
}

export class Subjects {
  #unbounded_count = 0;

  /** `isKnown`: it is counted in this window. */
  constructor(
    private readonly bounds: SubjectBounds,
    private readonly isKnown: (name: string) => boolean,
  ) {}

  countedAs(subject: string): string {
    const { unbounded_prefix, unbounded_max } = this.bounds;
    return this.isKnown(subject) ||
      !subject.startsWith(unbounded_prefix) ||
      this.#unbounded_count < unbounded_max
      ? subject
      : unbounded_prefix;
  }

  /** It is counted from now on. */
  add(name: string): void {
    if (name.startsWith(this.bounds.unbounded_prefix)) this.#unbounded_count += 1;
  }

  remove(name: string): void {
    if (name.startsWith(this.bounds.unbounded_prefix)) this.#unbounded_count -= 1;
  }

  clear(): void {
    this.#unbounded_count = 0;
  }
}
