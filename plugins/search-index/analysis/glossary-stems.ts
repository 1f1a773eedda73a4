/**
 * Stems by which other forms of the glossary's words are found. They need not be words: it is
 * enough that the forms of one have the same stem, and other words rarely do.
 */
import type { GlossaryLanguage } from "./glossary-files";
import { plainSpelling } from "./devanagari-spelling";
import { arabic_prefixes } from "./analyzer";
import { porter2 } from "./porter2";

const accents =
  /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}])\p{M}+/gu;
/** Letters without accents; the vowels of Hindi are no accents. */
export const plainLetters = (word: string): string =>
  plainSpelling(word) ?? word.normalize("NFKD").replace(accents, "").replaceAll("ß", "ss");

/** The longest of these endings behind at least `stem_min` letters. */
const anyOf = (some: string, stem_min = 3): RegExp =>
  new RegExp(`(?<=.{${stem_min}})(?:${some.replaceAll(" ", "|")})$`);

/**
 * Endings of inflected forms, without accents. Languages that are missing here have none (Chinese,
 * Vietnamese, Thai), or words without spaces, of which only the dictionary form is found.
 */
const endings: Partial<Record<GlossaryLanguage, RegExp>> = {
  de: /(?<=....)(?:e[mr]?|[nst])+$/,
  fr: anyOf(
    "aient issent eront era erait ait ant e ee ees er ez ent ons ir it re i is ie ies ue us " +
      "ues u es s x",
  ),
  es: anyOf(
    "aba aban aron ieron iendo ando ara aran ado ada ados adas ido ida idos idas amos emos " +
      "imos ian ar er ir an en on a e o as es os s",
  ),
  it: anyOf(
    "ando endo ava avano eva evano iva ivano arono erono irono ato ata ati ate uto uta uti " +
      "ute ito ita iti ite isce isco iscono are ere ire iamo ano ono era eranno ira iranno he " +
      "hi ia ie io ii a e i o u",
    4,
  ),
  pt: anyOf(
    "ando endo indo ava avam ia iam aram eram iram ado ada ados adas ido ida idos idas amos " +
      "emos imos ar er ir am em ou eu iu ao aos oes aes a e o as es os s",
    4,
  ),
  ru: anyOf(
    "иями ями ами иеи ием иям иях ям ам ах ях ого его ому ему ым им ыми ими ых их ои еи ыи " +
      "ии ая яя ое ее ые ие ую юю ия ию ья ью ов ев ем ом ать ять еть ить уть ти ть аться " +
      "яться иться еться ует уют ает ают яет яют ит ят ат ет ут ют ал ала али ило ил ила или " +
      "ел ела ели ло ла ли л ан ана ано аны ен ена ено ены ется ются ится ятся а я ы и у ю о " +
      "е ь",
    4,
  ),
  el: anyOf(
    "ματος ματα ματων μα ησης ησεις ησεων ηση εις εων ους ος ου οι ων ον ες ας ης η α ο ι ε " +
      "ω ς ει ουμε ετε ουν αω αει αμε ατε ανε αν ομαι εσαι εται ομαστε ονται ζω ζει ζουμε " +
      "ζετε ζουν ζεται ζονται σω σεις σει σουμε σετε σουν σε σα σαν στηκε στει νω νει νουμε " +
      "νουν νεται ξω ξει ξε ψω ψει ψε ευω ευει ευουν ευσε ευσει ευτηκε θηκε θει ησω ησει ησε " +
      "ησαν",
  ),
  nl: anyOf("en e s t te ten de den end ende je jes n", 4),
  pl: anyOf(
    "ami ach ow om ie y i e a u em iem owi ego emu ych ymi ej ac ec ic yc owac uje uja ował " +
      "owała owany owana owane ał ała ali ił iła ili ony ona one any ana ane esz ysz isz my",
    4,
  ),
  cs: anyOf(
    "ami ach ech ich ovi em om ou y i e a u o um im ym emu eho ho mu ymi imi ej at et it yt " +
      "ut ovat uje uji oval ovala ovano ovany ovan al ala ali il ila ili el ela eli en ena " +
      "eno eny an ana ano any",
    4,
  ),
  ro: anyOf(
    "ului urilor uri urile ilor elor iile ii ul a ile ele lor le i e u ea ia iei ei ind and " +
      "eaza este esc esti at ata ati ate it ita iti ite ut uta uti ute are ere ire ez ezi eze " +
      "am ai au",
    4,
  ),
  sv: anyOf(
    "orna arna erna ar or er en et an na ade at ad as de t te ts s a e n r are ast aste " +
      "ande ende",
    4,
  ),
  uk: anyOf(
    "ями ами ові еві ем ом ою ею ям ам ах ях ів їв ого ього ому ьому им ім ими іми их іх ий " +
      "ій а я о е є і ї и у ю ь ати яти ити іти ути ться ється ються ує ють ать ять ить ав " +
      "ала али ив ила или іла іли ано ена ено ені ана ані ення ання",
    4,
  ),
  ar: /(?<=...)(?:ات|ون|ين|ان|ها|هم|ة|ه|ية|ي|نا|ا)$/,
  hi: anyOf(
    "ियों ियाँ ियां ाओं ाएँ ाएं ुओं ओं एँ ों ें ीं ना ने नी ता ते ती या ये ाना ाने ानी ाता " +
      "ाते ाती ाया ाए ाये ाई ा े ी ि ो",
    2,
  ),
  tr: new RegExp(
    "(?<=...)(?:[ıiuü][ln])?(?:m[ae](?:k|l[ıi]|d[ae]n|y[ae]|s[ıi])?|[dt][ıiuü]|m[ıiuü]ş|" +
      "[ıiuü]?yor|[ae]c[ae][kğ]|[ıiuüae]r|[dt][ıiuü][kğ])" +
      "(?:[ıiuü]?[mnkz]|y[ıiuü]m|l[ae]r|[ıiuü])*$",
  ),
};

/** Equal for the forms of a word in lower case, as far as their endings tell. */
export function glossaryStem(language: GlossaryLanguage, word: string): string {
  if (language === "en") return porter2(word);
  const of_language = endings[language];
  const stem = of_language === undefined ? word : word.replace(of_language, "");
  return language === "ar" ? stem.replace(arabic_prefixes, "") : stem;
}
