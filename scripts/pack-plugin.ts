/**
 * `npm run pack-plugin -- path/plugin.ts [out.js]`: bundles a plugin of several files, and the
 * packages it uses, into the one file that Dossier loads.
 */
import { basename, dirname, resolve } from "node:path";

/** What the host gives to plugins when they run; it must not be copied into them. */
const given_by_host = ["dossier", "dossier/contracts"];

/** Bundles `entry` into `outfile`. @throws Error in words when it can't be bundled. */
export async function packPlugin(entry: string, outfile: string): Promise<void> {
  const packed = await Bun.build({
    entrypoints: [resolve(entry)],
    target: "bun",
    format: "esm",
    external: given_by_host,
    throw: false,
  });
  if (!packed.success) throw new Error(packed.logs.map(String).join("\n"));
  const [bundle, ...rest] = packed.outputs;
  if (!bundle || rest.length > 0) {
    const names = rest.map(({ path }) => basename(path)).join(", ");
    throw new Error(`${entry} does not fit into one file: ${names} would lie beside it.`);
  }
  await Bun.write(outfile, bundle);
}

if (import.meta.main) {
  const [entry, given] = process.argv.slice(2);
  if (entry === undefined) {
    console.error("usage: npm run pack-plugin -- path/plugin.ts [out.js]");
    process.exit(2);
  }
  const outfile = resolve(given ?? `${basename(dirname(resolve(entry)))}.js`);
  try {
    await packPlugin(entry, outfile);
    console.log(`${outfile}: copy it into the plugins directory and restart Dossier.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
