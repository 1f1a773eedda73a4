/** Every character that Unicode calls white space. */
export const whiteSpace: readonly string[] = [
  9,
  10,
  11,
  12,
  13,
  0x20,
  0x85,
  0xa0,
  0x1680,
  ...Array.from({ length: 11 }, (_, n) => 0x2000 + n),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
].map((code) => String.fromCodePoint(code));
