/** Runs in the child: rotates an image by a few degrees. */
import type { Gray } from "./bitmap";

/**
 * Counter-clockwise, in degrees, without cropping: the image gets larger. Paper continues beyond
 * its edges.
 */
export function rotated(picture: Gray, degrees: number, paper: number): Gray {
  const { width, height, pixels } = picture;
  const radians = (degrees * Math.PI) / 180;
  const sine = Math.sin(radians);
  const cosine = Math.cos(radians);
  const wide = Math.ceil(width * cosine + height * Math.abs(sine));
  const high = Math.ceil(height * cosine + width * Math.abs(sine));
  const paper_min = 0.75 * paper;
  const result = new Uint8Array(wide * high);
  for (let y = 0; y < high; y++) {
    const down = y - (high - 1) / 2;
    // The start of the row in the source image, and its step from pixel to pixel.
    let from_x = -cosine * ((wide - 1) / 2) - sine * down + (width - 1) / 2;
    let from_y = -sine * ((wide - 1) / 2) + cosine * down + (height - 1) / 2;
    for (let x = 0, out = y * wide; x < wide; x++, out++, from_x += cosine, from_y += sine) {
      const left = Math.floor(from_x);
      const top = Math.floor(from_y);
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) {
        const nearest =
          pixels[
            Math.min(height - 1, Math.max(0, top)) * width + Math.min(width - 1, Math.max(0, left))
          ]!;
        result[out] = nearest < paper_min ? paper : nearest;
        continue;
      }
      const at = top * width + left;
      const right_share = from_x - left;
      const above = pixels[at]! + (pixels[at + 1]! - pixels[at]!) * right_share;
      const below =
        pixels[at + width]! + (pixels[at + width + 1]! - pixels[at + width]!) * right_share;
      result[out] = above + (below - above) * (from_y - top) + 0.5;
    }
  }
  return { width: wide, height: high, pixels: result };
}
