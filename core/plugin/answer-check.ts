/** Whether what a dropped-in plugin answers is what its route says. */
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { respond } from "../http/compiled-route";
import { registerFormats } from "../http/formats";
import { Reply, type Answer, type Route } from "../http/route";

/** Makes the response of what its handler returns. @throws Error when it is unlike its schema. */
export function checkedAnswers({ answers }: Route<any, any>): (result: unknown) => Response {
  /** By status: made at the first answer; null when there is nothing to check by. */
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
      // A date, or a field that is undefined, is another thing once it is sent.
      const sent: unknown = JSON.parse(JSON.stringify(body));
      const { path, message } = check.Errors(sent).First() ?? {};
      if (message !== undefined)
        throw new Error(`its answer ${status} is unlike its schema: ${path || "/"} ${message}`);
    }
    return respond(result);
  };
}

function compiled(answer: Answer | undefined): TypeCheck<TSchema> | null {
  if (!answer?.schema || (answer.media_type ?? "application/json") !== "application/json")
    return null;
  try {
    registerFormats(answer.schema);
    return TypeCompiler.Compile(answer.schema);
  } catch {
    // A schema that is written by hand documents the answer, and no more.
    return null;
  }
}
