/**
 * Faulty plugin files, each with the expected message. None of them affects the others in the same
 * directory.
 */

const define = (name: string, more: string, head = "") =>
  `import { definePlugin, event, every, fill, fillWith, handle, job, reply, route, slot, t } from "dossier";
${head}
export default definePlugin({ name: "${name}", version: "1.0.0", ${more} });
`;
const contract = (names: string) => `import { ${names} } from "dossier/contracts";`;
const host = (names: string) => `import { ${names} } from "dossier";`;
const words = (operation: string, answers = `{ 200: { description: "x" } }`) =>
  `summary: "x", tag: "X", operation: "${operation}", answers: ${answers}`;
const setUp = (parts: string) => `setup: (ctx) => (${parts}) as any`;
const tidyJob = (id: string) => `const Tidy = job("${id}", t.Object({ day: t.String() }));`;
const limits = `{ attempts_max: 1, timeout_ms: 1_000 }`;

export interface Mistake {
  /** Continues the sentence "a plugin with …". */
  readonly why: string;
  readonly name: string;
  readonly text: string;
  readonly says: RegExp;
}
const mistake = (why: string, name: string, text: string, says: RegExp): Mistake => ({
  why,
  name,
  text,
  says,
});

/** The plugin is left out. */
export const left_out: readonly Mistake[] = [
  mistake(
    "an unknown property in its set-up's result",
    "bad-part",
    define("bad-part", setUp(`{ fill: [] }`)),
    /its setup returned the unknown field fill; the nearest is fills \(known fields: services, routes, commands, fills, jobs, schedules, start, stop, health\)/,
  ),
  mistake(
    "a handler without a route",
    "bad-handler",
    define(
      "bad-handler",
      `routes: { look: route.get("/bad-handler", { ${words("lookBadly")} }) }, ` +
        setUp(`{ routes: { look: () => "x", loook: () => "y" } }`),
    ),
    /its setup returned routes\.loook, which is not in its manifest; the nearest is look/,
  ),
  mistake(
    "a cron expression that can't be read",
    "bad-cron",
    define(
      "bad-cron",
      setUp(
        `{ jobs: [handle(Tidy, async () => {}, ${limits})], schedules: [every("every day", Tidy, { day: "today" })] }`,
      ),
      tidyJob("bad-cron.tidy"),
    ),
    /its schedule "every day" of the job bad-cron\.tidy can't be read/,
  ),
  mistake(
    "a schedule with an invalid payload",
    "bad-payload",
    define(
      "bad-payload",
      setUp(
        `{ jobs: [handle(Tidy, async () => {}, ${limits})], schedules: [every("0 3 * * *", Tidy, { day: 3 })] }`,
      ),
      tidyJob("bad-payload.tidy"),
    ),
    /payload of its schedule of the job bad-payload\.tidy does not fit: \/day/,
  ),
  mistake(
    "schedules that throw",
    "throwing-schedules",
    define("throwing-schedules", setUp(`{ schedules: () => { throw new Error("no calendar"); } }`)),
    /no calendar/,
  ),
  mistake(
    "a second authenticator",
    "second-authenticator",
    define(
      "second-authenticator",
      setUp(`{ fills: [fill(Authenticator, { authenticate: async () => null })] }`),
      host("Authenticator"),
    ),
    /fills http\.authenticator, which takes one value and is filled by the plugin accounts.*replaces: \["accounts"\]/,
  ),
  mistake(
    "a second rate limiter",
    "second-limiter",
    define(
      "second-limiter",
      setUp(`{ fills: [fill(RateLimiter, { take: async () => ({ allowed: true }) })] }`),
      host("RateLimiter"),
    ),
    /is filled by the plugin rate-limit/,
  ),
  mistake(
    "a slot filled with undefined",
    "undefined-fill",
    define(
      "undefined-fill",
      setUp(`{ fills: [fill(RequestObserver, undefined as any)] }`),
      host("RequestObserver"),
    ),
    /fills http\.request_observer with undefined/,
  ),
  mistake(
    "a slot that is undefined",
    "undefined-slot",
    define(
      "undefined-slot",
      setUp(`{ fills: [fill((dossier as any).RequestObservers, () => {})] }`),
      `import * as dossier from "dossier";`,
    ),
    /one of its fills has no slot/,
  ),
  mistake(
    "an unknown slot",
    "unknown-slot",
    define("unknown-slot", setUp(`{ fills: [fill(slot("extraction.extractor"), { name: "x" })] }`)),
    /fills the slot extraction\.extractor, which no plugin reads; the nearest is extraction\.extractors/,
  ),
  mistake(
    "an extractor without recognises",
    "no-recognises",
    define(
      "no-recognises",
      setUp(
        `{ fills: [fill(Extractors, { name: "x", rank: 1, extract: async () => ({}) } as any)] }`,
      ),
      contract("Extractors"),
    ),
    /its value for extraction\.extractors is invalid: it has no function `recognises`/,
  ),
  mistake(
    "a rank that is a string",
    "text-rank",
    define(
      "text-rank",
      setUp(
        `{ fills: [fill(Answerers, { name: "x", rank: "9", answer: async () => ({}) } as any)] }`,
      ),
      contract("Answerers"),
    ),
    /its `rank` must be a number, not a string/,
  ),
  mistake(
    "an observer that is not a function",
    "no-observer",
    define(
      "no-observer",
      setUp(`{ fills: [fill(RequestObserver, { observe() {} } as any)] }`),
      host("RequestObserver"),
    ),
    /must be a function, not an object/,
  ),
  mistake(
    "a job that another plugin handles",
    "taken-job",
    define(
      "taken-job",
      setUp(`{ jobs: [handle(job("chats.answer", t.Object({})), async () => {}, ${limits})] }`),
    ),
    /handles the job chats\.answer, as the plugin chats already does/,
  ),
  mistake(
    "a job that is handled twice",
    "twice-job",
    define(
      "twice-job",
      setUp(
        `{ jobs: [handle(Tidy, async () => {}, ${limits}), handle(Tidy, async () => {}, ${limits})] }`,
      ),
      tidyJob("twice-job.tidy"),
    ),
    /handles the job twice-job\.tidy twice/,
  ),
  mistake(
    "a job without limits",
    "no-limits",
    define(
      "no-limits",
      setUp(`{ jobs: [handle(Tidy, async () => {}, {} as any)] }`),
      tidyJob("no-limits.tidy"),
    ),
    /needs limits\.attempts_max, a number of 1 or more.*needs limits\.timeout_ms/,
  ),
  mistake(
    "an event that is undefined",
    "no-event",
    define("no-event", setUp(`{ jobs: [handle(undefined as any, async () => {}, ${limits})] }`)),
    /one of its jobs has no job or event/,
  ),
  mistake(
    "a path without a slash",
    "no-slash",
    define(
      "no-slash",
      `routes: { a: route.get("notes", { ${words("noSlash")} }) }, ${setUp(`{ routes: { a: () => "x" } }`)}`,
    ),
    /path of its route GET notes must begin with "\/"/,
  ),
  mistake(
    "an operation id that another route has",
    "same-operation",
    define(
      "same-operation",
      `routes: { a: route.get("/same-operation", { ${words("listFolders")} }) }, ${setUp(`{ routes: { a: () => "x" } }`)}`,
    ),
    /operation id listFolders belongs to the plugin folders/,
  ),
  mistake(
    "an operation id twice",
    "operation-twice",
    define(
      "operation-twice",
      `routes: { a: route.get("/twice-a", { ${words("twice")} }), b: route.get("/twice-b", { ${words("twice")} }) }, ` +
        setUp(`{ routes: { a: () => "x", b: () => "x" } }`),
    ),
    /it declares the operation id twice twice/,
  ),
  mistake(
    "a route of the server itself",
    "takes-health",
    define(
      "takes-health",
      `routes: { a: route.get("/health", { ${words("myHealth")}, root: true }) }, ${setUp(`{ routes: { a: () => "fine" } }`)}`,
    ),
    /route GET \/health belongs to Dossier itself/,
  ),
  mistake(
    "a handler that is not a function",
    "no-handler",
    define(
      "no-handler",
      `routes: { a: route.get("/no-handler", { ${words("noHandler")} }) }, ${setUp(`{ routes: { a: "x" } }`)}`,
    ),
    /its routes\.a must be a function/,
  ),
  mistake(
    "an undocumented response",
    "no-description",
    define(
      "no-description",
      `routes: { a: route.get("/no-description", { ${words("noDescription", "{ 200: {} as any }")} }) }, ` +
        setUp(`{ routes: { a: () => "x" } }`),
    ),
    /the answer 200 of its route GET \/no-description needs a status such as 200, and a description/,
  ),
  mistake(
    "a surface at the console's path",
    "over-console",
    define(
      "over-console",
      setUp(
        `{ fills: [fill(Surface, { name: "mine", root: "/console", prefix: "/console/mine", headers: {}, ` +
          `document: { path: "/console/mine.json" }, authenticate: async () => ({ caller: null }), ` +
          `unauthorized: () => new Error() } as any)] }`,
      ),
      host("Surface"),
    ),
    /fills http\.surface with the paths below \/console, as the plugin console already does/,
  ),
  mistake(
    "a path that begins like the public address",
    "takes-base",
    define(
      "takes-base",
      `routes: { a: route.get("/papers/all", { ${words("takesBase")}, root: true }) }, ` +
        setUp(`{ routes: { a: () => "x" } }`),
    ),
    /its path \/papers\/all begins with \/papers, as server\.public_url does/,
  ),
  mistake(
    "a console page at the path of a built-in one",
    "page-over",
    define(
      "page-over",
      setUp(
        `{ fills: [fill(ConsolePages, { path: "documents", title: "Mine", group: "work", module: "export default {}" })] }`,
      ),
      contract("ConsolePages"),
    ),
    /the console has a page \/console\/documents of its own/,
  ),
  mistake(
    "a field of /health that already exists",
    "takes-status",
    define(
      "takes-status",
      setUp(`{ fills: [fill(HealthFields, { name: "status", read: async () => "fine" })] }`),
      host("HealthFields"),
    ),
    /\/health has a field status of its own/,
  ),
  mistake(
    "an import source whose type another has",
    "takes-source",
    define(
      "takes-source",
      setUp(
        `{ fills: [fill(ImportSources, { type: "urls", description: "x", schema: t.Object({}), async *items() {} })] }`,
      ),
      contract("ImportSources"),
    ),
    /fills imports\.sources with the source urls, as the plugin imports already does/,
  ),
  mistake(
    "a migration that fails",
    "bad-step",
    define(
      "bad-step",
      `tables: ["bad_step"], migrations: [{ id: "0001", up: async () => { throw new Error("no such column"); } }], ${setUp("{}")}`,
    ),
    /its migration failed: .*no such column/,
  ),
  mistake(
    "a migration without its function",
    "no-step",
    define("no-step", `migrations: [{ id: "0001", steps: [] } as any], ${setUp("{}")}`),
    /migration 0001 has no function `up`/,
  ),
  mistake(
    "a missing service",
    "no-service",
    define(
      "no-service",
      `needs: { x: (dossier as any).Folderz }, ${setUp("{}")}`,
      `import * as dossier from "dossier/contracts";`,
    ),
    /its needs\.x is not made by `service`/,
  ),
  mistake(
    "a missing import",
    "no-export",
    define("no-export", setUp("{}"), `import { Folderz } from "dossier/contracts"; Folderz;`),
    /Folderz/,
  ),
  mistake(
    "a name in capitals",
    "Capital",
    define("Capital", setUp("{}")),
    /its name "Capital" must consist of lower-case/,
  ),
  mistake(
    "settings that are not an object",
    "no-object",
    define("no-object", `config: t.String() as any, ${setUp("{}")}`),
    /its config must be made by t\.Object/,
  ),
  mistake(
    "another plugin's settings",
    "takes-section",
    define(
      "takes-section",
      `section: "server", config: t.Object({ port: t.String() }), ${setUp("{}")}`,
    ),
    /settings section server belongs to Dossier itself/,
  ),
  mistake(
    "an invalid setting in dossier.toml",
    "wrong-setting",
    define("wrong-setting", `config: t.Object({ rooms: t.Integer() }), ${setUp("{}")}`),
    /wrong_setting\.rooms must be an integer, not "many"/,
  ),
  mistake(
    "an unknown setting in dossier.toml",
    "stray-setting",
    define("stray-setting", `config: t.Object({ colour: t.Optional(t.String()) }), ${setUp("{}")}`),
    /no setting stray_setting\.color; the nearest is stray_setting\.colour/,
  ),
  mistake(
    "a command of the server itself",
    "takes-command",
    define(
      "takes-command",
      `commands: { c: { name: "serve", summary: "x" } }, ${setUp(`{ commands: { c: async () => {} } }`)}`,
    ),
    /command serve belongs to Dossier itself/,
  ),
  mistake(
    "a requirement for a newer Dossier",
    "from-the-future",
    define(
      "from-the-future",
      `since: "99.1", ${setUp("{}")}`,
      `import { notThereYet } from "dossier"; notThereYet;`,
    ),
    /needs Dossier 99\.1 or newer/,
  ),
  mistake(
    "a replacement of an unknown plugin",
    "replaces-nobody",
    define("replaces-nobody", `replaces: ["rate-limits"], ${setUp("{}")}`),
    /replaces rate-limits, which is not a plugin; the nearest is rate-limit/,
  ),
  mistake(
    "a replacement that lacks what others need",
    "replaces-quotas",
    define("replaces-quotas", `replaces: ["quotas"], ${setUp("{}")}`),
    /replaces quotas and does not provide the service quotas, which .* need/,
  ),
  mistake(
    "a replacement that can't be set up",
    "replaces-badly",
    define(
      "replaces-badly",
      `replaces: ["rate-limit"], setup: () => { throw new Error("no luck"); }`,
    ),
    /no luck/,
  ),
  mistake(
    "a delayed exit of the process during its import",
    "exits-later",
    `setTimeout(() => process.exit(3), 1);\nawait new Promise((done) => setTimeout(done, 100));\n` +
      `export default {};`,
    /ended the process/,
  ),
  mistake(
    "a set-up that returns a string",
    "returns-text",
    define("returns-text", `setup: () => "done" as any`),
    /setup returned nothing/,
  ),
];

