/**
 * Finds problems of a single plugin before any of its code runs: in its name, version, routes,
 * settings, tables and commands. Pure.
 */
import { messageOf } from "../lib/error-message";
import { version as host_version } from "../base/version";
import { requireValidSchemas } from "../http/compiled-route";
import { api, openApiDocument } from "../http/openapi";
import type { Method, Route } from "../http/route";
import { CONTRACT, type Plugin } from "./contract";

/**
 * Every problem, in words that follow the plugin's name: "its name is …". `schemas`: also check
 * that the schemas of its routes can be compiled, which takes a while.
 */
export function manifestProblems(plugin: Plugin, { schemas = false } = {}): string[] {
  // The meaning of its fields in another contract is unknown here.
  if (plugin.contract !== CONTRACT)
    return [
      `it is written for contract ${plugin.contract}, and this server has contract ${CONTRACT}`,
    ];
  const too_old = sinceProblem(plugin.since);
  if (too_old !== undefined) return [too_old];
  return [
    ...nameProblems(plugin),
    ...configProblems(plugin),
    ...tableProblems(plugin),
    ...refProblems(plugin),
    ...Object.entries(plugin.routes as Record<string, Route>).flatMap(([key, route]) =>
      routeProblems(key, route, schemas),
    ),
    ...commandProblems(plugin),
  ];
}

const version_pattern = /^\d+(\.\d+){0,2}$/;

/** Why a plugin that requires this version can't run here; undefined when it can. */
export function sinceProblem(since: unknown): string | undefined {
  if (since === undefined) return undefined;
  if (typeof since !== "string" || !version_pattern.test(since))
    return `its since ${JSON.stringify(since)} is not a version such as "0.2"`;
  const [required_numbers, host_numbers] = [since, host_version].map((version) =>
    version.split(/[.+-]/).map(Number),
  );
  const part = [0, 1, 2].find((i) => (required_numbers![i] ?? 0) !== (host_numbers![i] ?? 0));
  return part === undefined || (required_numbers![part] ?? 0) < (host_numbers![part] ?? 0)
    ? undefined
    : `it needs Dossier ${since} or newer; this is ${host_version}`;
}

function nameProblems({ name, section, version, replaces }: Plugin): string[] {
  const problems: string[] = [];
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    problems.push(
      `its name ${JSON.stringify(name)} must consist of lower-case letters, digits and ` +
        "single dashes",
    );
  if (typeof version !== "string" || version === "")
    problems.push(`its version must be a text such as "1.0.0"`);
  if (typeof section !== "string" || !/^[a-z][a-z0-9_]*$/.test(section))
    problems.push(
      `its section ${JSON.stringify(section)} must consist of lower-case letters, digits and ` +
        "underscores",
    );
  if (!Array.isArray(replaces) || replaces.some((target) => typeof target !== "string"))
    problems.push("its replaces must be a list of names of plugins");
  else if (replaces.includes(name)) problems.push("it can't replace itself");
  return problems;
}

function configProblems({ config, section }: Plugin): string[] {
  if (config?.type !== "object" || typeof config.properties !== "object")
    return ["its config must be made by t.Object"];
  return Object.keys(config.properties)
    .filter((key) => !/^[a-z][a-z0-9_]*$/.test(key))
    .map(
      (key) =>
        `its setting ${section}.${key} must consist of lower-case letters, digits and ` +
        "underscores: the name of an environment variable is derived from it",
    );
}

function tableProblems({ name, tables, migrations }: Plugin): string[] {
  const stem = name.replaceAll("-", "_");
  const foreign = tables.filter((table) => table !== stem && !table.startsWith(`${stem}_`));
  const ids = migrations.map(({ id }) => id);
  return [
    ...foreign.map((table) => `its table ${table} is not called ${stem} or ${stem}_…`),
    ...(ids.some((id, i) => i > 0 && ids[i - 1]! >= id)
      ? [`its migrations are not in the order of their ids: ${ids.join(", ")}`]
      : []),
    ...migrations
      .filter(({ up }) => typeof up !== "function")
      .map(({ id }) => `its migration ${id} has no function \`up\``),
  ];
}

