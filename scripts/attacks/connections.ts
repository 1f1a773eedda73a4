/** Cases: connections, and requests that need no key. */
import { first_password } from "../lib/launch";
import type { Case } from "./case";

const connections = 5_000;

export const connection_cases: readonly Case[] = [
  {
    name: "idle connections",
    reason: `${connections} open connections, over all of which a request comes at once`,
    prepare: async (attacker) => {
      const sockets = await Promise.all(
        Array.from({ length: connections }, () => attacker.connect()),
      );
      const request = attacker.head("GET", "/folders");
      return () =>
        attacker.repeat(1, async () => {
          for (const socket of sockets) socket.write(request);
          await Bun.sleep(1_000);
        });
    },
  },
  {
    name: "new connections",
    reason: "1,000 connections at a time, each for one request",
    prepare: async (attacker) => () =>
      attacker.repeat(1_000, () => attacker.send("/folders", { headers: { connection: "close" } })),
  },
  {
    name: "endless heads",
    reason: "500 requests whose head never ends",
    prepare: async (attacker) => () =>
      attacker.repeat(500, async (round) => {
        const socket = await attacker.connect();
        socket.write("GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n");
        for (let at = 0; !attacker.ended && socket.readyState > 0; at++) {
          socket.write(`x-header-${round}-${at}: ${"a".repeat(200)}\r\n`);
          await Bun.sleep(50);
        }
        socket.terminate();
      }),
  },
  {
    name: "failed sign-ins",
    reason: "sign-ins with a wrong password, 50 at a time, of which each costs a hash",
    prepare: async (attacker) => () =>
      attacker.repeat(50, (round) =>
        attacker.send("//console/api/v1/session", {
          key: null,
          headers: { origin: attacker.order.url },
          // Half of the accounts exist.
          body: {
            email: round % 2 === 0 ? "other@example.com" : `nobody${round}@example.com`,
            password: `${first_password} ${round}`,
          },
        }),
      ),
  },
  {
    name: "requests without a key",
    reason: "lists with a false key, 200 at a time",
    prepare: async (attacker) => () =>
      attacker.repeat(200, (round) => attacker.send("/folders", { key: `dsk_${round}` })),
  },
];
