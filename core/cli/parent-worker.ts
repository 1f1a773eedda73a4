/**
 * A thread of a child process that ends it once its parent is gone: code of a plugin may keep the
 * event loop busy for ever, and nobody would be left to stop it.
 */
const look_ms = 500;
/** As the parent said: it may be gone before this thread asks for the first time. */
const parent = Number(process.argv.at(-1));

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, look_ms);
