/**
 * Forms of English and German words that no ending explains: `sweep` and `swept`, `mouse` and
 * `mice`, `laden` and `lädt`; and German participles. Left out are forms that are common words of
 * another meaning (`left`, `saw`, `LED`, `stand`), or have the stem of one (`person` that of
 * `personal`), and verbs that say little by themselves (`make`, `take`, `show`).
 */
import { porter2 } from "./porter2";

const english = `
  arise arose arisen, awake awoke awoken, bend bent, bind bound, bite bitten, bleed bled,
  blow blew blown, break broke broken, breed bred, build built, burn burnt, buy bought,
  catch caught, choose chose chosen, creep crept, deal dealt, dig dug, draw drew drawn,
  dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, feed fed, fight fought,
  flee fled, fling flung, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
  forgive forgave forgiven, freeze froze frozen, grow grew grown, hang hung, hear heard,
  hide hidden, kneel knelt, lay laid, lean leant, leap leapt, learn learnt, lend lent, light lit,
  lose lost, meet met, mislead misled, mistake mistook mistaken, misunderstand misunderstood,
  outgrow outgrew outgrown, overcome overcame, override overrode overridden,
  overtake overtook overtaken, overwrite overwrote overwritten, pay paid, prove proven,
  rebuild rebuilt, repay repaid, resend resent, rewrite rewrote rewritten, ride rode ridden,
  ring rang rung, rise risen, run ran, seek sought, sell sold, send sent, sew sewn,
  shake shook shaken, shine shone, shoot shot, shrink shrank shrunk, sing sang sung,
  sink sank sunk, sit sat, sleep slept, slide slid, smell smelt, sow sown, speak spoken,
  spell spelt, spend spent, spill spilt, spin spun, spoil spoilt, spring sprang sprung,
  steal stole stolen, stick stuck, sting stung, strike struck stricken, string strung,
  swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung, teach taught,
  tear tore torn, throw threw thrown, undergo underwent undergone, understand understood,
  undertake undertook undertaken, undo undid undone, unwind unwound, uphold upheld,
  wake woke woken, wear wore worn, weave wove woven, weep wept, win won,
  withdraw withdrew withdrawn, withhold withheld, write wrote written, antenna antennae,
  appendix appendices, axis axes, bacterium bacteria, cactus cacti, child children,
  corpus corpora, crisis crises, criterion criteria, curriculum curricula, foot feet,
  formula formulae, fungus fungi, goose geese, half halves, hypothesis hypotheses, knife knives,
  larva larvae, loaf loaves, man men, matrix matrices, mouse mice, nucleus nuclei,
  phenomenon phenomena, radius radii, shelf shelves, stimulus stimuli, thief thieves, tooth teeth,
  vertex vertices, wife wives, wolf wolves, woman women`;

const german = `
  beginnen beginnt begann begonnen, bergen birgt geborgen, biegen bog gebogen, bieten bot geboten,
  binden gebunden, bitten bat gebeten, blasen bläst blies geblasen, bleiben blieb geblieben,
  brechen bricht brach gebrochen, brennen brannte gebrannt, bringen brachte gebracht,
  denken dachte gedacht, dürfen darf durfte, essen isst aß gegessen, fahren fährt fuhr gefahren,
  fallen fällt fiel gefallen, fangen fängt fing gefangen, finden fand gefunden,
  fliegen flog geflogen, fließen floss geflossen, frieren fror gefroren, geben gibt gab gegeben,
  gehen ging gegangen, gelten gilt galt gegolten, gewinnen gewann gewonnen, gießen goss gegossen,
  graben gräbt grub gegraben, greifen gegriffen, halten hält hielt gehalten, hängen hing gehangen,
  heben hob gehoben, helfen hilft geholfen, kennen kannte gekannt, kommen kam gekommen,
  laden lädt lud geladen, lassen lässt ließ gelassen, laufen läuft lief gelaufen,
  leihen lieh geliehen, lesen liest gelesen, liegen lag gelegen, messen misst gemessen,
  nehmen nimmt nahm genommen, nennen nannte genannt, raten rät riet geraten, reißen riss gerissen,
  rufen rief gerufen, schaffen schuf geschaffen, scheiden schied geschieden,
  schieben schob geschoben, schlafen schläft schlief geschlafen,
  schlagen schlägt schlug geschlagen, schließen schloss geschlossen,
  schneiden geschnitten, schreiben schrieb geschrieben, schwimmen schwamm geschwommen,
  sehen sieht sah gesehen, senden sandte gesandt, singen sang gesungen, sinken sank gesunken,
  sitzen saß gesessen, sprechen spricht sprach gesprochen, springen sprang gesprungen,
  stehen gestanden, steigen stieg gestiegen, sterben stirbt starb gestorben,
  stoßen stößt stieß gestoßen, tragen trägt trug getragen, treffen trifft traf getroffen,
  treiben trieb getrieben, treten tritt trat getreten, trinken trank getrunken,
  vergessen vergisst vergaß, verlieren verlor verloren, wachsen wächst wuchs gewachsen,
  waschen wäscht wusch gewaschen, weisen wies gewiesen, wenden wandte gewandt,
  werfen wirft warf geworfen, wiegen wog gewogen, ziehen zog gezogen, zwingen zwang gezwungen`;

const groupsOf = (list: string): readonly string[][] =>
  list.split(",").map((group) => group.trim().split(/\s+/));
/** All forms of a word by each of them. */
const byForm = (groups: readonly string[][]): Map<string, readonly string[]> =>
  new Map(groups.flatMap((forms) => forms.map((form) => [form, forms] as const)));

const english_groups = byForm(groupsOf(english));
/** By the stem of the first form, so that `sweeping` is found, too. */
const english_groups_by_stem = new Map(
  groupsOf(english).map((forms) => [porter2(forms[0]!), forms] as const),
);
const german_groups = byForm(groupsOf(german));

/** `word` is in lower case. */
export const irregularEnglish = (word: string): readonly string[] =>
  english_groups.get(word) ?? english_groups_by_stem.get(porter2(word)) ?? [];

const separable = "ab|an|auf|aus|bei|durch|ein|her|hin|los|mit|nach|um|vor|zu";
const prefix = new RegExp(`^(?:be|ent|er|ver|zer|${separable})(?=...)`);
/** A participle, whose stem is between `ge` and the ending. */
const participle = /^ge(.{3,}?)e?t$/;
const infinitive = /^(.{2,}e[lr]|.{3,}e)n$/;
/** After such a stem, the ending is `et`. */
const needs_vowel = /(?:[dt]|[^aeiouyäöülrhnm][nm])$/;

/** Forms of a German verb that its endings don't explain, with its prefix; in lower case. */
export function germanForms(word: string): string[] {
  const before = prefix.exec(word)?.[0] ?? "";
  const verb = word.slice(before.length);
  return formsOfVerb(verb)
    .map((form) => before + form)
    .concat(before === "" ? [] : formsOfVerb(word));
}

const formsOfVerb = (verb: string): readonly string[] =>
  german_groups.get(verb) ?? participleOrInfinitive(verb);

function participleOrInfinitive(verb: string): string[] {
  const of_participle = participle.exec(verb)?.[1];
  if (of_participle !== undefined)
    return [of_participle + (/e[lr]$/.test(of_participle) ? "n" : "en")];
  const stem = infinitive.exec(verb)?.[1]?.replace(/e$/, "");
  return stem === undefined ? [] : [`ge${stem}${needs_vowel.test(stem) ? "et" : "t"}`];
}
