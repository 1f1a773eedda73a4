/** Cases: bodies that are large, slow, in tiny pieces, or many. */
import { body_bytes, nestedBody } from "../bench/bodies";
import type { Attacker, Request } from "./attacker";
import type { Case } from "./case";

const json = { "content-type": "application/json" };

const nested = (name: string, key: Pick<Request, "key">): Case => ({
  name,
  reason: `40 bodies of ${body_bytes / 1e6} MB of nested JSON at a time, ${name}`,
  prepare: async (attacker) => {
    const body = Buffer.from(nestedBody());
    return () =>
      attacker.repeat(40, () => attacker.send("/documents", { ...key, body, headers: json }));
  },
});

/** Opens connections that send a body of `/documents` in pieces. */
async function inPieces(
  attacker: Attacker,
  connections: number,
  { piece, pause_ms }: { readonly piece: Uint8Array; readonly pause_ms: number },
): Promise<void> {
  const head = attacker.head("POST", "/documents", { ...json, "transfer-encoding": "chunked" });
  await attacker.repeat(connections, async () => {
    const socket = await attacker.connect();
    socket.write(head);
    while (!attacker.ended && socket.readyState > 0) {
      socket.write(piece);
      await Bun.sleep(pause_ms);
    }
    socket.terminate();
  });
}

export const body_cases: readonly Case[] = [
  nested("nested bodies with a key", {}),
  nested("nested bodies without a key", { key: null }),
  {
    name: "many bodies without a key",
    reason: "1,000 bodies of 1 MB at a time that nobody has to read",
    prepare: async (attacker) => {
      const body = Buffer.alloc(1_000_000, " ");
      return () =>
        attacker.repeat(1_000, () =>
          attacker.send("/documents", { key: null, body, headers: json }),
        );
    },
  },
  {
    name: "dripped bodies",
    reason: "500 bodies of which a byte comes every 50 ms",
    prepare: async (attacker) => () =>
      inPieces(attacker, 500, { piece: Buffer.from("1\r\n \r\n"), pause_ms: 50 }),
  },
  {
    name: "tiny chunks",
    reason: "20 bodies whose chunks have one byte each, as fast as they are read",
    prepare: async (attacker) => () =>
      inPieces(attacker, 20, { piece: Buffer.from("1\r\n \r\n".repeat(10_000)), pause_ms: 1 }),
  },
];
