/** The official MCP client, configured by a file and started like a desktop program. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { cleanEnvironment } from "../../scripts/lib/launch";

interface Configuration {
  readonly mcpServers: Readonly<
    Record<string, { readonly command: string; readonly args: string[]; readonly env: object }>
  >;
}

/** Starts each server of the configuration and calls the tool. @throws Error when that fails. */
export async function callAsAgent(configuration: string, tool: string, PATH: string) {
  for (const server of Object.values((JSON.parse(configuration) as Configuration).mcpServers)) {
    const client = new Client({ name: "desktop", version: "1" });
    const { command, args } = server;
    const env = cleanEnvironment({ PATH, ...server.env });
    await client.connect(new StdioClientTransport({ command, args, env }) as never);
    try {
      const answer = await client.callTool({ name: tool, arguments: {} });
      if (answer.isError === true) throw new Error(JSON.stringify(answer.content));
    } finally {
      await client.close();
    }
  }
}
