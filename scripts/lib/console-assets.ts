/**
 * Loaded before every test file: the console's built files are there, as they are in the
 * executable.
 */
import { buildConsoleIfStale } from "../build-console";

await buildConsoleIfStale();
