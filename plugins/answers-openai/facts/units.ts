/** Convertible units of measure in English, German, French and Spanish. */
import { folded } from "../../../core/lib/folded";

/** A unit of measure; `factor` converts it to the base unit of its dimension. */
export interface Unit {
  /** Only values of one dimension are compared. */
  readonly dimension: string;
  readonly factor: number;
}

const day_s = 86_400;
const lists: readonly (readonly [dimension: string, factor: number, words: string])[] = [
  ["time", 1, "second seconds sec secs s sekunde sekunden seconde secondes segundo segundos"],
  ["time", 60, "minute minutes min mins minuten minuto minutos"],
  ["time", 3_600, "hour hours hr hrs h stunde stunden std heure heures hora horas"],
  ["time", day_s, "day days tag tage tagen jour jours journee journees dia dias"],
  ["time", day_s * 7, "week weeks woche wochen semaine semaines semana semanas"],
  ["time", day_s * 30.4375, "month months monat monate monaten mois mes meses"],
  ["time", day_s * 365.25, "year years jahr jahre jahren an ans annee annees ano anos"],
  [
    "time",
    day_s * 3_652.5,
    "decade decades jahrzehnt jahrzehnte decennie decennies decada decadas",
  ],
  ["length", 0.001, "mm millimetre millimetres millimeter millimeters milimetro milimetros"],
  [
    "length",
    0.01,
    "cm centimetre centimetres centimeter centimeters zentimeter centimetro centimetros",
  ],
  ["length", 1, "m metre metres meter meters metern metro metros"],
  ["length", 1_000, "km kilometre kilometres kilometer kilometers kilometern kilometro kilometros"],
  ["length", 0.0254, "inch inches zoll pouce pouces pulgada pulgadas"],
  ["length", 0.3048, "foot feet ft"],
  ["length", 1_609.344, "mile miles meile meilen"],
  ["mass", 0.000001, "mg milligram milligrams milligramm"],
  ["mass", 0.001, "g gram grams gramme grammes gramm gramo gramos"],
  [
    "mass",
    1,
    "kg kilo kilos kilogram kilograms kilogramme kilogrammes kilogramm kilogramo kilogramos",
  ],
  ["mass", 1_000, "tonne tonnes ton tons tonnen tonelada toneladas"],
  ["volume", 0.001, "ml millilitre millilitres milliliter milliliters mililitro mililitros"],
  ["volume", 1, "l litre litres liter liters litern litro litros"],
  ["percent", 1, "% percent prozent percentage"],
  ["celsius", 1, "° degree degrees grad degre degres grado grados celsius °c"],
  ["fahrenheit", 1, "fahrenheit °f"],
  ["dollar", 1, "$ dollar dollars usd"],
  ["euro", 1, "€ euro euros eur"],
  ["sterling", 1, "£ gbp"],
  ["yen", 1, "¥ yen jpy"],
  ["franc", 1, "chf franken francs"],
  ["bytes", 1, "byte bytes"],
  ["bytes", 1e3, "kb kib kilobyte kilobytes"],
  ["bytes", 1e6, "mb mib megabyte megabytes"],
  ["bytes", 1e9, "gb gib gigabyte gigabytes"],
  ["bytes", 1e12, "tb tib terabyte terabytes"],
  ["volt", 1, "v volt volts voltios"],
  ["watt", 1, "w watt watts vatios"],
  ["watt", 1_000, "kw kilowatt kilowatts"],
  ["ampere", 1, "ampere amperes amps amperios"],
  ["hertz", 1, "hz hertz"],
  ["hertz", 1e3, "khz kilohertz"],
  ["hertz", 1e6, "mhz megahertz"],
  ["hertz", 1e9, "ghz gigahertz"],
  ["bar", 1, "bar bars"],
  ["times", 1, "times mal fois veces"],
];
const units: ReadonlyMap<string, Unit> = new Map(
  lists.flatMap(([dimension, factor, words]) =>
    words.split(" ").map((word) => [word, { dimension, factor }] as const),
  ),
);
/** The unit of a word; undefined if it is none. */
export const unitOf = (word: string): Unit | undefined => units.get(folded(word));

/** Words for frequencies, as a time: `quarterly` is three months. */
const frequencies: readonly (readonly [word: RegExp, count: number, unit: string])[] = [
  [/^(?:hourly|stundlich\w*)$/, 1, "hour"],
  [/^(?:daily|taglich\w*|quotidien\w*|diari[oa]\w*)$/, 1, "day"],
  [/^(?:weekly|wochentlich\w*|hebdomadaire\w*|semanal\w*)$/, 1, "week"],
  [/^(?:monthly|monatlich\w*|mensuel\w*|mensual\w*)$/, 1, "month"],
  [/^(?:quarterly|vierteljahrlich\w*|trimestriel\w*|trimestral\w*)$/, 3, "month"],
  [/^(?:halbjahrlich\w*|semestriel\w*|semestral\w*)$/, 6, "month"],
  [/^(?:yearly|annual|annually|jahrlich\w*|annuel\w*|anual\w*)$/, 1, "year"],
];
/** Seconds between two occurrences; undefined for any other word. */
export function intervalOf(word: string): number | undefined {
  const key = folded(word);
  const frequency = frequencies.find(([pattern]) => pattern.test(key));
  return frequency && frequency[1] * units.get(frequency[2])!.factor;
}
