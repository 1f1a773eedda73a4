/**
 * Messages between processes through LISTEN and NOTIFY: those sent inside a transaction are
 * notified by its group, in one statement before the commit. Notifications sent while there is no
 * connection are lost, so every new connection starts with `onMissed`.
 */
import type { SQL } from "bun";
import { newUuid } from "../../base/ids";
import { errorFields, type Log } from "../../base/log";
import type { Channel, ChannelMessage } from "../channel";
import { translateError } from "../storage-errors";
import type { TransactionScopes } from "../transaction-scopes";
import type { RunQuery } from "./postgres-dialect";

const channel_name = "dossier";
/** The limit of the database is 8,000. */
const payload_bytes_max = 7_900;
const payloads_each = 200;
/**
 * A connection may be dead without an error: each process sends itself a heartbeat, and subscribes
 * again when none has arrived for too long.
 */
const heartbeat_every_ms = 5_000;
const silent_ms_max = 15_000;
/** Ignored by others. */
const heartbeat = "";

/** The connections that the channel uses. */
export interface PostgresChannelOptions {
  /** The connection that listens. */
  readonly sql: SQL;
  readonly scopes: Pick<TransactionScopes, "messages">;
  /** Runs a statement outside any transaction. */
  readonly run: RunQuery;
  readonly log: Log;
}

type Subscription = Awaited<ReturnType<SQL["listen"]>>;

/** One channel per database: all messages go to all processes. */
export class PostgresChannel implements Channel {
  /** Identifies the sender, to ignore one's own messages. */
  private readonly self = newUuid();
  /** Published outside any transaction, and not sent yet. */
  private waiting: ChannelMessage[] = [];
  private subscription: Subscription | undefined;
  private timer: NodeJS.Timeout | undefined;
  private received_at_ms = 0;
  private stopped = false;

  constructor(private readonly options: PostgresChannelOptions) {}

  send(message: ChannelMessage): void {
    const in_transaction = this.options.scopes.messages;
    if (in_transaction !== null) {
      in_transaction.push(message);
      return;
    }
    this.waiting.push(message);
    if (this.waiting.length === 1) queueMicrotask(() => void this.sendWaiting());
  }

  /** Inside the transaction whose commit sends it. */
  async notify(run: RunQuery, messages: readonly ChannelMessage[]): Promise<void> {
    const payloads = payloadsOf(this.self, messages);
    for (let at = 0; at < payloads.length; at += payloads_each) {
      const batch = payloads.slice(at, at + payloads_each);
      const rows = batch.map(() => "(cast(? as text))").join(", ");
      await run(
        `select pg_notify('${channel_name}', payload) from (values ${rows}) as v (payload)`,
        batch,
      );
    }
  }

  async listen(onMessage: (message: ChannelMessage) => void, onMissed: () => void): Promise<void> {
    const subscribe = async (): Promise<void> => {
      this.received_at_ms = performance.now();
      this.subscription = await this.options.sql.listen(
        channel_name,
        (payload) => this.receive(payload, onMessage),
        () => {
          this.received_at_ms = performance.now();
          onMissed();
        },
      );
    };
    await subscribe().catch((error: unknown) => {
      throw translateError(error);
    });
    this.timer = setInterval(() => {
      void this.sendHeartbeat(subscribe);
    }, heartbeat_every_ms).unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.subscription?.unlisten().catch(() => undefined);
  }

  private receive(payload: string, onMessage: (message: ChannelMessage) => void): void {
    this.received_at_ms = performance.now();
    const [sender, ...messages] = payload.split("\n");
    if (sender === this.self || this.stopped) return;
    for (const message of messages) {
      if (message === heartbeat) continue;
      try {
        onMessage(message);
      } catch (error) {
        this.options.log.error(
          "a message from another process could not be understood",
          errorFields(error),
        );
      }
    }
  }

  private async sendWaiting(): Promise<void> {
    const messages = this.waiting;
    this.waiting = [];
    try {
      await this.notify(this.options.run, messages);
    } catch (error) {
      // Whoever waits for the message polls as well.
      this.options.log.warn("other processes could not be notified", errorFields(error));
    }
  }

  /** Subscribes again when earlier heartbeats did not arrive. */
  private async sendHeartbeat(subscribe: () => Promise<void>): Promise<void> {
    try {
      await this.notify(this.options.run, [heartbeat]);
      if (this.stopped || performance.now() - this.received_at_ms < silent_ms_max) return;
      this.options.log.warn("notifications from other processes stopped; subscribing again");
      await this.subscription?.unlisten().catch(() => undefined);
      await subscribe();
    } catch {
      // The database is gone; the driver reconnects as soon as it is back.
    }
  }
}

/** Several messages per payload, without duplicates, in order. */
function payloadsOf(sender: string, messages: readonly ChannelMessage[]): string[] {
  const payloads: string[] = [];
  let payload = sender;
  for (const message of new Set(messages)) {
    if (
      payload !== sender &&
      Buffer.byteLength(payload) + Buffer.byteLength(message) >= payload_bytes_max
    ) {
      payloads.push(payload);
      payload = sender;
    }
    payload += `\n${message}`;
  }
  return payload === sender ? payloads : [...payloads, payload];
}
