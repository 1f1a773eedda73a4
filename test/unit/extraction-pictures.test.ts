/** Page images prepared for text recognition: deskewed, evened out, cleared of lines and dots. */
import { describe, expect, test } from "bun:test";
import { resized, transposed, turned, type Gray } from "../../plugins/extraction/ocr/bitmap";
import { withoutLeaders } from "../../plugins/extraction/ocr/dot-leaders";
import { inkRegions } from "../../plugins/extraction/ocr/ink-regions";
import { preparePage, turnedPage } from "../../plugins/extraction/ocr/prepared-page";
import { readPix } from "../../plugins/extraction/ocr/pix";
import { withoutRules } from "../../plugins/extraction/ocr/rule-removal";
import { rulesOf } from "../../plugins/extraction/ocr/rules";
import { skewOf } from "../../plugins/extraction/ocr/skew";
import { rotated } from "../../plugins/extraction/ocr/rotation";
import { toned } from "../../plugins/extraction/ocr/tone";
import { plain } from "../helpers/pictures";

const [width, height] = [900, 700];
type Box = readonly [left: number, top: number, wide: number, high: number];

const fill = (
  { width: wide, pixels }: Gray,
  shade: number | ((x: number, y: number) => boolean),
  [left, top, across, down]: Box,
): void => {
  for (let y = top; y < top + down; y++)
    for (let x = left; x < left + across; x++)
      if (typeof shade === "number") pixels[y * wide + x] = shade;
      else if (shade(x, y)) pixels[y * wide + x] = 0;
};
const shadeAt = ({ width: wide, pixels }: Gray, x: number, y: number): number =>
  pixels[y * wide + x]!;
/** Lines of small bars that resemble letters. */
function page(shade = 0): Gray {
  const picture = plain(width, height, 255);
  for (let line = 0; line < 14; line++)
    for (let letter = 0; letter < 40 - (line % 3) * 6; letter++)
      if ((letter * 7 + line) % 6 !== 0)
        fill(picture, shade, [60 + letter * 18, 60 + line * 40, 4 + (letter % 3) * 4, 16]);
  return picture;
}

describe("the skew of a page:", () => {
  const cases: [string, Gray, number][] = [
    ["straight", page(), 0],
    ["slight", rotated(page(), 0.7, 255), 0.7],
    ["in the other direction", rotated(page(), -3, 255), -3],
    ["strong", rotated(page(), 9, 255), 9],
    ["faint print", rotated(page(170), 2, 255), 2],
  ];
  for (const [why, picture, degrees] of cases)
    test(why, () => {
      const skew = skewOf(picture)!;
      // A page turned counter-clockwise is turned back.
      expect(skew.degrees).toBeCloseTo(-degrees, 0);
      expect(Math.abs(skew.degrees + degrees)).toBeLessThan(0.2);
      expect(skew.sideways).toBe(false);
    });
  test("of a page on its side", () => {
    const skew = skewOf(turned(rotated(page(), 1, 255), 1))!;
    expect([skew.sideways, Math.round(skew.degrees)]).toEqual([true, -1]);
  });
  test("of an empty page is unknown", () => expect(skewOf(plain(width, height, 255))).toBe(null));
});

