/**
 * A thread in a child process that ends it when its parent is gone: code of a plugin may block the
 * event loop for ever, and nobody would be left to stop it.
 */
const look_ms = 500;
/** Passed by the parent, which may be gone before this thread looks for the first time. */
const parent = Number(process.argv.at(-1));

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, look_ms);
