/** How processes that serve the same database tell each other what has happened. */

/** One line of text, without line breaks, of at most `message_bytes_max` bytes. */
export type ChannelMessage = string;
export const message_bytes_max = 7_000;

export interface Channel {
  /**
   * Inside a transaction it is part of it: sent when that is kept, and never when it is undone.
   * Outside one it is sent at once, and lost when the database can't be reached.
   */
  send(message: ChannelMessage): void;
  /**
   * Hears what other processes send, in their order of commits, until `stop`. `onMissed`: something
   * may have been lost, because nobody was listening for a while; from now on all is heard again.
   */
  listen(onMessage: (message: ChannelMessage) => void, onMissed: () => void): Promise<void>;
  stop(): Promise<void>;
}
