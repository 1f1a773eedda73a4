/**
 * A thread of a child process that ends it once its parent is gone: code of a plugin may keep the
 * event loop busy for ever, and nobody would be left to stop it.
 */
const look_ms = 500;
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, look_ms);
