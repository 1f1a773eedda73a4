/** The dependencies of the parts of the protocol. */
import type { Call, Context } from "../../core/sdk";
import type { DirectAnswers } from "../chats/contract";
import type { Documents } from "../documents/contract";
import type { RunningCalls } from "./running-calls";

/** The path of the protocol. */
export const root = "/mcp";

/** What the protocol needs besides `Context`. */
export interface McpContext extends Pick<Context, "db"> {
  readonly direct: DirectAnswers;
  readonly documents: Documents;
  readonly running: RunningCalls;
  /** Limit for one response, in tokens. */
  readonly tokens_max: () => number;
}

/** One JSON-RPC message. */
export type MessageCall = Omit<Call, "body"> & {
  readonly body: {
    readonly jsonrpc: string;
    readonly id?: unknown;
    readonly method?: unknown;
    readonly params?: {
      readonly _meta?: { readonly progressToken?: unknown };
      readonly requestId?: unknown;
    };
  };
};
