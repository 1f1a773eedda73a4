/**
 * Runs in the child: the text recognition engine, Tesseract in WebAssembly. Loaded on first use,
 * and kept for later pages.
 */
import wasm_path from "tesseract.js-core/tesseract-core-simd-lstm.wasm" with { type: "file" };
import type { Module, TessBaseAPI } from "tesseract.js-core/tesseract-core-simd-lstm.js";
import { readPacked } from "../../../core/lib/packed-file";
import { EngineFailure } from "../child/engine-failure";
import { toPgm, type Gray, type Scan, type Window } from "./bitmap";
import { parseHocr, type RecognisedLine } from "./hocr";
import { languagesIn, type Language } from "./languages";
import { readPix } from "./pix";

/**
 * How an image is rotated and mirrored before recognition, as EXIF numbers: 1 not at all, 3 by 180
 * degrees, 6 by 90 degrees clockwise, 8 by 90 degrees counter-clockwise.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** What an image, or a part of it, shows: a whole page, or one block of text. */
export type Layout = "page" | "block";

/** The engine with its languages. */
export interface Recogniser {
  /** Unusable language files, by name. */
  readonly unusable_languages: readonly string[];
  /**
   * Decodes a PNG, JPEG, TIFF (first frame), WebP, GIF, BMP or PGM file, rotated; null if it can't
   * be decoded. @throws EngineFailure
   */
  readonly decode: (file: Uint8Array, orientation: Orientation) => Scan | null;
  /** The lines of an image, or of a part. @throws EngineFailure */
  readonly read: (scan: Scan, window?: Window, layout?: Layout) => RecognisedLine[];
}

interface Loaded {
  readonly module: Module;
  readonly memory: WebAssembly.Memory;
  readonly api: TessBaseAPI;
  /** Messages of the engine since they were last cleared. */
  readonly messages: string[];
  /** The languages it was initialised with. */
  languages: string;
  /** The image that it holds. */
  picture: Gray | null;
  layout: Layout;
  unusable_languages: readonly string[];
}
let loaded: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const { default: start } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
  const messages: string[] = [];
  const code = await WebAssembly.compile(await readPacked(wasm_path));
  let memory: WebAssembly.Memory | undefined;
  const module = await start({
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(code, imports);
      memory = Object.values(instance.exports).find(
        (exported) => exported instanceof WebAssembly.Memory,
      );
      done(instance, code);
    },
    print: () => {},
    printErr: (line) => {
      messages.push(line);
    },
  });
  return {
    module,
    memory: memory!,
    api: new module.TessBaseAPI(),
    messages,
    languages: "",
    picture: null,
    layout: "page",
    unusable_languages: [],
  };
}

/**
 * The engine, initialised for the languages that are in this directory now. @throws EngineFailure
 */
export async function openRecogniser(directory: string): Promise<Recogniser> {
  const engine = await (loaded ??= load());
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      loaded = undefined;
      throw new EngineFailure(engine.memory.buffer.byteLength, cause);
    }
  };
  const languages = languagesIn(directory);
  const available = languages.map(({ name, version }) => `${name} ${version}`).join("\n");
  if (engine.languages !== available) {
    const files = await Promise.all(
      languages.map(async ({ name, read }) => ({ name, bytes: await read() })),
    );
    guarded(() => setUp(engine, languages, files));
    engine.languages = available;
  }
  return {
    unusable_languages: engine.unusable_languages,
    decode: (file, orientation) => guarded(() => decode(engine, file, orientation)),
    read: (scan, window, layout = "page") => guarded(() => read(engine, scan, window, layout)),
  };
}

/** The only mode that the engine was built with. */
const oem_lstm_only = 1;
/** A page has columns, blocks and lines. */
const modes: Readonly<Record<Layout, number>> = { page: 3, block: 6 };

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
  api.SetPageSegMode(modes[engine.layout]);
}

/** Where the engine expects the image. */
const input = "/input";

/** Passes an image file to the engine; false if it can't be decoded. */
function setPicture(engine: Loaded, file: Uint8Array, orientation: Orientation): boolean {
  const { module, api, messages } = engine;
  messages.length = 0;
  engine.picture = null;
  api.Clear();
  module.FS.writeFile(input, file);
  // After a failure, the engine would continue with the previous image.
  const decoded = api.SetImageFile(orientation, 0) === 0;
  module.FS.unlink(input);
  return decoded;
}

function decode(engine: Loaded, file: Uint8Array, orientation: Orientation): Scan | null {
  if (!setPicture(engine, file, orientation)) return null;
  return readPix(engine.memory, engine.module.getPointer(engine.api.GetInputImage()));
}

function read(
  engine: Loaded,
  { picture, dots_per_inch }: Scan,
  window: Window | undefined,
  layout: Layout,
): RecognisedLine[] {
  const { api } = engine;
  if (engine.picture !== picture) {
    if (!setPicture(engine, toPgm(picture), 1)) return [];
    if (dots_per_inch !== null) api.SetSourceResolution(dots_per_inch);
    engine.picture = picture;
  }
  if (engine.layout !== layout) {
    api.SetPageSegMode(modes[layout]);
    engine.layout = layout;
  }
  const { left, top, width, height } = window ?? { left: 0, top: 0, ...picture };
  api.SetRectangle(left, top, width, height);
  api.Recognize(null);
  return parseHocr(api.GetHOCRText(0));
}
