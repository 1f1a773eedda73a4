/** Configuration: where a setting comes from, how it is written, and what is refused. */
import { describe, expect, test } from "bun:test";
import { Type, type TObject } from "@sinclair/typebox";
import { ConfigError, envName, readConfig, type ConfigSources } from "../../core/base/config";
import { nearestWord } from "../../core/base/nearest-word";
import { Duration, List, Secret, Size } from "../../core/base/settings";
import { unusedSettings } from "../../core/base/unused-settings";

const sections = new Map<string, TObject>([
  [
    "server",
    Type.Object({
      port: Type.Integer({ default: 4780, minimum: 0, maximum: 65535 }),
      secret_key: Type.Optional(Secret()),
    }),
  ],
  [
    "rate_limit",
    Type.Object({
      requests: Type.Integer({ default: 600, minimum: 1 }),
      window: Duration({ default: "60s" }),
    }),
  ],
  [
    "limits",
    Type.Object({
      upload: Size({ default: "512MiB" }),
      delays: List<number>("duration", {}),
      names: List(),
      on: Type.Boolean({ default: false }),
    }),
  ],
  [
    "models",
    Type.Object({
      api_key: Type.Optional(Secret()),
      mode: Type.Union([Type.Literal("a"), Type.Literal("b")], { default: "a" }),
    }),
  ],
]);
const sources = (of: Partial<ConfigSources>): ConfigSources => ({
  file: {},
  file_name: "dossier.toml",
  env: {},
  flags: {},
  readSecretFile: (path) => {
    if (path === "/run/key") return "from-file\n";
    throw new Error("ENOENT");
  },
  ...of,
});

describe("a value is read from", () => {
  const cases: [string, Partial<ConfigSources>, string, string, unknown][] = [
    ["the default when it isn't set", {}, "server", "port", 4780],
    ["the file", { file: { server: { port: 1 } } }, "server", "port", 1],
    [
      "the environment before the file",
      { file: { server: { port: 1 } }, env: { DOSSIER_PORT: "2" } },
      "server",
      "port",
      2,
    ],
    [
      "a flag before both",
      { file: { server: { port: 1 } }, env: { DOSSIER_PORT: "2" }, flags: { "server.port": "3" } },
      "server",
      "port",
      3,
    ],
    [
      "an environment name with its section",
      { env: { DOSSIER_RATE_LIMIT_REQUESTS: "7" } },
      "rate_limit",
      "requests",
      7,
    ],
    [
      "the default when the variable is empty",
      { env: { DOSSIER_RATE_LIMIT_REQUESTS: "" } },
      "rate_limit",
      "requests",
      600,
    ],
    [
      "a duration in seconds",
      { env: { DOSSIER_RATE_LIMIT_WINDOW: "30s" } },
      "rate_limit",
      "window",
      30_000,
    ],
    [
      "a duration in milliseconds",
      { env: { DOSSIER_RATE_LIMIT_WINDOW: "500ms" } },
      "rate_limit",
      "window",
      500,
    ],
    ["a size", { file: { limits: { upload: "64MiB" } } }, "limits", "upload", 67_108_864],
    [
      "a list of durations in the environment",
      { env: { DOSSIER_LIMITS_DELAYS: "5s, 5m" } },
      "limits",
      "delays",
      [5_000, 300_000],
    ],
    [
      "a list in the file",
      { file: { limits: { names: ["a", "b"] } } },
      "limits",
      "names",
      ["a", "b"],
    ],
    ["an empty list when it isn't set", {}, "limits", "names", []],
    ["true in the environment", { env: { DOSSIER_LIMITS_ON: "true" } }, "limits", "on", true],
    [
      "a secret's file, without the trailing line break",
      { env: { DOSSIER_MODELS_API_KEY_FILE: "/run/key" } },
      "models",
      "api_key",
      "from-file",
    ],
    ["a choice", { env: { DOSSIER_MODELS_MODE: "b" } }, "models", "mode", "b"],
  ];
  for (const [why, of, section, key, value] of cases)
    test(why, () => expect(readConfig(sections, sources(of)).values[section]![key]).toEqual(value));
});

