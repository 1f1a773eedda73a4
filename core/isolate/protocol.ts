/**
 * The protocol between parent and child: one JSON value per line, requests on the child's standard
 * input, replies on its standard output.
 */

/** Which task to run, by the name or the path of its plugin. */
export interface Request {
  readonly plugin: string;
  readonly task: string;
  readonly input: unknown;
}
/** Any number of messages, then one result or one error. */
export type Reply =
  | { readonly message: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly message: string; readonly code?: string } };

/** UTF-8 with a line break at its end. */
export const encodeLine = (value: Request | Reply): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(value)}\n`);
