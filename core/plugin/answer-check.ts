/** Checks that the responses of a dropped-in plugin match what its routes declare. */
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { registerFormats } from "../http/formats";
import { Reply, type Answer, type Route } from "../http/route";

/** Returns the result of a handler. @throws Error when it does not match its schema. */
export function checkedAnswers({ answers }: Route<any, any>): (result: unknown) => unknown {
  /** By status, compiled at the first response; null when there is nothing to check against. */
  const checks = new Map<number, TypeCheck<TSchema> | null>();
  return (result) => {
    if (result instanceof Response) return result;
    const status = result instanceof Reply ? result.status : 200;
    const body: unknown = result instanceof Reply ? result.body : result;
    if (body === undefined && !(result instanceof Reply))
      throw new Error("its handler answered nothing: return the body, reply(204) or a Response");
    const check = checks.get(status) ?? compiled((answers as Route["answers"])[status]);
    checks.set(status, check);
    if (check && body !== undefined && !check.Check(body)) {
      // Dates and undefined fields change when they are sent.
      const sent_body: unknown = JSON.parse(JSON.stringify(body));
      const { path, message } = check.Errors(sent_body).First() ?? {};
      if (message !== undefined)
        throw new Error(`its answer ${status} is unlike its schema: ${path || "/"} ${message}`);
    }
    return result;
  };
}

function compiled(answer: Answer | undefined): TypeCheck<TSchema> | null {
  if (!answer?.schema || (answer.media_type ?? "application/json") !== "application/json")
    return null;
  try {
    registerFormats(answer.schema);
    return TypeCompiler.Compile(answer.schema);
  } catch {
    // A hand-written schema only documents the response.
    return null;
  }
}
