/** Ids that are unique in the whole page, also where plugins show parts that are rendered apart. */
import { useState } from "preact/hooks";

let last = 0;

export const useUniqueId = (): string => useState(() => `id-${++last}`)[0];
