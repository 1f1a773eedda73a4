/** The notifier of a server: a message published in one process reaches all of them. */
import { LocalNotifier, type Listener, type Notifier, type Topic } from "../base/notifier";
import { message_bytes_max } from "./channel";
import type { Store } from "./store";

/** Replaces a message that is too long: its receivers read the record. */
const too_long = JSON.stringify(null);

/**
 * The notifier of one process. Listeners are called after the commit that published the message.
 */
export class SharedNotifier implements Notifier {
  private readonly local = new LocalNotifier();

  constructor(private readonly store: Pick<Store, "afterCommit" | "channel">) {}

  /** Receives messages of other processes from now on. */
  async listen(): Promise<void> {
    await this.store.channel?.listen(
      (message) => this.receive(message),
      () => this.local.missed(),
    );
  }

  publish<M>(about: Topic<M>, key: string, message: M): void {
    const { afterCommit, channel } = this.store;
    if (channel !== null) {
      const line = JSON.stringify([about.id, key, message]);
      channel.send(Buffer.byteLength(line) > message_bytes_max ? too_long : line);
    }
    afterCommit(() => this.local.publish(about, key, message));
  }

  subscribe<M>(
    about: Topic<M>,
    keys: readonly string[] | "all",
    listener: Listener<M>,
  ): () => void {
    return this.local.subscribe(about, keys, listener);
  }

  onMissed(listener: () => void): () => void {
    return this.local.onMissed(listener);
  }

  private receive(message: string): void {
    const message_parts = JSON.parse(message) as [string, string, unknown] | null;
    if (message_parts === null) this.local.missed();
    else this.local.deliver(...message_parts, false);
  }
}
