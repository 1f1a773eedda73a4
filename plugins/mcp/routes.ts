/** The only route of the protocol: takes a message and returns the response. */
import { route, t, type HandlersOf } from "../../core/sdk";
import { root, type McpContext } from "./context";

export const routes = {
  message: route.post(root, {
    summary: "A message of the Model Context Protocol",
    tag: "MCP",
    operation: "mcpMessage",
    surface: "mcp",
    // Anything more that a tool needs is checked by the routes it calls.
    scope: "read",
    body: t.Object(
      {
        jsonrpc: t.Literal("2.0"),
        params: t.Optional(t.Object({}, { additionalProperties: true })),
      },
      { additionalProperties: true },
    ),
    body_bytes_max: 4 * 2 ** 20,
    answers: {
      200: {
        description: "The answer, as JSON or, with progress, as server-sent events.",
        schema: t.Object({ jsonrpc: t.Literal("2.0") }, { additionalProperties: true }),
      },
    },
  }),
};

export const mcpHandlers = (ctx: McpContext): HandlersOf<typeof routes> => ({
  // The SDK is loaded with the first message.
  message: async (call) => (await import("./server")).answerMessage(ctx, call),
});