describe("refused:", () => {
  const cases: [string, Partial<ConfigSources>, RegExp][] = [
    [
      "an unknown key, with the nearest name suggested",
      { file: { server: { prot: 1 } } },
      /server\.prot; the nearest is server\.port/,
    ],
    [
      "an unknown section, with the nearest name suggested",
      { file: { servr: { port: 1 } } },
      /\[servr\]; the nearest is \[server\]/,
    ],
    ["a setting outside any section", { file: { port: 1 } }, /port is outside of any section/],
    [
      "an unknown variable, with the nearest name suggested",
      { env: { DOSSIER_RATE_LIMIT_REQUEST: "1" } },
      /DOSSIER_RATE_LIMIT_REQUEST; the nearest is DOSSIER_RATE_LIMIT_REQUESTS/,
    ],
    [
      "a variable that doesn't have its section's name, written with it",
      { env: { DOSSIER_SERVER_PORT: "1" } },
      /DOSSIER_SERVER_PORT; the nearest is DOSSIER_PORT\./,
    ],
    [
      "an unknown key that resembles none, with no suggestion",
      { file: { server: { zzzzzz: 1 } } },
      /there is no setting server\.zzzzzz\.$/m,
    ],
    [
      "a port that isn't a number",
      { env: { DOSSIER_PORT: "http" } },
      /server\.port must be an integer.*"http" \(from DOSSIER_PORT\)/,
    ],
    [
      "a port that is too large",
      { flags: { "server.port": "70000" } },
      /an integer of at least 0 and at most 65535, not "70000"/,
    ],
    [
      "a duration with an unknown unit",
      { env: { DOSSIER_RATE_LIMIT_WINDOW: "5 weeks" } },
      /must be a duration/,
    ],
    ["a bare number as a duration", { file: { rate_limit: { window: 60 } } }, /must be a duration/],
    ["a malformed size", { file: { limits: { upload: "big" } } }, /must be a size/],
    ["an unknown choice", { env: { DOSSIER_MODELS_MODE: "c" } }, /"a" or "b"/],
    [
      "a secret's file that can't be read",
      { env: { DOSSIER_MODELS_API_KEY_FILE: "/none" } },
      /\/none named by DOSSIER_MODELS_API_KEY_FILE can't be read/,
    ],
    ["a list that holds numbers", { file: { limits: { names: [1] } } }, /list of strings/],
  ];
  for (const [why, of, says] of cases)
    test(why, () => {
      try {
        readConfig(sections, sources(of));
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect((error as Error).message).toMatch(says);
      }
    });
  test("all problems are reported at once", () => {
    try {
      readConfig(sections, sources({ env: { DOSSIER_PORT: "x", DOSSIER_MODELS_MODE: "y" } }));
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigError).problems).toHaveLength(2);
    }
  });
});

test("an unknown section is only a warning when a plugin failed to load", () => {
  const slip = sources({ file: { servr: { port: 1 } } });
  expect(readConfig(sections, slip, { lenient: true }).warnings).toHaveLength(1);
});
test("the section of a plugin that was removed is a warning", () => {
  const { warnings } = readConfig(sections, sources({ file: { news_letter: { a: 1 } } }));
  expect(warnings).toEqual([expect.stringContaining("there is no section [news_letter]")]);
});
describe("a setting of another provider", () => {
  const provided = new Map<string, TObject>([
    [
      "vectors",
      Type.Object({
        provider: Type.Union(
          [Type.Literal("remote"), Type.Literal("local"), Type.Literal("none")],
          {
            default: "local",
            default_with: { url: "remote" },
          },
        ),
        url: Type.Optional(Type.String({ providers: ["remote"] })),
        key: Type.Optional(Secret({ providers: ["remote"] })),
        model: Type.Optional(Type.String({ providers: ["remote", "local"] })),
        batch: Type.Integer({ default: 8, providers: ["remote"] }),
        timeout: Duration({ default: "1s" }),
      }),
    ],
  ]);
  const cases: [string, Partial<ConfigSources>, RegExp | null][] = [
    [
      "is reported with what chooses its provider",
      { env: { DOSSIER_VECTORS_KEY: "k" } },
      /^vectors\.key \(DOSSIER_VECTORS_KEY\) .* is local: .* remote, which vectors\.url chooses\.$/,
    ],
    [
      "is reported where the provider was chosen",
      { file: { vectors: { provider: "none", url: "u" } } },
      /^vectors\.url \(dossier\.toml\) has no effect .* is none: it belongs to remote\.$/,
    ],
    [
      "is reported with each provider that it belongs to",
      { file: { vectors: { provider: "none", model: "m" } } },
      /remote or local, which/,
    ],
    ["is used with its provider", { file: { vectors: { url: "u", key: "k" } } }, null],
    ["is used with one of its providers", { file: { vectors: { model: "m" } } }, null],
    ["may be stored", { stored: new Map([["vectors.key", "k"]]) }, null],
    ["may have a default", {}, null],
    ["is none without providers", { file: { vectors: { timeout: "2s" } } }, null],
  ];
  for (const [why, of, says] of cases)
    test(why, () =>
      expect(unusedSettings(readConfig(provided, sources(of)))).toEqual(
        says === null ? [] : [expect.stringMatching(says)],
      ),
    );
});
describe("an unknown variable", () => {
  const cases: [string, string, boolean][] = [
    ["in a known section is refused", "DOSSIER_RATE_LIMIT_BURST", true],
    ["similar to a known one is refused", "DOSSIER_PROT", true],
    [
      "in a section another version may have is only a warning",
      "DOSSIER_TELESCOPE_APERTURE",
      false,
    ],
  ];
  for (const [why, name, refused] of cases)
    test(why, () => {
      const read = () => readConfig(sections, sources({ env: { [name]: "1" } }));
      if (refused) expect(read).toThrow(name);
      else expect(read().warnings).toEqual([expect.stringContaining(name)]);
    });
});
test("a secret is marked so that it is never shown", () => {
  const { settings } = readConfig(sections, sources({ env: { DOSSIER_MODELS_API_KEY: "hush" } }));
  expect(settings.find((setting) => setting.key === "api_key")?.secret).toBe(true);
});
test("environment variable names and name suggestions", () => {
  expect([
    envName("server", "data"),
    envName("server", "public_url"),
    envName("rate_limit", "window"),
  ]).toEqual(["DOSSIER_DATA", "DOSSIER_SERVER_PUBLIC_URL", "DOSSIER_RATE_LIMIT_WINDOW"]);
  expect(nearestWord("prot", ["port", "host"])).toBe("port");
});
