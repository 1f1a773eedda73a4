/**
 * `npm run simulation`: a thousand owners with ten million passages on several search nodes with
 * one PostgreSQL: how often the vectors needed by a search are in the memory of the node that runs
 * it, and how much is read otherwise. Owners and searches are simulated; a node's memory works like
 * `VectorMemory`: least recently used vectors are evicted.
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    owners: { type: "string", default: "1000" },
    passages: { type: "string", default: "10000000" },
    searches: { type: "string", default: "200000" },
  },
});
const owners = Number(values.owners);
const passages = Number(values.passages);
const searches = Number(values.searches);

/** The size of a passage of the built-in encoder: 384 numbers, a scale and its position. */
const vector_bytes = 390;
/** The largest owner relative to the median: sizes fall as 1 / rank^s. */
const size_exponent = 0.8;
/** Owners with more passages search more, but less than proportionally. */
const activity_exponent = 0.5;

/** The same numbers in each run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const weights = Array.from({ length: owners }, (_, rank) => (rank + 1) ** -size_exponent);
const weight_sum = weights.reduce((sum, weight) => sum + weight, 0);
const sizes = weights.map((weight) => (weight / weight_sum) * passages * vector_bytes);
const activity = sizes.map((size) => size ** activity_exponent);

/** The owner of each search. */
function searchingOwners(): Uint16Array {
  const random = chance(1);
  const sums: number[] = [];
  for (const weight of activity) sums.push((sums.at(-1) ?? 0) + weight);
  return Uint16Array.from({ length: searches }, () => {
    const at = random() * sums.at(-1)!;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** The vectors that a node holds, by owner, most recently used last. */
class NodeMemory {
  private readonly copies = new Map<number, number>();
  private used = 0;
  constructor(private readonly bytes_max: number) {}

  /** Bytes read for a search over everything an owner has. */
  search(owner: number): number {
    const size = sizes[owner]!;
    const has = this.copies.get(owner) ?? 0;
    this.copies.delete(owner);
    this.used -= has;
    const cached_bytes = Math.min(size, this.bytes_max);
    for (const [oldest, bytes] of this.copies) {
      if (this.used + cached_bytes <= this.bytes_max) break;
      this.copies.delete(oldest);
      this.used -= bytes;
    }
    this.copies.set(owner, cached_bytes);
    this.used += cached_bytes;
    return size - has;
  }
}

type Routing = "in turn" | "by owner";
function simulate(nodes: number, mib: number, routing: Routing, asking_owners: Uint16Array) {
  const memories = Array.from({ length: nodes }, () => new NodeMemory(mib * 2 ** 20));
  const warm_from = searches / 2;
  let from_memory = 0;
  let read_bytes = 0;
  asking_owners.forEach((owner, n) => {
    const node = routing === "in turn" ? n % nodes : owner % nodes;
    const bytes = memories[node]!.search(owner);
    if (n < warm_from) return;
    read_bytes += bytes;
    if (bytes === 0) from_memory++;
  });
  const counted = searches - warm_from;
  return { share: from_memory / counted, mb: read_bytes / counted / 1e6 };
}

const who = searchingOwners();
const gb = (sizes.reduce((sum, size) => sum + size, 0) / 1e9).toFixed(1);
const largest = Math.round((sizes[0]! / vector_bytes / 1_000) * 1) * 1_000;
console.log(
  `${owners} owners, ${passages} passages: ${gb} GB of vectors, the largest has ${largest}`,
);
console.log("nodes  memory of each  requests go  searches from memory  MB read for a search");
for (const nodes of [1, 2, 4, 8])
  for (const mib of [256, 1_024])
    for (const routing of ["in turn", "by owner"] as const) {
      if (nodes === 1 && routing === "by owner") continue;
      const { share, mb } = simulate(nodes, mib, routing, who);
      const cells = [
        String(nodes).padEnd(5),
        `${mib} MiB`.padEnd(14),
        routing.padEnd(11),
        `${(share * 100).toFixed(0)} %`.padEnd(20),
        mb.toFixed(2),
      ];
      console.log(cells.join("  "));
    }
