/**
 * Runs in the child: the engine of text recognition, Tesseract in WebAssembly. Loaded on first use,
 * and kept for later pages.
 */
import wasm_path from "tesseract.js-core/tesseract-core-simd-lstm.wasm" with { type: "file" };
import type { Module, TessBaseAPI } from "tesseract.js-core/tesseract-core-simd-lstm.js";
import { EngineFailure } from "../child/engine-failure";
import { parseHocr, type RecognisedLine } from "./hocr";
import { languagesIn, type Language } from "./languages";

/**
 * How a picture is turned and mirrored before it is read, in the numbers of EXIF: 1 not at all, 3
 * by half, 6 by a quarter clockwise, 8 by a quarter counter-clockwise.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface Picture {
  /** PNG, JPEG, TIFF (its first frame), WebP, GIF, BMP or PGM. */
  readonly bytes: Uint8Array;
  /** Pixels, before it is turned. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** Null when only the file may tell. */
  readonly dots_per_inch: number | null;
}
/** A part of a picture, pixels, once it is turned. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Recogniser {
  /** Files for languages that can't be used, by name. */
  readonly unusable_languages: readonly string[];
  /** The lines of a picture, or of a part; null when it can't be decoded. @throws EngineFailure */
  readonly read: (picture: Picture, window?: Window) => RecognisedLine[] | null;
}

interface Loaded {
  readonly module: Module;
  readonly api: TessBaseAPI;
  /** Messages of the engine since they were last cleared. */
  readonly messages: string[];
  /** The languages it was set up with. */
  languages: string;
  /** The picture that is decoded. */
  picture: Picture | null;
  unusable_languages: readonly string[];
}
let loaded: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const { default: start } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
  const messages: string[] = [];
  const module = await start({
    wasmBinary: await Bun.file(wasm_path).arrayBuffer(),
    print: () => {},
    printErr: (line) => void messages.push(line),
  });
  return {
    module,
    api: new module.TessBaseAPI(),
    messages,
    languages: "",
    picture: null,
    unusable_languages: [],
  };
}

/** The engine, set up for the languages that are in this directory now. @throws EngineFailure */
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
  if (engine.languages !== wanted) {
    const files = await Promise.all(
      languages.map(async ({ name, read }) => ({ name, bytes: await read() })),
    );
    guarded(() => setUp(engine, languages, files));
    engine.languages = wanted;
  }
  return {
    unusable_languages: engine.unusable_languages,
    read: (picture, window) => guarded(() => read(engine, picture, window)),
  };
}

/** The only mode that the engine was built with. */
const oem_lstm_only = 1;
/** Detects columns, blocks and lines. */
const psm_auto = 3;

function setUp(
  engine: Loaded,
  languages: readonly Language[],
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): void {
  const { module, api, messages } = engine;
  for (const { name, bytes } of files) module.FS.writeFile(`${name}.traineddata`, bytes);
  messages.length = 0;
  const failed = api.Init(null, languages.map(({ name }) => name).join("+"), oem_lstm_only) !== 0;
  engine.unusable_languages = messages.flatMap(
    (line) => /^Failed loading language '(.+)'/.exec(line)?.[1] ?? [],
  );
  for (const { name } of files) module.FS.unlink(`${name}.traineddata`);
  if (failed) throw new Error(`The recogniser can't be set up: ${messages.join(" ")}`);
  api.SetPageSegMode(psm_auto);
}

/** Where the engine looks for the picture. */
const input = "/input";

function read(
  engine: Loaded,
  picture: Picture,
  window: Window | undefined,
): RecognisedLine[] | null {
  const { api, messages } = engine;
  messages.length = 0;
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
  // When it fails, the engine would go on with the picture before this one.
  const decoded = api.SetImageFile(picture.orientation, 0) === 0;
  module.FS.unlink(input);
  if (!decoded) return false;
  if (picture.dots_per_inch !== null) api.SetSourceResolution(picture.dots_per_inch);
  engine.picture = picture;
  return true;
}