describe("table lines are found and removed:", () => {
  /** Three columns and three rows, with lines drawn by this function. */
  const grid = (draw: (picture: Gray, box: Box) => void, thickness: number): Gray => {
    const picture = plain(width, height, 255);
    for (const y of [100, 200, 300, 400]) draw(picture, [100, y, 600 + thickness, thickness]);
    for (const x of [100, 300, 500, 700]) draw(picture, [x, 100, thickness, 300 + thickness]);
    return picture;
  };
  const solid = (picture: Gray, box: Box): void => fill(picture, 0, box);
  const cases: [string, Gray][] = [
    ["thin", grid(solid, 1)],
    ["thick", grid(solid, 8)],
    ["pale", grid((picture, box) => fill(picture, 215, box), 2)],
    ["dashed", grid((picture, box) => fill(picture, (x, y) => (x + y) % 14 < 8, box), 2)],
    ["broken", grid((picture, box) => fill(picture, (x, y) => (x + y) % 130 > 14, box), 2)],
    ["slightly skewed", rotated(grid(solid, 2), 0.4, 255)],
  ];
  for (const [why, picture] of cases)
    test(why, () => {
      const rules = rulesOf(picture, 0, []);
      expect([rules.across.length, rules.down.length]).toEqual([4, 4]);
      const left = withoutRules(picture, rules).pixels.filter((shade) => shade < 128).length;
      const drawn = picture.pixels.filter((shade) => shade < 225).length;
      expect(left).toBeLessThan(0.03 * drawn);
    });
  test("letters are not lines, alone or in a table", () => {
    expect(rulesOf(page(), 0, [])).toEqual({ across: [], down: [] });
    const picture = grid(solid, 2);
    // Letter stems below each other, one in each row.
    for (const y of [130, 230, 330]) fill(picture, 0, [330, y, 4, 40]);
    expect(rulesOf(picture, 0, []).down.length).toBe(4);
  });
  test("a letter that crosses a line stays whole", () => {
    const picture = grid(solid, 2);
    fill(picture, 0, [150, 180, 6, 40]);
    const cleared = withoutRules(picture, rulesOf(picture, 0, []));
    expect([190, 200, 201, 215].map((y) => shadeAt(cleared, 152, y))).toEqual([0, 0, 0, 0]);
    expect(shadeAt(cleared, 250, 200)).toBe(255);
  });
  test("an image of nothing but lines has none and is done quickly", () => {
    const hatched = plain(3_000, 3_000, 255);
    fill(hatched, (x, y) => (x * 31 + y * 17) % 23 < 9, [0, 0, 3_000, 3_000]);
    const { across, down } = rulesOf(hatched, 0, []);
    expect(across.length + down.length).toBeLessThan(6_000);
  });
  test("lines are rotated with their page", () => {
    const upright = preparePage(grid(solid, 2));
    const once = turnedPage(upright, 1);
    const around = turnedPage(turnedPage(once, 2), 1);
    expect(once.rules.down.map(({ at }) => Math.round(at))).toEqual(
      upright.rules.across.map(({ at }) => Math.round(height - 1 - at)),
    );
    expect(around.rules.across.map(({ at, from }) => [Math.round(at), from])).toEqual(
      upright.rules.across.map(({ at, from }) => [Math.round(at), from]),
    );
  });
});

describe("shades:", () => {
  const lit = (shade: (x: number, y: number, ink: boolean) => number): Gray => {
    const { pixels } = page();
    return {
      width,
      height,
      pixels: pixels.map((pixel, at) => shade(at % width, Math.floor(at / width), pixel === 0)),
    };
  };
  const cases: [string, Gray][] = [
    ["yellow paper", lit((_x, _y, ink) => (ink ? 20 : 205))],
    ["a shadow", lit((x, _y, ink) => (ink ? 20 : 240 - Math.floor(x / 8)))],
    ["faint ink", lit((_x, _y, ink) => (ink ? 190 : 250))],
  ];
  for (const [why, picture] of cases)
    test(`paper turns white and ink dark: ${why}`, () => {
      const { picture: even } = toned(picture);
      const ink = page().pixels;
      const mean = (wanted: number): number => {
        const shades = even.pixels.filter((_shade, at) => ink[at] === wanted);
        return shades.reduce((sum, shade) => sum + shade, 0) / shades.length;
      };
      expect(mean(255)).toBeGreaterThan(245);
      expect(mean(0)).toBeLessThan(160);
    });
  test("a clean page is unchanged", () => {
    const clean = page();
    expect(toned(clean).picture).toBe(clean);
  });
  test("light letters on dark become dark, and large dark letters stay", () => {
    const picture = page();
    fill(picture, 40, [80, 620, 400, 40]);
    for (let x = 100; x < 460; x += 20) fill(picture, 250, [x, 632, 6, 16]);
    fill(picture, 0, [600, 600, 30, 60]);
    const { picture: even, grounds } = toned(picture);
    expect(grounds).toEqual([{ left: 80, top: 620, right: 480, bottom: 660 }]);
    expect(shadeAt(even, 103, 640)).toBeLessThan(60);
    expect(shadeAt(even, 92, 640)).toBeGreaterThan(240);
    expect(shadeAt(even, 615, 630)).toBe(0);
  });
});

