/** Validates the cron expressions of import schedules. */
import { nextTime } from "../../core/lib/cron";
import { badRequest } from "../../core/sdk";

/** The longest cron expression, in characters. */
export const expression_length_max = 200;

/**
 * In UTC. Five fields: a sixth would be seconds, and no host should be contacted that often.
 * @throws HttpError 400 on an invalid expression, or one without a next time.
 */
export function checkCron(expression: string, now_ms: number): void {
  const count = expression.trim() === "" ? 0 : expression.trim().split(/\s+/).length;
  let next: number | null;
  try {
    if (expression.length > expression_length_max)
      throw new Error(`it has more than ${expression_length_max} characters`);
    if (count !== 5 && !expression.startsWith("@"))
      throw new Error(`it has ${count} field${count === 1 ? "" : "s"}`);
    next = nextTime(expression, now_ms);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^CronPattern: |\.$/g, "") : String(error);
    throw badRequest(
      "The field `every` must be a cron expression of five fields, such as " +
        `"0 6 * * *" for each day at 06:00 UTC; ${reason}.`,
      "/every",
    );
  }
  if (next === null) throw badRequest("The schedule in `every` never occurs.", "/every");
}
