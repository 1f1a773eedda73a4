/** Deployment: `dossier health` and the files of examples/deployment. */
import { expect, onTestFinished, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildIfStale, executable } from "../../scripts/build";
import { runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";
import { selfSigned } from "../helpers/self-signed";
import { until } from "../helpers/server";

const directory = join(import.meta.dir, "../../examples/deployment");
const read = (name: string): string => readFileSync(join(directory, name), "utf8");

test("dossier health works by port, address and socket, and fails without a server", async () => {
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
    ["its data directory, whatever the settings say", [], { DOSSIER_PORT: "9" }, 0, ok],
    ["an address, with a certificate that nobody signed", ["--url", server.url()], {}, 1, ""],
    ["an address of nobody", ["--url", "http://127.0.0.1:9"], {}, 1, ""],
    ["no address", ["--url", "nas"], {}, 1, ""],
  ];
  for (const [why, args, env, code, message] of rows) {
    const run = await runCommand(server.data, ["health", ...args], { env });
    expect([why, run.code, run.stdout]).toEqual([why, code, message as string]);
    if (code !== 0) expect(run.stderr).toStartWith("dossier: ");
  }
  const nobody = temporaryDirectory();
  expect((await runCommand(nobody, ["health"], { env: socket })).code).toBe(0);
  const closed: [string, string][] = [
    ["DOSSIER_PORT", "9"],
    ["DOSSIER_SERVER_SOCKET", join(at, "closed.sock")],
  ];
  for (const [name, place] of closed) {
    const { code, stderr } = await runCommand(nobody, ["health"], { env: { [name]: place } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("nothing listens there")]);
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
test.skipIf(!analyze)("systemd accepts the unit", () => {
  const unit = join(temporaryDirectory(), "dossier.service");
  writeFileSync(unit, read("dossier.service").replace("/usr/local/bin/dossier", executable));
  const { exitCode, stderr } = Bun.spawnSync([analyze!, "verify", unit]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
});

const ldd = Bun.which("ldd");
test.skipIf(!ldd)("the image has every library that the executable needs", () => {
  // The glibc libraries in distroless/base-nossl.
  const there = /^(linux-vdso|libc|libm|libdl|libpthread|librt|ld-linux[\w-]*)\.so/;
  const needed = Bun.spawnSync([ldd!, executable]).stdout.toString();
  const names = [...needed.matchAll(/^\s*(\S+)/gm)].map(([, path]) => path!.split("/").at(-1)!);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !there.test(name))).toEqual([]);
});

const programs = ["unshare", "nsenter"].map((name) => Bun.which(name));
const isolates = process.getuid?.() === 0 && ldd !== null && programs.every(Boolean);
if (!isolates)
  console.log(
    "The image is not tried without an image: that needs root, unshare, nsenter and ldd.",
  );
/** The user `nonroot` of distroless images. */
const nonroot = "65532";

test.skipIf(!isolates)(
  "with only its libraries, the server starts, reports healthy and stops",
  async () => {
    const image = await emptyRoot();
    const { env, start, health } = commandsOf(read("Dockerfile"));
    const port = await freePort();
    const environment = { ...env, DOSSIER_PORT: String(port) };
    const as_user = ["--setuid", nonroot, "--setgid", nonroot];
    const server = Bun.spawn(
      [
        ...["unshare", "--mount", "--pid", "--fork", "--kill-child", `--root=${image}`],
        ...["--mount-proc=/proc", ...as_user, "--", ...start],
      ],
      { env: environment, stdout: "pipe", stderr: "pipe" },
    );
    const children = (): string =>
      readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim();
    try {
      await until(() => children() !== "");
      const inside = children();
      const isHealthy = async () => {
        const enter = ["nsenter", "--target", inside, "--mount", "--pid", "--root", "--wd"];
        const run = Bun.spawn([...enter, ...as_user, "--", ...health], {
          env: environment,
          stdout: "pipe",
          stderr: "ignore",
        });
        return (await run.exited) === 0 && (await run.stdout.text()).startsWith("ok (Dossier");
      };
      await until(isHealthy);
      const status = readFileSync(`/proc/${inside}/status`, "utf8");
      expect(status).toMatch(new RegExp(`^Uid:\\s+${nonroot}\\s`, "m"));
      expect(statSync(join(image, "data/dossier.db")).uid).toBe(Number(nonroot));
      process.kill(Number(inside), "SIGTERM");
      expect(await server.exited).toBe(0);
    } finally {
      // A process that changed its user isn't killed together with its parent.
      const left = server.exitCode === null ? children().split(" ").filter(Boolean) : [];
      for (const child of left) process.kill(Number(child), "SIGKILL");
      await server.exited;
    }
  },
);

/** The executable with the libraries it needs, a data directory and /tmp, as in the image. */
async function emptyRoot(): Promise<string> {
  await buildIfStale();
  const image = mkdtempSync(join(tmpdir(), "dossier-image-"));
  chmodSync(image, 0o755);
  for (const path of ["usr/local/bin", "data", "tmp", "proc"])
    mkdirSync(join(image, path), { recursive: true });
  copyFileSync(executable, join(image, "usr/local/bin/dossier"));
  const needed = Bun.spawnSync([ldd!, executable]).stdout.toString();
  for (const [path] of needed.matchAll(/\/\S+/g)) {
    mkdirSync(join(image, dirname(path)), { recursive: true });
    copyFileSync(path, join(image, path));
    chmodSync(join(image, path), 0o755);
  }
  chownSync(join(image, "data"), Number(nonroot), Number(nonroot));
  chmodSync(join(image, "tmp"), 0o1777);
  onTestFinished(() => rmSync(image, { recursive: true, force: true }));
  return image;
}

/** The image's commands and environment. */
function commandsOf(dockerfile: string) {
  const list = (instruction: RegExp): string[] => JSON.parse(instruction.exec(dockerfile)![1]!);
  const env = /^ENV (.+)$/m
    .exec(dockerfile)![1]!
    .split(" ")
    .map((pair) => pair.split("="));
  return {
    env: Object.fromEntries(env) as Record<string, string>,
    start: [...list(/^ENTRYPOINT (\[.*\])$/m), ...list(/^CMD (\[.*\])$/m)],
    health: list(/^HEALTHCHECK .*CMD (\[.*\])$/m),
  };
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port!;
}

test("the image runs without root, has a health check and pins its base images", () => {
  const lines = read("Dockerfile").split("\n");
  const last = lines.findLastIndex((line) => line.startsWith("FROM "));
  const final = lines.slice(last);
  expect(final).toContain("USER nonroot");
  expect(final.find((line) => line.startsWith("HEALTHCHECK"))).toContain('"health"]');
  for (const line of lines.filter((line) => line.startsWith("FROM "))) {
    expect(line).toMatch(/^FROM \S+:\S+/);
    expect(line).not.toContain(":latest");
  }
  const copied = final.filter((line) => line.startsWith("COPY "));
  expect(copied.every((line) => line.includes("--chown=nonroot:nonroot"))).toBe(true);
});

test("the compose file builds that image with minimal privileges", () => {
  const { services, volumes: named } = Bun.YAML.parse(read("compose.yaml")) as {
    services: Record<string, Record<string, any>>;
    volumes: Record<string, unknown>;
  };
  const { build, ports, read_only, cap_drop, volumes } = services.dossier!;
  expect(existsSync(join(directory, build.context, build.dockerfile))).toBe(true);
  expect([ports, read_only, cap_drop, volumes]).toEqual([
    ["127.0.0.1:4780:4780"],
    true,
    ["ALL"],
    ["data:/data"],
  ]);
  // The volumes and settings it names exist.
  const { environment, tmpfs, image } = services.dossier!;
  for (const volume of volumes as string[]) expect(named).toHaveProperty(volume.split(":")[0]!);
  expect([tmpfs, image]).toEqual([["/tmp"], "dossier"]);
  const settings = read("../../docs/configuration.md");
  for (const name of Object.keys(environment)) expect(settings).toContain(`\`${name}\``);
  const { env } = commandsOf(read("Dockerfile"));
  expect(volumes[0].split(":")[1]).toBe(env.DOSSIER_DATA);
  expect(read("Dockerfile")).toContain(`EXPOSE ${ports[0].split(":").at(-1)}`);
});

const cluster = join(directory, "../cluster");
test("the compose file for several nodes names existing settings and services", () => {
  const { services, volumes: named } = Bun.YAML.parse(
    readFileSync(join(cluster, "compose.yaml"), "utf8"),
  ) as { services: Record<string, Record<string, any>>; volumes: Record<string, unknown> };
  const settings = read("../../docs/configuration.md");
  for (const [name, service] of Object.entries(services)) {
    const { "<<": shared = {}, ...variables } = service;
    const { build, volumes, depends_on, environment, read_only } = { ...shared, ...variables };
    for (const volume of volumes as string[])
      if (!volume.startsWith("./")) expect(named).toHaveProperty(volume.split(":")[0]!);
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on ?? {});
    for (const other of needed) expect(services).toHaveProperty(other);
    if (build === undefined) continue;
    expect([name, read_only]).toEqual([name, true]);
    expect(existsSync(join(cluster, build.context, build.dockerfile))).toBe(true);
    const { "<<": all = {}, ...more } = environment;
    for (const setting of Object.keys({ ...all, ...more }))
      expect(settings).toContain(`\`${setting}\``);
  }
});

const caddy = Bun.which("caddy");
if (!caddy) console.log("The Caddyfile of several nodes is not verified: there is no caddy.");
test.skipIf(!caddy)("Caddy accepts the Caddyfile for several nodes with its web nodes", () => {
  const file = join(cluster, "Caddyfile");
  const { exitCode } = Bun.spawnSync(
    [caddy!, "validate", "--adapter", "caddyfile", "--config", file],
    {
      env: { PATH: process.env.PATH ?? "", HOME: temporaryDirectory() },
      stderr: "ignore",
    },
  );
  expect(exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("reverse_proxy web1:4780 web2:4780 {");
});
