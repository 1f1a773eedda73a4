/** Numbers of bytes in words. */

/** `12.5 MiB`. */
export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
