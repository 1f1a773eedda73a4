/** Reads and checks the bodies of one route according to its description. */
import type { TSchema } from "@sinclair/typebox";
import { badRequest } from "../base/errors";
import type { Bodies, BodyTurn, ExpectedBody } from "./bodies";
import { noteBodyEnd } from "./body-ends";
import type { LargeValue } from "./json-worker";
import {
  checkLength,
  checkMediaType,
  declaredLength,
  hasBody,
  json_body_bytes_max,
  mediaType,
  readBytes,
} from "./body";
import type { Multipart, Route } from "./route";
import { Validator } from "./validation";

/** Reads the bodies of one route. */
export interface BodyReader {
  /**
   * How much of the body will be read; null when none is. @throws HttpError 413 or 415 before
   * anything is read.
   */
  expect(request: Request): ExpectedBody | null;
  /**
   * The value for the handler; `turn` was taken for the result of `expect`. @throws HttpError 400,
   * 408, 413, 503, and the reason of the request's signal.
   */
  read(request: Request, turn: BodyTurn | null): Promise<LargeValue>;
}

/** Whether the body of a route is a multipart form rather than JSON. */
export const isMultipart = (body: TSchema | Multipart | undefined): body is Multipart =>
  body !== undefined && "multipart" in body;

/** The reader for this route. Multipart bodies are left to the handler. */
export function bodyReader(
  { body, body_optional = false, body_bytes_max, body_long_text, body_values_max }: Route<any, any>,
  bodies: Bodies,
): BodyReader {
  // A multipart route knows its own limit, which is a setting, and checks it before reading.
  const bytes_max = body_bytes_max ?? (isMultipart(body) ? Infinity : json_body_bytes_max);
  const unread = (check: (request: Request) => void = () => {}): BodyReader => ({
    expect(request) {
      checkLength(request, bytes_max);
      check(request);
      return null;
    },
    read: async () => ({ value: undefined }),
  });
  if (!body) return unread();
  if (!isMultipart(body))
    return jsonReader(
      {
        schema: body as TSchema,
        bytes_max,
        optional: body_optional,
        long_field: body_long_text,
        values_max: body_values_max,
      },
      bodies,
    );
  const { or_media_type } = body;
  const other_types = or_media_type === undefined ? [] : [or_media_type];
  if (!body.or_json)
    return unread((request) => checkMediaType(request, "multipart/form-data", ...other_types));
  // The handler reads a multipart body itself; JSON is read and checked as usual.
  const files = unread((request) =>
    checkMediaType(request, "multipart/form-data", "application/json"),
  );
  const json = jsonReader(
    { schema: body.or_json, bytes_max: json_body_bytes_max, optional: false },
    bodies,
  );
  const readerOf = (request: Request): BodyReader =>
    mediaType(request) === "application/json" ? json : files;
  return {
    expect: (request) => readerOf(request).expect(request),
    read: (request, turn) => readerOf(request).read(request, turn),
  };
}

interface JsonBody {
  readonly schema: TSchema;
  readonly bytes_max: number;
  /** A missing body counts as an empty object. */
  readonly optional: boolean;
  readonly long_field?: string | undefined;
  readonly values_max?: number | undefined;
}

function jsonReader(
  { schema, bytes_max, optional, long_field, values_max }: JsonBody,
  bodies: Bodies,
): BodyReader {
  const validator = new Validator(schema);
  const missing = (): LargeValue => {
    validator.validate({});
    return { value: {} };
  };
  return {
    expect(request) {
      checkLength(request, bytes_max);
      if (!hasBody(request)) return null;
      const declared = declaredLength(request);
      // Only its end tells whether a chunked body has any bytes, and needs a type.
      if (!optional || declared !== undefined) checkMediaType(request, "application/json");
      return { declared, bytes_max };
    },
    async read(request, turn) {
      if (turn === null && !optional) throw badRequest("The request needs a JSON body.", "");
      if (turn === null) return missing();
      const bytes = await readBytes(request, bytes_max, turn);
      noteBodyEnd(request);
      if (optional && bytes.length === 0) return missing();
      checkMediaType(request, "application/json");
      const read = await bodies.parse({ bytes, long_field, values_max }, request.signal);
      validator.validate(read.value);
      return read;
    },
  };
}
