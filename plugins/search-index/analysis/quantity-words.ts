/**
 * What texts write where a question asks for a quantity: "How heavy is it?" is answered below
 * "Weight", "Wie schwer ist es?" by the "Gewicht".
 */

interface Quantities {
  /** The word, or several, with which such a question begins. */
  readonly asks: string;
  /** Words right behind it, each with those of texts. */
  readonly adjectives: string;
  /** Words anywhere in the question, likewise. */
  readonly verbs: string;
}

/** By language (ISO 639-1), which the words tell apart. */
const quantities: Readonly<Record<string, Quantities>> = {
  en: {
    asks: "how",
    adjectives:
      "heavy: weight weigh mass, long: length duration, tall: height, high: height altitude, " +
      "wide: width, broad: width breadth, deep: depth, thick: thickness, " +
      "big: size dimension, large: size dimension capacity, fast: speed rate velocity, " +
      "quick: speed, hot: temperature, cold: temperature, warm: temperature, " +
      "loud: noise volume, noisy: noise, bright: brightness luminance, strong: strength, " +
      "far: distance range, old: age, often: frequency interval, " +
      "accurate: accuracy precision, precise: precision accuracy, expensive: price cost",
    verbs: "weigh: weight mass, cost: price fee, last: duration",
  },
  de: {
    asks: "wie",
    adjectives:
      "schwer: gewicht masse, lang: länge, lange: dauer, hoch: höhe, breit: breite, " +
      "tief: tiefe, dick: dicke stärke, groß: größe maße abmessungen, " +
      "schnell: geschwindigkeit, heiß: temperatur, warm: temperatur, kalt: temperatur, " +
      "laut: lautstärke geräusch, hell: helligkeit, stark: stärke, " +
      "weit: entfernung reichweite, alt: alter, oft: häufigkeit intervall, " +
      "häufig: häufigkeit intervall, genau: genauigkeit, teuer: preis kosten",
    verbs:
      "wiegt: gewicht masse, wiegen: gewicht masse, dauert: dauer, dauern: dauer, " +
      "kostet: preis gebühr, kosten: preis gebühr",
  },
  fr: {
    asks: "combien",
    adjectives: "",
    verbs:
      "pèse: poids masse, pèsent: poids masse, mesure: dimensions taille, dure: durée, " +
      "durent: durée, coûte: prix tarif, coûtent: prix tarif",
  },
  es: {
    asks: "cuánt[oa]",
    adjectives: "",
    verbs:
      "pesa: peso masa, pesan: peso masa, mide: dimensiones medidas, miden: dimensiones medidas, " +
      "dura: duración, duran: duración, cuesta: precio tarifa, cuestan: precio tarifa",
  },
  it: {
    asks: "quanto",
    adjectives: "grande: dimensioni, lungo: lunghezza, lunga: lunghezza, alto: altezza",
    verbs:
      "pesa: peso massa, pesano: peso massa, misura: dimensioni, dura: durata, durano: durata, " +
      "costa: prezzo tariffa, costano: prezzo tariffa",
  },
  nl: {
    asks: "hoe",
    adjectives:
      "zwaar: gewicht massa, lang: lengte duur, hoog: hoogte, breed: breedte, diep: diepte, " +
      "dik: dikte, groot: grootte afmetingen, snel: snelheid, warm: temperatuur, " +
      "ver: afstand bereik, oud: leeftijd, duur: prijs",
    verbs: "weegt: gewicht massa, wegen: gewicht massa, duurt: duur, kost: prijs",
  },
};

const tableOf = (list: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    list.split(", ").map((entry) => {
      const [word, written] = entry.split(": ");
      return [word!, written?.split(" ") ?? []] as const;
    }),
  );

const questions = Object.values(quantities).map(({ asks, adjectives, verbs }) => ({
  asks: new RegExp(`(?<![\\p{L}\\p{M}])${asks}(?![\\p{L}\\p{M}])`, "iu"),
  /** The text before an adjective. */
  is_before: new RegExp(`(?<![\\p{L}\\p{M}])${asks}\\s+$`, "iu"),
  adjectives: tableOf(adjectives),
  verbs: tableOf(verbs),
}));
/** More characters than `asks` and the space behind it have. */
const before_chars = 20;

/**
 * Returns a function from a word of the query, in lower case, and its UTF-16 index, to what texts
 * write instead.
 */
export function quantityWordsOf(query: string): (word: string, start: number) => readonly string[] {
  const asked = questions.filter(({ asks }) => asks.test(query));
  return (word, start) =>
    asked.flatMap(({ is_before, adjectives, verbs }) => {
      const of_adjective = adjectives.get(word);
      const before = query.slice(Math.max(0, start - before_chars), start);
      return of_adjective && is_before.test(before) ? of_adjective : (verbs.get(word) ?? []);
    });
}
