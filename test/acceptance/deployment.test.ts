/** What a supervisor needs: `dossier health`, and the files of examples/deployment. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../../scripts/build";
import { runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";
import { selfSigned } from "../helpers/self-signed";

const directory = join(import.meta.dir, "../../examples/deployment");
const read = (name: string): string => readFileSync(join(directory, name), "utf8");

test("health: of the port, of another address, over a socket, and of nobody", async () => {
  const at = temporaryDirectory();
  const { cert, key } = await selfSigned("dossier");
  writeFileSync(join(at, "crt"), cert);
  writeFileSync(join(at, "key"), key);
  const tls = {
    DOSSIER_SERVER_TLS_CERT: join(at, "crt"),
    DOSSIER_SERVER_TLS_KEY: join(at, "key"),
  };
  const socket = { DOSSIER_SERVER_SOCKET: join(at, "dossier.sock") };
  await using server = await startExecutable({ env: { ...tls, ...socket } });
  const { port } = new URL(server.url());
  const ok = expect.stringMatching(/^ok \(Dossier \d/);
  const rows: [string, string[], Record<string, string>, number, unknown][] = [
    ["its port, whatever the certificate is for", ["--port", port], tls, 0, ok],
    ["where it listens on all addresses", ["--port", port, "--host", "0.0.0.0"], tls, 0, ok],
    ["its socket", [], socket, 0, ok],
    ["a socket of nobody", [], { DOSSIER_SERVER_SOCKET: join(at, "none") }, 1, ""],
    ["an address, with a certificate that nobody signed", ["--url", server.url()], {}, 1, ""],
    ["an address of nobody", ["--url", "http://127.0.0.1:9"], {}, 1, ""],
    ["no address", ["--url", "nas"], {}, 1, ""],
  ];
  for (const [why, args, env, code, said] of rows) {
    const run = await runCommand(server.data, ["health", ...args], { env });
    expect([why, run.code, run.stdout]).toEqual([why, code, said as string]);
    if (code !== 0) expect(run.stderr).toStartWith("dossier: ");
  }
  writeFileSync(join(at, "crt"), "broken");
  await server.untilTrue(async () => {
    const run = await runCommand(server.data, ["health", "--strict"], { env: socket });
    return run.code === 1 && run.stdout.startsWith("degraded") && run.stdout.includes("tls_cert");
  });
  expect((await runCommand(server.data, ["health"], { env: socket })).code).toBe(0);
});

const analyze = Bun.which("systemd-analyze");
if (!analyze) console.log("The unit is not verified: there is no systemd-analyze.");
test.skipIf(!analyze)("systemd finds nothing wrong with the unit", () => {
  const unit = join(temporaryDirectory(), "dossier.service");
  writeFileSync(unit, read("dossier.service").replace("/usr/local/bin/dossier", executable));
  const { exitCode, stderr } = Bun.spawnSync([analyze!, "verify", unit]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
});

const ldd = Bun.which("ldd");
test.skipIf(!ldd)("the image has every library that the executable needs", () => {
  // What distroless/base-nossl has of glibc.
  const there = /^(linux-vdso|libc|libm|libdl|libpthread|librt|ld-linux[\w-]*)\.so/;
  const needed = Bun.spawnSync([ldd!, executable]).stdout.toString();
  const names = [...needed.matchAll(/^\s*(\S+)/gm)].map(([, path]) => path!.split("/").at(-1)!);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !there.test(name))).toEqual([]);
});

test("the image runs without root, asks itself how it is, and pins what it is made from", () => {
  const lines = read("Dockerfile").split("\n");
  const last = lines.findLastIndex((line) => line.startsWith("FROM "));
  const final = lines.slice(last);
  expect(final).toContain("USER nonroot");
  expect(final.find((line) => line.startsWith("HEALTHCHECK"))).toContain('"health"]');
  for (const line of lines.filter((one) => one.startsWith("FROM "))) {
    expect(line).toMatch(/^FROM \S+:\S+/);
    expect(line).not.toContain(":latest");
  }
  const copied = final.filter((line) => line.startsWith("COPY "));
  expect(copied.every((line) => line.includes("--chown=nonroot:nonroot"))).toBe(true);
});

test("the compose file builds that image and gives it no more than it needs", () => {
  const { services } = Bun.YAML.parse(read("compose.yaml")) as {
    services: Record<string, Record<string, any>>;
  };
  const { build, ports, read_only, cap_drop, volumes } = services.dossier!;
  expect(existsSync(join(directory, build.context, build.dockerfile))).toBe(true);
  expect([ports, read_only, cap_drop, volumes]).toEqual([
    ["127.0.0.1:4780:4780"],
    true,
    ["ALL"],
    ["data:/data"],
  ]);
});
