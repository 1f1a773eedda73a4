/**
 * The recogniser of text, Tesseract in WebAssembly: a picture goes in, words come out. Loaded on
 * first use, in the child, and kept for later pages.
 */
import wasm_path from "tesseract.js-core/tesseract-core-simd-lstm.wasm" with { type: "file" };
import type { Module, TessBaseAPI } from "tesseract.js-core/tesseract-core-simd-lstm.js";
import { EngineFailure } from "../child/engine-failure";
import { parseHocr, type SeenLine } from "./hocr";
import { languagesIn, type Language } from "./languages";

/**
 * How a picture is turned and mirrored before it is read, as EXIF counts: 1 not at all, 3 by half,
 * 6 by a quarter clockwise, 8 by a quarter counter-clockwise.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface Picture {
  /** PNG, JPEG, TIFF (its first frame), WebP, GIF, BMP or PGM. */
  readonly bytes: Uint8Array;
  /** Pixels, before it is turned. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** Null when the file may say it. */
  readonly dots_per_inch: number | null;
}
/** Pixels of the picture as it is turned. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Recogniser {
  /** Names of files in the directory for languages that are none. */
  readonly unusable: readonly string[];
  /**
   * The lines of a picture, or of the part of it inside a window. Null when it can't be decoded.
   * @throws EngineFailure
   */
  readonly read: (picture: Picture, window?: Window) => SeenLine[] | null;
}

interface Loaded {
  readonly module: Module;
  readonly api: TessBaseAPI;
  /** What the engine complained of since `said` was emptied. */
  readonly said: string[];
  /** The languages it was set up with. */
  set_up: string;
  /** What it has decoded. */
  picture: Picture | null;
  unusable: readonly string[];
}
let loaded: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const { default: start } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
  const said: string[] = [];
  const module = await start({
    wasmBinary: await Bun.file(wasm_path).arrayBuffer(),
    print: () => {},
    printErr: (line) => void said.push(line),
  });
  return { module, api: new module.TessBaseAPI(), said, set_up: "", picture: null, unusable: [] };
}

/** Ready for the languages that lie in this directory now. @throws EngineFailure */
export async function openRecogniser(directory: string): Promise<Recogniser> {
  const engine = await (loaded ??= load());
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      loaded = undefined;
      throw new EngineFailure(engine.module.HEAPU8?.byteLength ?? 0, cause);
    }
  };
  const languages = languagesIn(directory);
  const wanted = languages.map(({ name, version }) => `${name} ${version}`).join("\n");
  if (engine.set_up !== wanted) {
    const files = await Promise.all(
      languages.map(async ({ name, read }) => ({ name, bytes: await read() })),
    );
    guarded(() => setUp(engine, languages, files));
    engine.set_up = wanted;
  }
  return {
    unusable: engine.unusable,
    read: (picture, window) => guarded(() => read(engine, picture, window)),
  };
}

/** Neural network only: that is what the engine was built with. */
const oem_lstm_only = 1;
/** Finds columns, blocks and lines by itself. */
const psm_auto = 3;

function setUp(
  engine: Loaded,
  languages: readonly Language[],
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): void {
  const { module, api, said } = engine;
  for (const { name, bytes } of files) module.FS.writeFile(`${name}.traineddata`, bytes);
  said.length = 0;
  const failed = api.Init(null, languages.map(({ name }) => name).join("+"), oem_lstm_only) !== 0;
  engine.unusable = said.flatMap((line) => /^Failed loading language '(.+)'/.exec(line)?.[1] ?? []);
  for (const { name } of files) module.FS.unlink(`${name}.traineddata`);
  if (failed) throw new Error(`The recogniser can't be set up: ${said.join(" ")}`);
  api.SetPageSegMode(psm_auto);
}

/** Where the engine looks for the picture. */
const input = "/input";

function read(engine: Loaded, picture: Picture, window: Window | undefined): SeenLine[] | null {
  const { api, said } = engine;
  said.length = 0;
  if (engine.picture !== picture && !decode(engine, picture)) return null;
  const quarter = picture.orientation >= 5;
  const [width, height] = quarter
    ? [picture.height, picture.width]
    : [picture.width, picture.height];
  const { left, top, ...size } = window ?? { left: 0, top: 0, width, height };
  api.SetRectangle(left, top, size.width, size.height);
  api.Recognize(null);
  return parseHocr(api.GetHOCRText(0));
}

function decode(engine: Loaded, picture: Picture): boolean {
  const { module, api } = engine;
  engine.picture = null;
  api.Clear();
  module.FS.writeFile(input, picture.bytes);
  // Otherwise it would read the picture before this one once more.
  const decoded = api.SetImageFile(picture.orientation, 0) === 0;
  module.FS.unlink(input);
  if (!decoded) return false;
  if (picture.dots_per_inch !== null) api.SetSourceResolution(picture.dots_per_inch);
  engine.picture = picture;
  return true;
}