test("dot leaders are removed, an ellipsis is not", () => {
  const picture = page();
  for (let x = 100; x < 500; x += 13) fill(picture, 0, [x, 640, 4, 4]);
  for (let x = 600; x < 640; x += 13) fill(picture, 0, [x, 640, 4, 4]);
  const { picture: cleared, leaders } = withoutLeaders(picture);
  expect(leaders.map(({ from, to }) => [from, to])).toEqual([[100, 493]]);
  expect([101, 361, 601].map((x) => shadeAt(cleared, x, 641))).toEqual([255, 255, 0]);
  const text = page();
  expect(withoutLeaders(text)).toEqual({ picture: text, leaders: [] });
});

test("letters outside recognized words are found, specks and bits of lines are not", () => {
  const picture = plain(width, height, 255);
  fill(picture, 0, [100, 100, 60, 24]);
  fill(picture, 0, [300, 100, 60, 24]);
  fill(picture, 0, [500, 110, 5, 5]);
  fill(picture, 0, [600, 100, 200, 3]);
  const words = [{ left: 98, top: 98, width: 64, height: 28 }];
  const regions = inkRegions(picture, { left: 0, top: 0, width, height }, words, 30);
  expect(regions.length).toBe(1);
  expect(regions[0]).toMatchObject({ left: 300, top: 96 });
});

describe("decoding the engine's images:", () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const hold = (
    bits: number,
    words_per_row: number,
    xres: number,
    yres: number,
    data: number[],
  ) => {
    const head = [
      3,
      data.length / words_per_row,
      bits,
      1,
      words_per_row,
      1,
      xres,
      yres,
      0,
      0,
      0,
      0,
    ];
    new Uint32Array(memory.buffer, 16, 13).set([...head, 256]);
    new Uint32Array(memory.buffer, 256, data.length).set(data);
    return readPix(memory, 16);
  };
  const cases: [string, ReturnType<typeof readPix>, number[], number][] = [
    ["one bit per pixel", hold(1, 1, 0, 0, [0b101 * 2 ** 29, 0]), [0, 255, 0, 255, 255, 255], 2],
    ["one byte per pixel", hold(8, 1, 0, 0, [0x10203000]), [16, 32, 48], 1],
    ["color", hold(32, 3, 0, 0, [0xff000000, 0x00ff0000, 0xffffff00]), [76, 150, 255], 1],
    [
      "a fax with half the vertical resolution",
      hold(8, 1, 204, 98, [0x10203000]),
      [16, 32, 48, 16, 32, 48],
      2,
    ],
    ["a resolution that no device has", hold(8, 1, 1_000_000, 1, [0x10203000]), [16, 32, 48], 1],
  ];
  for (const [why, found, pixels, rows] of cases)
    test(why, () =>
      expect(found?.picture).toEqual({ width: 3, height: rows, pixels: Uint8Array.from(pixels) }),
    );
  test("other depths are refused", () => expect(hold(16, 1, 0, 0, [0])).toBe(null));
});

describe("resizing and rotating images:", () => {
  const small: Gray = { width: 3, height: 2, pixels: Uint8Array.from([1, 2, 3, 4, 5, 6]) };
  const cases: [string, Gray, number[]][] = [
    ["transposed", transposed(small), [1, 4, 2, 5, 3, 6]],
    ["clockwise", turned(small, 1), [4, 1, 5, 2, 6, 3]],
    ["by 180 degrees", turned(small, 2), [6, 5, 4, 3, 2, 1]],
    ["counter-clockwise", turned(small, 3), [3, 6, 2, 5, 1, 4]],
  ];
  for (const [why, { pixels }, expected] of cases)
    test(why, () => expect([...pixels]).toEqual(expected));
  test("shrinking averages, and enlarging keeps an even gray", () => {
    const picture: Gray = {
      width: 4,
      height: 2,
      pixels: Uint8Array.from([0, 100, 200, 200, 0, 100, 200, 200]),
    };
    expect([...resized(picture, 2, 1).pixels]).toEqual([50, 200]);
    expect(resized(plain(5, 5, 90), 11, 13)).toEqual(plain(11, 13, 90));
  });
});