const sized = `{ 200: { description: "x", schema: t.String({ format: "shoe-size" }) } }`;
const counted =
  `{ 200: { description: "x", schema: t.Object({ count: t.Integer(), ` +
  `at: t.String({ format: "date-time" }) }) } }`;

/** Correct plugins that look suspicious: each responds at its path. */
export const fine: readonly { why: string; name: string; text: string; path: string }[] = [
  {
    why: "another name for a parameter of a built-in path",
    name: "other-parameter",
    text: define(
      "other-parameter",
      `routes: { a: route.get("/folders/:id/count", { ${words("countFolder")} }) }, ` +
        setUp(`{ routes: { a: ({ params }) => params.id } }`),
    ),
    path: "/folders/fld_1/count",
  },
  {
    why: "an unknown format for strings",
    name: "odd-format",
    text: define(
      "odd-format",
      `routes: { a: route.get("/odd-format", { ${words("oddFormat", sized)} }) }, ` +
        setUp(`{ routes: { a: () => "42" } }`),
    ),
    path: "/odd-format",
  },
];

/** The plugin runs, and fails at `ask`: the log and /health name it. */
export interface RuntimeMistake extends Mistake {
  /** A path that triggers the fault, and the status of the response. */
  readonly ask: readonly [path: string, status: number];
}

