/** A queue in which subjects, such as users, take turns. */
export class TurnQueue<T> {
  /** No list is empty. Their order is that of their turns, except for the one served last. */
  private readonly by_subject = new Map<string, T[]>();
  private last_subject = "";
  /** Those that come before all others. */
  private readonly first: T[] = [];

  get is_empty(): boolean {
    return this.first.length === 0 && this.by_subject.size === 0;
  }

  /** Whether an entry comes before all others. */
  get has_first(): boolean {
    return this.first.length > 0;
  }

  /** Adds an entry after those of its subject, whose order stays. */
  push(subject: string, entry: T): void {
    const entries = this.by_subject.get(subject);
    if (entries) entries.push(entry);
    else this.by_subject.set(subject, [entry]);
  }

  /** Adds an entry before all others. */
  pushFirst(entry: T): void {
    this.first.unshift(entry);
  }

  /** Takes out the next entry. */
  shift(): T | undefined {
    if (this.first.length > 0) return this.first.shift();
    this.moveToEnd(this.last_subject);
    const [next] = this.by_subject;
    if (!next) return undefined;
    const [subject, entries] = next;
    this.last_subject = subject;
    if (entries.length === 1) this.by_subject.delete(subject);
    return entries.shift();
  }

  /** Only now, so that others that came during its turn are next. */
  private moveToEnd(subject: string): void {
    const entries = this.by_subject.get(subject);
    if (!entries) return;
    this.by_subject.delete(subject);
    this.by_subject.set(subject, entries);
  }
}
