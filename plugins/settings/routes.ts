/** The HTTP face of settings, for administrators: in the console, and by keys of theirs. */
import {
  isOverruled,
  Nullable,
  route,
  t,
  type Context,
  type HandlersOf,
  type SettingState,
} from "../../core/sdk";

const tag = "Settings";
const Value = t.Union([t.String(), t.Number(), t.Boolean(), t.Array(t.String())]);
const kinds = [
  "text",
  "integer",
  "number",
  "boolean",
  "choice",
  "duration",
  "size",
  "list",
  "secret",
] as const;

const SettingRecord = t.Object({
  setting: t.String({ description: "`section.key`." }),
  description: t.String(),
  kind: t.Union(
    kinds.map((kind) => t.Literal(kind)),
    { description: "A duration reads `30s` or `30d`, a size `64MiB`." },
  ),
  choices: Nullable(t.Array(t.String()), "What a choice may be."),
  minimum: Nullable(t.Number()),
  maximum: Nullable(t.Number()),
  value: Nullable(Value, "In force, as people write it; `[secret]` for a secret."),
  origin: t.String({
    description:
      "Where the value in force comes from: `default`, `stored`, `dossier.toml`, a variable of " +
      "the environment or an option of the command line.",
  }),
  default: Nullable(Value),
  stored: Nullable(Value, "What is stored, whether it wins or not."),
  overruled: t.Boolean({ description: "Something is stored, and `origin` wins over it." }),
  changes: t.Union([t.Literal("now"), t.Literal("at start"), t.Literal("outside")], {
    description:
      "When a change takes effect; `outside`: it can't be stored, only whoever starts the server " +
      "sets it.",
  }),
  restart_needed: t.Boolean({ description: "Another value takes effect at the next start." }),
  problem: Nullable(t.String(), "Why what is stored is not used."),
});
const example = {
  setting: "rate_limit.requests",
  description: "Requests allowed in one window.",
  kind: "integer",
  choices: null,
  minimum: 1,
  maximum: null,
  value: 1_200,
  origin: "stored",
  default: 600,
  stored: 1_200,
  overruled: false,
  changes: "now",
  restart_needed: false,
  problem: null,
};

export const routes = {
  settings: route.get("/settings", {
    summary: "List settings",
    description: "Every setting of the server, with what is stored of it. Secrets are hidden.",
    tag,
    operation: "listAllSettings",
    admin: true,
    answers: {
      200: { description: "Settings.", schema: t.Array(SettingRecord), example: [example] },
    },
  }),
  change: route.patch("/settings", {
    summary: "Change settings",
    description:
      "Each field is a setting, `section.key`; null takes away what is stored. All of them are " +
      "changed, or none. The command line, the environment and dossier.toml win over what is " +
      "stored: `overruled` says so.",
    tag,
    operation: "changeSettings",
    admin: true,
    body: t.Object({}, { additionalProperties: t.Union([...Value.anyOf, t.Null()]) }),
    example: { "rate_limit.requests": 1_200, "audit.keep": null },
    answers: {
      200: {
        description: "The settings that were named.",
        schema: t.Array(SettingRecord),
        example: [example],
      },
    },
  }),
};

export const settingHandlers = ({
  operations,
}: Pick<Context, "operations">): HandlersOf<typeof routes> => ({
  settings: () => operations.settingStates().map(settingRecord),
  change: async ({ body, about }) => {
    const changed = await operations.changeSettings(body);
    for (const { setting } of changed) about(setting);
    return changed.map(settingRecord);
  },
});

const settingRecord = (state: SettingState) => ({ ...state, overruled: isOverruled(state) });
