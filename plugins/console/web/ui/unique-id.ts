/** Ids that are unique in the whole page, including separately rendered parts of plugins. */
import { useState } from "preact/hooks";

let last_number = 0;

/** The id of a component, the same in every render. */
export const useUniqueId = (): string => useState(() => `id-${++last_number}`)[0];
