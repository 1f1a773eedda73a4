/** How processes on the same database send each other messages. */

/** One line of text, without line breaks, of at most `message_bytes_max` bytes. */
export type ChannelMessage = string;
/** In UTF-8. PostgreSQL allows 8,000 bytes, which have to contain the name of the sender, too. */
export const message_bytes_max = 7_000;

/** A connection to the other processes on the database. */
export interface Channel {
  /**
   * Inside a transaction the message is part of it: sent at the commit, never after a rollback.
   * Outside one it is sent at once, and lost when the database can't be reached.
   */
  send(message: ChannelMessage): void;
  /**
   * Receives messages of other processes, in the order of their commits, until `stop`. `onMissed`:
   * messages may have been lost while the connection was broken; from now on all are received
   * again.
   */
  listen(onMessage: (message: ChannelMessage) => void, onMissed: () => void): Promise<void>;
  stop(): Promise<void>;
}
