/** A DNS server on loopback whose answers, errors and silence are scripted by a test. */
import { createSocket } from "node:dgram";

/** `garbled`: bytes that are not a DNS message. */
export type NameAnswer =
  | readonly string[]
  | "silent"
  | "servfail"
  | "refused"
  | "nxdomain"
  | "garbled";
/**
 * IPv4 and IPv6 addresses of a name. A function is called for every query, with the number of
 * earlier queries for this name and family.
 */
export interface Zone {
  readonly a?: NameAnswer | ((n: number) => NameAnswer);
  readonly aaaa?: NameAnswer | ((n: number) => NameAnswer);
}

/** A running name server. */
export interface NameServer extends Disposable {
  /** `127.0.0.1:port`, for the settings. */
  readonly address: string;
  set(name: string, zone: Zone | NameAnswer): void;
  /** The number of queries for a name, both families together. */
  queryCount(name: string): number;
}

const codes = { servfail: 2, nxdomain: 3, refused: 5 } as const;
const type_a = 1;
const type_aaaa = 28;

/** `otherwise`: the result for other names; by default they don't exist. */
export async function startNameServer(otherwise?: Zone): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = questionOf(query);
    const family = type === type_a ? "a" : "aaaa";
    const earlier_queries = counts.get(`${name} ${family}`) ?? 0;
    counts.set(`${name} ${family}`, earlier_queries + 1);
    const zone = zones.get(name) ?? otherwise;
    const records = zone?.[family];
    const answer =
      zone === undefined
        ? "nxdomain"
        : typeof records === "function"
          ? records(earlier_queries)
          : (records ?? []);
    if (answer === "silent" || (type !== type_a && type !== type_aaaa)) return;
    if (answer === "garbled")
      return socket.send(
        Buffer.concat([
          query.subarray(0, 2),
          Buffer.from([0x81, 0x80, 0, 1, 0, 9, 0, 0, 0, 0, 0xc0, 0xff, 0xff]),
        ]),
        from.port,
        from.address,
      );
    socket.send(
      answerTo(
        query.subarray(0, end),
        type,
        typeof answer === "string" ? [] : answer,
        typeof answer === "string" ? codes[answer] : 0,
      ),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, zone) => {
      zones.set(
        name,
        typeof zone === "string"
          ? { a: zone, aaaa: zone }
          : Array.isArray(zone)
            ? { a: zone as NameAnswer }
            : (zone as Zone),
      );
    },
    queryCount: (name) => (counts.get(`${name} a`) ?? 0) + (counts.get(`${name} aaaa`) ?? 0),
    [Symbol.dispose]: () => {
      socket.close();
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, type: number, addresses: readonly string[], code: number): Buffer {
  const head = Buffer.from(query);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = type === type_a ? Buffer.from(address.split(".").map(Number)) : bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}

/** The sixteen bytes of an IPv6 address without a dotted part. */
export function bytesOf(address: string): Buffer {
  const [before = "", after] = address.split("::");
  const words = (text: string) =>
    text === "" ? [] : text.split(":").map((word) => parseInt(word, 16));
  const front = words(before);
  const back = words(after ?? "");
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}
