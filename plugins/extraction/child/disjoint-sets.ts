/** Sets of numbers that are merged two at a time: what touches, directly or through others. */
export class DisjointSets {
  private readonly parent: Int32Array;

  /** Each number below `size` in a set of its own. */
  constructor(size: number) {
    this.parent = Int32Array.from({ length: size }, (_, at) => at);
  }

  /** The representative of the set that contains this number. */
  rootOf(at: number): number {
    const { parent } = this;
    let root = at;
    while (parent[root] !== root) {
      // Halves the path, which makes the next look-up shorter.
      parent[root] = parent[parent[root]!]!;
      root = parent[root]!;
    }
    return root;
  }

  /** Adds the set of `one` to that of `other`, whose root stays. */
  merge(one: number, other: number): void {
    this.parent[this.rootOf(one)] = this.rootOf(other);
  }
}
