/** Optional fields as clients of the protocol send them. */
import { t } from "../../core/sdk";

/** May be absent or null, which means the same. */
export const Maybe = <S extends Parameters<typeof t.Optional>[0]>(schema: S) =>
  t.Optional(t.Union([schema, t.Null()]));
