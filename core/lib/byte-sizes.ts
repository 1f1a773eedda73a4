/** Numbers of bytes in words. */

/** `64 KiB`, `16 MiB`. */
export const sizeInWords = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
/** `65536 bytes (64 KiB)`, for messages about a limit. */
export const limitInWords = (bytes: number): string => `${bytes} bytes (${sizeInWords(bytes)})`;
/** `12.5 MiB`. */
export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
