/**
 * Loaded before every test file: makes sure that the console is built, as it is in the executable.
 */
import { buildConsoleIfStale } from "../build-console";

await buildConsoleIfStale();
