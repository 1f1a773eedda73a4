/**
 * How words are inflected, by language (ISO 639-1), except Turkish (`turkish-forms.ts`). A paradigm
 * is a list of endings that replace each other; `-` is none. Accents make no difference, except in
 * Hindi. Endings that tell words of different meaning apart (`casa` and `caso`) are left out, as
 * are those that the analyzer removes anyway.
 */

const consonants = [..."bdfgklmnprstvz"];
/** Dutch `boom` and `bomen`, `groot` and `grote`. */
const dutch_vowels = [..."aeou"].flatMap((vowel) =>
  consonants.map((last) => `${vowel}${vowel}${last} ${vowel}${last}en ${vowel}${last}e`),
);
/** `brug` and `bruggen`, `wit` and `witte`. */
const dutch_consonants = consonants.map((last) => `${last} ${last}${last}en ${last}${last}e`);
const slavic_masculine = "- a u e ie y i owi em ow ami ach om";

/** The paradigms by language. */
export const paradigms: Readonly<Record<string, readonly string[]>> = {
  ru: [
    "- а у ом ем е ы и ов ев ей ам ям ами ями ах ях",
    "а я ы и е у ю ой ей ею ою - ам ям ами ями ах ях",
    "о е а я у ю ом ем - ам ям ами ями ах ях ей",
    "ь я ю ем е и ей ям ями ях ью",
    "й я ю ем е и ев ям ями ях",
    "ия ии ию ией ий иям иями иях ие ием",
    "ый ий ой ая яя ое ее ые ие ого его ому ему ым им ую юю ых их ом ем ей",
  ],
  uk: [
    "- а у ові ом ем і ю и ів ам ями ами ах ях",
    "а я и і у ю ою ею - ам ям ами ями ах ях ї є",
    "о е а я у ю ом ем і - ам ям ами ями ах ях",
    "ь я ю ем і ів ям ями ях",
    "ий ій а я е є і ого його ому йому им їм у ю их їх ої ою",
  ],
  el: [
    "ος ου ο ε οι ων ους",
    "ας α ες ων",
    "ης η ες ων",
    "α ας ες ων",
    "η ης ες ων εις εως εων",
    "ο ου α ων",
    "ι ιου ια ιων",
    "μα ματος ματα ματων",
    "ος ους η ων",
    "ος η ο ου ης οι ες ων ους",
  ],
  hi: [
    // Nouns: masculine, feminine, either.
    "ा े ों",
    "- ें ों",
    "ी ियाँ ियों",
    "ि ियाँ ियों",
    "- एँ ओं",
    "ू ुओं ुएँ",
    "- ों",
    // Adjectives, verbs.
    "ा े ी",
    "ना ने नी ता ते ती",
  ],
  ar: ["ة ات تها ته تهم تك تنا"],
  de: [
    "- e en er es em ern s",
    "- n s",
    "en t te ten",
    "en et ete eten",
    "eln elt elte elten",
    "ern ert erte erten",
  ],
  nl: ["- en s", "- eren", "s zen", "f ven", ...dutch_vowels, ...dutch_consonants],
  sv: [
    "- en et ar er or arna erna na s",
    "a an or orna",
    "e en ar arna",
    "- n t na r rna",
    "el eln lar larna",
    "er ret ren rar rarna",
  ],
  da: ["- en et e er ene erne s", "e en er erne et", "- n t r ne rne"],
  no: ["- en et er ene e a s", "e en er ene et a", "- n t r ne"],
  fr: ["al aux ale ales", "ail aux", "au aux", "eu eux", "eux euse euses", "if ive ifs ives"],
  es: ["- es", "z ces"],
  pt: ["- s", "ao oes", "ao aes", "al ais", "el eis", "ol ois", "m ns", "- es"],
  it: ["o i", "a e", "e i", "io i", "co chi", "go ghi", "ca che", "ga ghe", "cia ce", "gia ge"],
  ro: [
    "- ul ului i ii ilor uri urile e ele elor",
    "a e ei ele elor",
    "e ea ii i ile ilor",
    "ie ia ii iei iile",
  ],
  pl: [
    slavic_masculine,
    "a y i e ie o om ami ach -",
    "o a u em ie e om ami ach -",
    "y a e ego emu ym ej ych ymi",
  ],
  cs: [
    "- u a e em y i ech um ami ove ovi ech ich",
    "a y e u o ou am ami ach -",
    "o a u em e um y ech -",
    "y a e eho emu ym ej ych ymi",
  ],
  fi: [
    "- n t a ta ssa sta lla lta lle na ksi in en an on",
    "- in ia ien iin issa ista illa ilta ille ina iksi",
    "i en ia e ien",
    "nen sen set sia sta seen",
    "s ksen kset ksia ksessa",
    "in imen imet imia imella",
    "a oja ojen oissa oista",
    "ki gin git gissa gista gille",
    "kka kan kat",
    "kki kin kit",
    "ppi pin pit",
    "tti tin tit",
    "pa van vat",
    "ka an at",
    "ta dan dat",
  ],
  hu: [
    "- k t nak nek ban ben ba be bol rol ra re val vel hoz hez n",
    "- ok ek ak ot et at on en om em am a e ja je unk",
    "a ak at aban abol ara an aval",
    "e ek et eben ebol ere en evel",
    "- ban ben ba be nak nek bol ra re ok ek ak",
  ],
};
