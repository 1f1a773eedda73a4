/** Validates web addresses before anything is sent. */
import { common_strings as strings } from "../strings/common";

const isAddress = (text: string): boolean => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);

/** A sentence about the first text that is not a web address; undefined if all of them are. */
export function addressProblem(texts: readonly string[]): string | undefined {
  const invalid = texts.find((text) => !isAddress(text));
  if (invalid === undefined) return undefined;
  return strings.no_address(invalid.length > 60 ? `${invalid.slice(0, 60)}…` : invalid);
}
