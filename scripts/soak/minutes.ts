/** The argument MINUTES of a soak. Anything but a positive number ends the process with 2. */
export function minutesFrom(argument: string | undefined, default_minutes: number): number {
  const minutes = Number(argument ?? default_minutes);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  console.error(`MINUTES must be a positive number, not ${argument}.`);
  process.exit(2);
}
