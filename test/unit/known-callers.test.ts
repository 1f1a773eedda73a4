/** The subject under which requests take turns. */
import { expect, test } from "bun:test";
import { KnownCallers } from "../../core/http/known-callers";

const client = { address: "192.0.2.1" } as Parameters<KnownCallers["subjectOf"]>[1];
const showing = (headers: Record<string, string>): Request =>
  new Request("http://dossier.test/", { headers });
const caller = (owner_id: string) => ({ owner_id, key_id: "key_1", scopes: [] });

const rows: [reason: string, headers: Record<string, string>, subject: string][] = [
  ["a request without credentials goes by its address", {}, "192.0.2.1"],
  [
    "a body without credentials delays no probe",
    { "content-length": "1" },
    "a body from 192.0.2.1",
  ],
  ["so does a chunked one", { "transfer-encoding": "chunked" }, "a body from 192.0.2.1"],
  ["a known key goes by its owner", { authorization: "Bearer one" }, "ada"],
  ["another key of the same owner goes by that owner", { authorization: "Bearer two" }, "ada"],
  ["a known cookie goes by its owner", { cookie: "session=1" }, "bob"],
  ["unknown keys share one subject", { authorization: "Bearer wrong" }, "a key from 192.0.2.1"],
  ["a long cookie is known too", { cookie: `x=${"y".repeat(5_000)}` }, "bob"],
  ["a longer one is another", { cookie: `x=${"y".repeat(5_001)}` }, "a key from 192.0.2.1"],
  [
    "behind a proxy that sends one header for everybody, the cookie tells users apart",
    { authorization: "Basic proxy", cookie: "session=1" },
    "ada",
  ],
  [
    "whoever signs in with a known cookie takes it over",
    { authorization: "Basic proxy", cookie: "session=2" },
    "cleo",
  ],
];
test.each(rows)("%s", (_reason, headers, subject) => {
  const callers = new KnownCallers();
  callers.note(showing({ authorization: "Bearer one" }), caller("ada"));
  callers.note(showing({ authorization: "Bearer two" }), caller("ada"));
  callers.note(showing({ cookie: "session=1" }), caller("bob"));
  callers.note(showing({ cookie: `x=${"y".repeat(5_000)}` }), caller("bob"));
  const behindProxy = (cookie: string) => showing({ authorization: "Basic proxy", cookie });
  callers.note(behindProxy("session=1"), caller("ada"));
  callers.note(behindProxy("session=2"), caller("bob"));
  callers.note(behindProxy("session=2"), caller("cleo"));
  callers.note(showing({}), caller("bob"));
  expect(callers.subjectOf(showing(headers), client)).toBe(subject);
});

test("of very many keys, the most recent are remembered", () => {
  const callers = new KnownCallers();
  const key = (n: number) => showing({ authorization: `Bearer ${n}` });
  for (let n = 0; n < 3_000; n++) callers.note(key(n), caller("ada"));
  expect(callers.subjectOf(key(2_999), client)).toBe("ada");
  expect(callers.subjectOf(key(0), client)).not.toBe("ada");
});
