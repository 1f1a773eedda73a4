/** Official clients of other protocols, configured for a test server. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import OpenAI from "openai";
import type { ApiServer } from "./server";

type Reached = ApiServer & {
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly url?: () => string;
};

/** The address of the server, and the transport: by network, or in this process. */
export function reach(server: Reached): { origin: string; fetch: typeof fetch } {
  if (!server.fetch) return { origin: server.url!(), fetch };
  const ask = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    return server.fetch!(input instanceof Request ? input : new Request(String(input), init));
  };
  return { origin: "http://dossier.test", fetch: ask as typeof fetch };
}

/** With the key of a person, or the given key. */
export async function openAi(
  server: Reached,
  who: string,
  { key, base = "" }: { readonly key?: string; readonly base?: string } = {},
): Promise<OpenAI> {
  const { origin, fetch } = reach(server);
  return new OpenAI({
    apiKey: key ?? (await server.key(who)),
    baseURL: `${origin}${base}/v1`,
    fetch,
    maxRetries: 0,
  });
}

/** With the key of a person, or the given key. */
export async function mcp(
  server: Reached,
  who: string,
  { key, origin: page }: { readonly key?: string; readonly origin?: string } = {},
): Promise<Client> {
  const { origin, fetch } = reach(server);
  const headers = {
    authorization: `Bearer ${key ?? (await server.key(who))}`,
    ...(page !== undefined && { origin: page }),
  };
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    fetch,
    requestInit: { headers },
  });
  await client.connect(transport as never);
  return client;
}
