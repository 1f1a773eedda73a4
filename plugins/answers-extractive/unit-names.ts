/** The names of units of measure in a language, by ICU. */

/** What is measured: a duration in days may be given in weeks. */
export type Dimension = keyof typeof units;

const units = {
  time: ["second", "minute", "hour", "day", "week", "month", "year"],
  length: ["millimeter", "centimeter", "meter", "kilometer", "inch", "foot", "yard", "mile"],
  mass: ["gram", "kilogram", "ounce", "pound", "stone"],
  volume: ["milliliter", "liter", "gallon", "fluid-ounce"],
  temperature: ["degree", "celsius", "fahrenheit"],
  share: ["percent"],
  data: ["bit", "byte", "kilobyte", "megabyte", "gigabyte", "terabyte"],
  speed: ["kilometer-per-hour", "mile-per-hour", "meter-per-second"],
  voltage: [],
  current: [],
  power: [],
  frequency: [],
  pressure: [],
  sound: [],
  resolution: [],
} as const;
/** Besides those of ICU, which has none of the last ones. */
const other_names: Readonly<Record<string, readonly string[]>> = {
  time: ["s", "min", "h", "日", "月", "星期", "礼拜", "岁", "歳", "ヶ月", "カ月", "箇月", "bulan"],
  mass: ["µg", "mg", "t", "公斤", "吨"],
  length: ["µm", "nm", "pt", "px", "points", "pixels"],
  volume: ["µl", "cl", "dl", "m³"],
  speed: ["mm/s", "cm/s", "m/s", "km/h", "rpm", "baud", "bps", "kbps", "Mbps", "Gbps", "bit/s"],
  voltage: ["V", "mV", "kV", "VDC", "VAC", "volt"],
  current: ["A", "mA", "µA", "ampere", "amps"],
  power: ["W", "mW", "kW", "VA", "kWh", "watt"],
  frequency: ["Hz", "kHz", "MHz", "GHz", "hertz"],
  pressure: ["bar", "mbar", "Pa", "hPa", "kPa", "MPa", "psi"],
  sound: ["dB", "decibel"],
  resolution: ["dpi", "ppi", "lpi", "px", "pixel", "megapixel"],
};
const dimensions = Object.keys(units) as readonly Dimension[];
/** One of each plural. */
const amounts = [1, 2, 5];
/** A longer name may have another ending: `दिन`, `दिनों`. */
const inflected_chars_min = 3;
const ending_chars_max = 5;

const names_of = new Map<string, readonly string[]>();

/** As patterns, in full and shortened. */
function namesOf(dimension: Dimension, language: string): readonly string[] {
  const key = `${dimension} ${language}`;
  const known = names_of.get(key);
  if (known) return known;
  const names = new Set(other_names[dimension]);
  for (const unit of units[dimension])
    for (const unitDisplay of ["long", "short"] as const) {
      const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay });
      for (const amount of amounts)
        for (const { type, value } of format.formatToParts(amount))
          if (type === "unit" || type === "percentSign") names.add(value.trim());
    }
  const patterns = [...names].sort((a, b) => b.length - a.length).map(patternOf);
  names_of.set(key, patterns);
  return patterns;
}
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
function patternOf(name: string): string {
  const written = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
  if (unspaced.test(name)) return written;
  // A single letter is a unit behind a number, or as the head of a column.
  if (name.length === 1 && /\p{L}/u.test(name))
    return `(?:(?<=\\p{Nd}\\s?)|(?<=[([]))${written}(?![\\p{L}\\p{M}])`;
  const endings = name.length < inflected_chars_min ? "" : `[\\p{L}\\p{M}]{0,${ending_chars_max}}`;
  const end = /\p{L}$/u.test(name) ? `${endings}(?![\\p{L}\\p{M}])` : "";
  return `(?<![\\p{L}\\p{M}])${written}${end}`;
}

/** The dimension of the unit with which a text begins, in one of the languages; null: none. */
export function dimensionOf(text: string, languages: readonly string[]): Dimension | null {
  const found = dimensions.find((dimension) =>
    languages.some((language) =>
      new RegExp(`^(?:${namesOf(dimension, language).join("|")})`, "iu").test(text),
    ),
  );
  return found ?? null;
}

/** Matches a unit of the dimension: `5kg`, `(kg)`. */
export function unitOf(dimension: Dimension, languages: readonly string[]): RegExp {
  const names = new Set(languages.flatMap((language) => namesOf(dimension, language)));
  return new RegExp([...names].join("|"), "iu");
}
