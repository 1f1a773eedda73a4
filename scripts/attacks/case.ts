/** What a case of load is: one user who asks for as much as the API allows. */
import type { Attacker } from "./attacker";

/** One case, in the table of all. */
export interface Case {
  /** Chosen by a word of it on the command line. */
  readonly name: string;
  /** Why it could stop others. */
  readonly reason: string;
  /** Settings of the server beside those of every case. */
  readonly env?: Readonly<Record<string, string>>;
  /** No vectors are made from the seeds on, because those of so many texts take minutes. */
  readonly without_vectors?: boolean;
  /** The server's log goes to a device that is always full. */
  readonly full_log?: boolean;
  /** Takes minutes to prepare: it runs only when named. */
  readonly only_named?: boolean;
  /** Makes what is needed, and returns the attack. It ends by itself, or once `ended` is true. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