export const failing: readonly RuntimeMistake[] = [
  {
    ...mistake(
      "an observer of requests that throws",
      "throwing-observer",
      define(
        "throwing-observer",
        setUp(
          `{ fills: [fill(RequestObserver, () => { throw new TypeError("nothing to observe"); })] }`,
        ),
        host("RequestObserver"),
      ),
      /its http\.request_observer failed.*TypeError: nothing to observe/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "an observer that rejects",
      "rejecting-observer",
      define(
        "rejecting-observer",
        setUp(`{ fills: [fill(RequestObserver, async () => { throw new Error("much later"); })] }`),
        host("RequestObserver"),
      ),
      /its http\.request_observer failed.*much later/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "a response that doesn't match its schema",
      "unlike-schema",
      define(
        "unlike-schema",
        `routes: { a: route.get("/unlike-schema", { ${words("unlikeSchema", counted)} }) }, ` +
          setUp(`{ routes: { a: () => ({ count: "three", at: new Date(0) }) } }`),
      ),
      /GET \/unlike-schema failed.*its answer 200 is unlike its schema: \/count/,
    ),
    ask: ["/unlike-schema", 500],
  },
  {
    ...mistake(
      "no response at all",
      "no-answer",
      define(
        "no-answer",
        `routes: { a: route.get("/no-answer", { ${words("noAnswer")} }) }, ${setUp(`{ routes: { a: () => {} } }`)}`,
      ),
      /GET \/no-answer failed.*its handler answered nothing/,
    ),
    ask: ["/no-answer", 500],
  },
  {
    ...mistake(
      "a handler that throws",
      "throwing-handler",
      define(
        "throwing-handler",
        `routes: { a: route.get("/throwing-handler", { ${words("throwingHandler")} }) }, ${setUp(`{ routes: { a: async () => (undefined as any).length } }`)}`,
      ),
      /GET \/throwing-handler failed.*TypeError/,
    ),
    ask: ["/throwing-handler", 500],
  },
  {
    ...mistake(
      "a timer that throws",
      "throwing-timer",
      define(
        "throwing-timer",
        `routes: { a: route.get("/throwing-timer", { ${words("throwingTimer")} }) }, ${setUp(`{ routes: { a: () => void setTimeout(throwLate, 1) ?? "x" } }`)}`,
        `const throwLate = () => { throw new Error("late throw"); };`,
      ),
      /late throw/,
    ),
    ask: ["/throwing-timer", 200],
  },
  {
    ...mistake(
      "a field of /health that never resolves",
      "slow-field",
      define(
        "slow-field",
        setUp(
          `{ fills: [fill(HealthFields, { name: "slow", read: () => new Promise(() => {}) })] }`,
        ),
        host("HealthFields"),
      ),
      /its field slow of \/health failed.*longer than 2 s/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "a check of /ready that throws",
      "throwing-check",
      define(
        "throwing-check",
        setUp(
          `{ fills: [fill(ReadinessChecks, { name: "mood", failing: () => { throw new Error("no mood"); } })] }`,
        ),
        host("ReadinessChecks"),
      ),
      /its http\.readiness_checks\.failing failed.*no mood/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "health with an invalid result",
      "odd-health",
      define("odd-health", setUp(`{ health: async () => undefined }`)),
      /its health failed.*it answers neither "ok" nor/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "a start that throws",
      "throwing-start",
      define("throwing-start", setUp(`{ start: async () => { throw new Error("engine cold"); } }`)),
      /its start failed: engine cold/,
    ),
    ask: ["/folders", 200],
  },
  {
    ...mistake(
      "a value of the wrong shape",
      "odd-value",
      define(
        "odd-value",
        setUp(`{ fills: [fillWith(HealthFields, () => ({ name: "odd" }) as any)] }`),
        host("HealthFields"),
      ),
      /its http\.health_fields failed.*has no function `read`/,
    ),
    ask: ["/folders", 200],
  },
];

/** Responds while all of them are loaded. */
export const innocent = define(
  "innocent",
  `routes: { a: route.get("/innocent", { ${words("innocent", `{ 200: { description: "x", schema: t.Object({ well: t.Boolean() }) } }`)} }) }, ` +
    setUp(`{ routes: { a: () => ({ well: true }) } }`),
);
/** The settings of the faulty plugins, and a section of a plugin that was removed. */
export const settings = `
[wrong_setting]
rooms = "many"
[stray_setting]
color = "red"
[news_letter]
every = "day"
`;
export const define_plugin = define;
export const words_of = words;
