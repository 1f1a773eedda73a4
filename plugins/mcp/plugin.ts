/**
 * The Model Context Protocol, through which agents use Dossier: over HTTP at `/mcp`, and by
 * `dossier mcp` for programs that start their MCP servers themselves.
 */
import { definePlugin, fill, Protocols, Secret, t, type HttpError } from "../../core/sdk";
import { DirectAnswers } from "../chats/contract";
import { Documents } from "../documents/contract";
import { root } from "./context";
import { mcpHandlers, routes } from "./routes";
import { RunningCalls } from "./running-calls";

export default definePlugin({
  name: "mcp",
  version: "1.0.0",
  config: t.Object({
    enabled: t.Boolean({ default: true, description: "Whether agents can connect at /mcp." }),
    answer_tokens: t.Integer({
      default: 8_000,
      minimum: 1_000,
      maximum: 100_000,
      changes: "now",
      description:
        "The maximum length of a tool's answer, in tokens; the answer says when something was " +
        "left out.",
    }),
    url: t.String({
      default: "http://127.0.0.1:4780",
      changes: "outside",
      description:
        "The address of the server that `dossier mcp` connects to. The server itself does not " +
        "use it.",
    }),
    key: t.Optional(
      Secret({ changes: "outside", description: "The API key that `dossier mcp` uses." }),
    ),
  }),
  needs: { direct: DirectAnswers, documents: Documents },
  routes,
  tools: {
    mcp: {
      name: "mcp",
      summary:
        "Run an MCP server on standard input and output that forwards to a running Dossier " +
        "server.",
      options: [
        { flags: "--url <address>", description: "the address of the server (default: mcp.url)" },
        { flags: "--key-file <file>", description: "a file with an API key (default: mcp.key)" },
      ],
      run: async ({ options, config }) =>
        (await import("./bridge")).bridge({
          url: String(options.url ?? config.url),
          key: config.key as string | undefined,
          key_file: options.keyFile as string | undefined,
        }),
    },
  },
  setup: (ctx) => {
    const { config, services } = ctx;
    return {
      fills: config.enabled
        ? [fill(Protocols, { name: "mcp", root, problem: mcpProblem, own_origins: true })]
        : [],
      routes: mcpHandlers({
        ...ctx,
        ...services,
        running: new RunningCalls(ctx.notifier),
        tokens_max: () => config.answer_tokens,
      }),
    };
  },
});

const invalid_request = -32_600;
const server_error = -32_000;

/** An error about the message as a whole, in the form of the protocol. */
function mcpProblem({ status, code, detail }: HttpError, request_id: string): Response {
  return Response.json(
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: status === 400 ? invalid_request : server_error,
        message: detail,
        data: { code, request_id },
      },
    },
    { status },
  );
}
