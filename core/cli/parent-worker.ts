/**
 * A thread in a child process that ends it when its parent is gone: code of a plugin may block the
 * event loop for ever, and nobody would be left to stop it.
 */
const check_every_ms = 500;
/** Passed by the parent, which may be gone before this thread looks for the first time. */
const parent_pid = Number(process.argv.at(-1));

setInterval(() => {
  if (process.ppid !== parent_pid) process.kill(process.pid, "SIGKILL");
}, check_every_ms);
