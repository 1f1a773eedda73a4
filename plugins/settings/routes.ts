/** The HTTP routes of settings, for administrators: in the console, and with their API keys. */
import {
  OneOf,
  isOverruled,
  Nullable,
  route,
  t,
  type Context,
  type HandlersOf,
  type SettingState,
  named,
  narrowed,
} from "../../core/sdk";

import type { Trials } from "./trials";

const tag = "Settings";
const Value = named(
  "SettingValue",
  t.Union([t.String(), t.Number(), t.Boolean(), t.Array(t.String())]),
);
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

const SettingRecord = named(
  "Setting",
  t.Object({
    setting: t.String({ description: "`section.key`." }),
    description: t.String(),
    kind: OneOf(kinds, { description: "A duration reads `30s` or `30d`, a size `64MiB`." }),
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
    changes: OneOf(["now", "at start", "outside"], {
      description:
        "When a change takes effect; `outside`: it can't be stored, only whoever starts the " +
        "server sets it.",
    }),
    providers: Nullable(
      t.Array(t.String()),
      "Values of `provider` in the same section with which it is of use; null: with any.",
    ),
    restart_needed: t.Boolean({ description: "Another value takes effect at the next start." }),
    problem: Nullable(t.String(), "Why what is stored is not used."),
  }),
);
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
  providers: null,
  restart_needed: false,
  problem: null,
};

/** In the API document it lists every setting; see `newSettings`. */
const Changes = named("NewSettings", t.Object({}, { additionalProperties: Nullable(Value) }));

const Trial = named(
  "SettingsTrial",
  t.Object({
    section: t.String(),
    status: named("CheckStatus", OneOf(["ok", "warn", "fail"])),
    detail: t.String({ description: "What came of it, in sentences." }),
    fix: Nullable(t.String(), "What to do about it."),
    setting: Nullable(t.String(), "The setting to look at."),
    duration_ms: t.Integer(),
  }),
);

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
    body: narrowed(Changes, { minProperties: 1 }),
    example: { "rate_limit.requests": 1_200, "audit.keep": null },
    answers: {
      200: {
        description: "The settings that were named.",
        schema: t.Array(SettingRecord),
        example: [example],
      },
    },
  }),
  sections: route.get("/settings/sections", {
    summary: "List sections of settings that can be tried",
    description: "Those that name a service, such as a language model.",
    tag,
    operation: "listTriedSections",
    admin: true,
    answers: {
      200: {
        description: "Sections.",
        schema: t.Array(
          named(
            "TriedSection",
            t.Object({
              section: t.String(),
              title: t.String(),
              group: t.Optional(
                t.Literal("sign_in", {
                  description: "Where the console shows it, not as a model.",
                }),
              ),
            }),
          ),
        ),
        example: [{ section: "answers", title: "Language model" }],
      },
    },
  }),
  trial: route.post("/settings/:section/test", {
    summary: "Try settings before they are stored",
    description:
      "Uses the service that the section names, such as a language model, and says what is " +
      "wrong. The fields are those of `PATCH /settings`; those of other sections are not " +
      "tried, and what is not given is as it is in force. Nothing is stored. A key that is " +
      "set already is sent to no " +
      "other server than the one that it is used at.",
    tag,
    operation: "trySettings",
    admin: true,
    body: Changes,
    body_optional: true,
    example: { "answers.base_url": "http://127.0.0.1:11434/v1", "answers.model": "qwen3:8b" },
    answers: {
      200: {
        description: "What came of it.",
        schema: Trial,
        example: {
          section: "answers",
          status: "fail",
          detail: "Nothing listens at 127.0.0.1:11434.",
          fix: "Start the server there, or correct answers.base_url.",
          setting: "answers.base_url",
          duration_ms: 3,
        },
      },
    },
    errors: { 503: "Too many are tried at the moment." },
  }),
};

export const settingHandlers = ({
  operations,
  trials,
}: Pick<Context, "operations"> & { readonly trials: Trials }): HandlersOf<typeof routes> => ({
  settings: () => operations.settingStates().map(settingRecord),
  change: async ({ body, about }) => {
    const changed = await operations.changeSettings(body);
    for (const { setting } of changed) about(setting);
    return changed.map(settingRecord);
  },
  sections: () =>
    trials.list().map(({ section, title, group }) => ({ section, title, ...(group && { group }) })),
  trial: async ({ params: { section }, body, about, request, stopping }) => {
    about(section);
    const began_ms = performance.now();
    const ends = AbortSignal.any([request.signal, stopping]);
    const { status, detail, fix, setting } = await trials.run(section, body ?? {}, ends);
    const duration_ms = Math.round(performance.now() - began_ms);
    return { section, status, detail, fix, setting, duration_ms };
  },
});

const settingRecord = (state: SettingState) => ({ ...state, overruled: isOverruled(state) });
