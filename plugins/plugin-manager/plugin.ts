/**
 * Manages plugins, the built-in ones and the files of the plugins directory, on the command line
 * and in the console. core/plugin/plugin-directory.ts has the requirements for a file.
 */
import { createAddressPolicy, definePlugin, DnsLookup } from "../../core/sdk";
import { commandHandlers, commands } from "./commands";
import { managerHandlers, routes } from "./routes";
import { PluginManager } from "./service";

export default definePlugin({
  name: "plugin-manager",
  version: "1.0.0",
  needs: { lookup: DnsLookup },
  routes,
  commands,
  setup: (ctx) => {
    const { operations, services } = ctx;
    const manager = new PluginManager(ctx);
    const networks = operations.coreSetting("plugins.allow_networks") as readonly string[];
    return {
      routes: managerHandlers({
        ...ctx,
        manager,
        installs: () => operations.coreSetting("plugins.install_in_console") === true,
      }),
      commands: commandHandlers({
        ...ctx,
        manager,
        download: {
          ...services,
          allows: createAddressPolicy(networks, "plugins.allow_networks"),
        },
      }),
    };
  },
});
