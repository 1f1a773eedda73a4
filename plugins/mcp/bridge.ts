/**
 * `dossier mcp`: the protocol over standard input and output, for desktop programs that start their
 * MCP servers themselves. Each message is forwarded to a running server and its response written
 * back.
 */
import { readFileSync } from "node:fs";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../core/lib/error-message";
import { UsageError } from "../../core/sdk";
import { root } from "./context";

/** The command line, with the settings as defaults. */
export interface BridgeOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly key_file: string | undefined;
}

/** The server that messages go to, and the key. @throws UsageError */
export function targetOf({ url, key, key_file }: BridgeOptions): {
  readonly url: URL;
  readonly key: string;
} {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError("--url must be the address of a server, such as https://dossier.example");
  const token = (key_file === undefined ? key : keyIn(key_file))?.trim();
  if (!token)
    throw new UsageError(
      "an API key is needed: set DOSSIER_MCP_KEY, or specify a file that contains it with " +
        "--key-file or DOSSIER_MCP_KEY_FILE",
    );
  const path = url.replace(/\/+$/, "");
  return { url: new URL(path.endsWith(root) ? path : `${path}${root}`), key: token };
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`the file ${file} can't be read: ${(error as Error).message}`);
  }
}

/** Runs until standard input ends and every message is answered. */
export async function bridge(options: BridgeOptions): Promise<void> {
  const { url, key } = targetOf(options);
  const server = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new StdioServerTransport();
  const ended = Promise.withResolvers<void>();
  const open = new Set<unknown>();
  let input_ended = false;
  const answered = (id: unknown): void => {
    open.delete(id);
    if (input_ended && open.size === 0) ended.resolve();
  };
  const onAnswer = (message: JSONRPCMessage): void => {
    const version = protocolVersionOf(message);
    if (version !== undefined) server.setProtocolVersion(version);
    void client.send(message);
    if (!("method" in message)) answered(message.id);
  };
  const onMessage = (message: JSONRPCMessage): void => {
    const id = "id" in message && "method" in message ? message.id : undefined;
    if (id !== undefined) open.add(id);
    server.send(message).catch((error: unknown) => {
      if (id === undefined) return;
      const reason = messageOf(error);
      const message = `${url.origin} did not respond: ${reason}`.slice(0, 1_000);
      void client.send({ jsonrpc: "2.0", id, error: { code: -32_000, message } });
      answered(id);
    });
  };
  Object.assign(server, { onmessage: onAnswer });
  Object.assign(client, { onmessage: onMessage });
  process.stdin.once("end", () => {
    input_ended = true;
    if (open.size === 0) ended.resolve();
  });
  await server.start();
  await client.start();
  await ended.promise;
  await server.close();
  await client.close();
}

/** The negotiated protocol version, which every later message names. */
function protocolVersionOf(message: JSONRPCMessage): string | undefined {
  const version = "result" in message ? message.result.protocolVersion : undefined;
  return typeof version === "string" ? version : undefined;
}