/** An undefined ref comes from importing a name that does not exist. */
function refProblems({ needs, provides, slots, events }: Plugin): string[] {
  const refsNotMadeBy = (field: string, refs: object, kind: string, maker: string): string[] =>
    Object.entries(refs)
      .filter(([, ref]) => (ref as { kind?: unknown } | undefined)?.kind !== kind)
      .map(([key]) => `its ${field}.${key} is not made by \`${maker}\``);
  return [
    ...refsNotMadeBy("needs", needs, "service", "service"),
    ...refsNotMadeBy("provides", provides, "service", "service"),
    ...refsNotMadeBy("slots", slots, "slot", "slot"),
    ...refsNotMadeBy("events", events, "event", "event"),
  ];
}

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const operation_pattern = /^[A-Za-z][A-Za-z0-9_]*$/;

function routeProblems(key: string, route: Route, schemas: boolean): string[] {
  if (typeof route !== "object" || route === null || !methods.includes(route.method))
    return [`its routes.${key} is not made by \`route.get\`, \`route.post\` and so on`];
  const { method, path, operation, summary, tag, answers, root } = route;
  const label = `its route ${method} ${String(path)}`;
  const problems: string[] = [];
  if (typeof path !== "string" || !path.startsWith("/"))
    return [`the path of ${label} must begin with "/"`];
  const parts = path.slice(1).split("/");
  if (parts.some((part, i) => part === "" && !(root && parts.length === 1 && i === 0)))
    problems.push(`the path of ${label} has an empty part`);
  if (/[\s?#]/.test(path)) problems.push(`the path of ${label} has a space, a "?" or a "#"`);
  if (
    parts.some((part, i) => part.includes("*") && !(root && part === "*" && i + 1 === parts.length))
  )
    problems.push(
      `the path of ${label} has a "*", which is only allowed at the end of a path at the root`,
    );
  const params = parts.filter((part) => part.startsWith(":"));
  if (params.some((param, i) => !/^:[A-Za-z]\w*$/.test(param) || params.indexOf(param) !== i))
    problems.push(`the parameters of ${label} must be different names such as ":id"`);
  if (typeof operation !== "string" || !operation_pattern.test(operation))
    problems.push(
      `the operation ${JSON.stringify(operation)} of ${label} must be a name such as "getNote"`,
    );
  if (typeof summary !== "string" || typeof tag !== "string")
    problems.push(`${label} needs a summary and a tag, both texts`);
  if (typeof answers !== "object" || answers === null)
    problems.push(`${label} must declare its answers: { 200: { description, schema } }`);
  else problems.push(...answerProblems(label, answers));
  if (!schemas || problems.length > 0) return problems;
  try {
    requireValidSchemas(route);
  } catch (error) {
    return [messageOf(error)];
  }
  try {
    openApiDocument([route], api, { version: host_version, server_url: "" });
  } catch (error) {
    return [`${label} can't be documented: ${messageOf(error)}`];
  }
  return [];
}

function answerProblems(label: string, answers: Route["answers"]): string[] {
  return Object.entries(answers).flatMap(([status, answer]) =>
    /^[1-5]\d\d$/.test(status) && typeof answer?.description === "string"
      ? []
      : [`the answer ${status} of ${label} needs a status such as 200, and a description`],
  );
}

function commandProblems({ commands, tools }: Plugin): string[] {
  return Object.entries({ ...commands, ...tools } as Plugin["tools"]).flatMap(([key, command]) =>
    typeof command?.name === "string" && /^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)?$/.test(command.name)
      ? []
      : [
          `the name ${JSON.stringify(command?.name)} of its command ${key} must be one or two ` +
            "words of lower-case letters, digits and dashes",
        ],
  );
}
