/** The ways to sign in that plugins bring, as far as they can be used. */
import type { SignIn } from "./contract";

const id_pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The first of two with one id is used. `onRejected` is told of every other, and why. */
export function validWays(
  ways: readonly SignIn[],
  onRejected: (way: SignIn, reason: string) => void = () => undefined,
): ReadonlyMap<string, SignIn> {
  const used = new Map<string, SignIn>();
  for (const way of ways) {
    if (!id_pattern.test(way.id))
      onRejected(way, "its id is not lower case letters, digits and single dashes");
    else if (used.has(way.id)) onRejected(way, "another plugin has a way with this id");
    else used.set(way.id, way);
  }
  return used;
}
