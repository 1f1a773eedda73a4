/**
 * Compares the vectors of segments (see `vector-block.ts`) with that of a query. All sums are
 * integers, so that every processor, and a plain loop, gives the same result. AssemblyScript.
 */

class Row {
  /** The dot product of a row of this many bytes, a multiple of 16, and the query. */
  @inline
  static dot(row: usize, query: usize, bytes: usize): i32 {
    let a = i32x4.splat(0),
      b = a;
    for (const end = row + bytes; row < end; row += 16, query += 32) {
      const x = v128.load(row),
        low = i16x8.extend_low_i8x16_s(x),
        high = i16x8.extend_high_i8x16_s(x);
      a = i32x4.add(a, i32x4.dot_i16x8_s(low, v128.load(query)));
      b = i32x4.add(b, i32x4.dot_i16x8_s(high, v128.load(query, 16)));
    }
    a = i32x4.add(a, b);
    return (
      i32x4.extract_lane(a, 0) +
      i32x4.extract_lane(a, 1) +
      i32x4.extract_lane(a, 2) +
      i32x4.extract_lane(a, 3)
    );
  }
}

class Hit {
  /** Where the next one is written. */
  @inline
  static write(to: usize, block: u32, chunk: u32, score: f32): usize {
    store<u32>(to, block);
    store<u32>(to, chunk, 4);
    store<f32>(to, score, 8);
    return to + 12;
  }
}

/**
 * Compares the `count` blocks whose addresses are at `blocks`. The cosine of a chunk is that of its
 * best row. Writes to `hits`: f64 the sum of the cosines of all chunks, u32 their number, u32 0;
 * then, for each chunk with a cosine above zero and not below `threshold`: u32 index of its block,
 * u32 chunk, f32 cosine. Returns the number of these.
 */
export function nearest(
  blocks: usize,
  count: u32,
  query: usize,
  scale: f32,
  threshold: f32,
  hits: usize,
): u32 {
  let to = hits + 16,
    sum: f64 = 0,
    compared: u32 = 0;
  for (let at: u32 = 0; at < count; at++) {
    const block = <usize>load<u32>(blocks + (at << 2)),
      rows = load<u32>(block, 4),
      bytes = <usize>((load<u32>(block, 8) + 15) & ~15),
      chunks = block + 16 + (rows << 2);
    let row = block + ((31 + 5 * rows) & ~15),
      best: f32 = -Infinity;
    for (let r: u32 = 0; r < rows; r++, row += bytes) {
      const score = <f32>Row.dot(row, query, bytes) * load<f32>(block + (r << 2), 16) * scale,
        chunk = <u32>load<u8>(chunks + r);
      if (score > best) best = score;
      if (r + 1 < rows && <u32>load<u8>(chunks + r, 1) === chunk) continue;
      sum += <f64>best;
      compared++;
      if (best > 0 && best >= threshold) to = Hit.write(to, at, chunk, best);
      best = -Infinity;
    }
  }
  store<f64>(hits, sum);
  store<u32>(hits, compared, 8);
  return <u32>((to - hits - 16) / 12);
}
