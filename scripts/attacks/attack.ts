/** The process of the attack: prepares one case, and runs it when it is told to. */
import { getPriority, setPriority } from "node:os";
import { Attacker, type Order } from "./attacker";
import { cases } from "./cases";
import { answerOrders } from "./child";

/** What the attacker was answered. */
export interface Answers {
  /** Successes, refusals and connections that were cut off. */
  readonly answered: number;
  readonly refused: number;
  readonly cut_off: number;
  /** `12 × 200, 3 × 503`. */
  readonly statuses: string;
}

let attacker: Attacker;
let attack: () => Promise<unknown>;

// An attack from another machine would leave the cores of this one to the server.
setPriority(Math.min(19, getPriority() + 5));

answerOrders({
  prepare: async ({ order, name }: { readonly order: Order; readonly name: string }) => {
    attacker = new Attacker(order);
    attack = await cases.find((one) => one.name === name)!.prepare(attacker);
    attacker.statuses.clear();
  },
  run: async (seconds: number): Promise<Answers> => {
    setTimeout(() => attacker.end(), seconds * 1_000);
    await attack();
    return answersOf(attacker.statuses);
  },
});

function answersOf(statuses: ReadonlyMap<number, number>): Answers {
  const sum = (has: (status: number) => boolean) =>
    [...statuses].reduce((all, [status, count]) => all + (has(status) ? count : 0), 0);
  return {
    answered: sum((status) => status >= 200 && status < 300),
    refused: sum((status) => status >= 300),
    cut_off: sum((status) => status === 0),
    statuses: [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
  };
}
