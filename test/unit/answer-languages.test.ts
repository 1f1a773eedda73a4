/** Negations and number words of further languages in a model's answer. */
import { describe, expect, test } from "bun:test";
import { quantitiesIn } from "../../plugins/answers-openai/facts/quantities";
import { polarityOf } from "../../plugins/answers-openai/facts/polarity";
import { checkedAnswer as checked } from "../helpers/checked-answer";

const italian =
  "Il filtro della cappa va sostituito ogni novanta giorni. Il filtro non deve essere lavato. La " +
  "garanzia dura sette anni.";
const portuguese =
  "O filtro da coifa deve ser trocado a cada noventa dias. O filtro não pode ser lavado. A " +
  "garantia dura sete anos.";
const dutch =
  "Het filter van de afzuigkap moet elke negentig dagen worden vervangen. Het filter mag niet " +
  "worden gewassen. De garantie geldt zeven jaar.";
const polish =
  "Filtr okapu należy wymieniać co 90 dni. Filtra nie wolno myć w zmywarce. Gwarancja obowiązuje 7 " +
  "lat.";
const russian =
  "Фильтр вытяжки нужно менять каждые девяносто дней. Фильтр нельзя мыть в машине. Гарантия " +
  "действует семь лет.";
const turkish =
  "Filtre doksan günde bir değiştirilmelidir. Filtreyi deterjanla ve sıcak suyla yıkamayın. " +
  "Kireçlenmeden kaynaklanan arızalar garanti kapsamında değildir.";
const chinese =
  "员工须刷工牌用餐，食堂内禁止吸烟。食品留样保存48小时。不得将餐具带出食堂。滤网每月更换一次。";
const japanese =
  "内釜を食器洗い機で洗わないでください。内ぶたは毎日洗わなければなりません。保証期間は1年です。";

type Case = [why: string, source: string, statement: string, grounded: boolean];
const cases: Case[] = [
  ["Italian, a number in digits", italian, "La garanzia dura 7 anni [1].", true],
  ["Italian, another number", italian, "La garanzia dura nove anni [1].", false],
  ["Italian, a negation", italian, "Il filtro non deve essere lavato [1].", true],
  ["Italian, an omitted negation", italian, "Il filtro deve essere lavato [1].", false],
  ["Portuguese, a number in digits", portuguese, "A garantia dura 7 anos [1].", true],
  ["Portuguese, another number", portuguese, "A garantia dura nove anos [1].", false],
  ["Portuguese, a negation", portuguese, "O filtro não pode ser lavado [1].", true],
  ["Portuguese, an omitted negation", portuguese, "O filtro pode ser lavado [1].", false],
  ["Portuguese, no", portuguese, "Não, o filtro deve ser trocado a cada 90 dias [1].", true],
  ["Dutch, a number in digits", dutch, "De garantie geldt 7 jaar [1].", true],
  ["Dutch, another number", dutch, "De garantie geldt negen jaar [1].", false],
  ["Dutch, a negation", dutch, "Het filter mag niet worden gewassen [1].", true],
  ["Dutch, an omitted negation", dutch, "Het filter mag worden gewassen [1].", false],
  [
    "Dutch, a word that is negated later in the sentence",
    "Het abonnement duurt twaalf maanden en kan niet in de eerste drie maanden worden opgezegd.",
    "Het abonnement duurt 12 maanden [1].",
    true,
  ],
  ["Polish, a negation", polish, "Filtra nie wolno myć w zmywarce [1].", true],
  ["Polish, an omitted negation", polish, "Filtra wolno myć w zmywarce [1].", false],
  ["Polish, an added negation", polish, "Gwarancja nigdy obowiązuje 7 lat [1].", false],
  ["Russian, a number in digits", russian, "Гарантия действует 7 лет [1].", true],
  ["Russian, another number", russian, "Гарантия действует девять лет [1].", false],
  ["Russian, a number in its genitive", russian, "Гарантия действует до семи лет [1].", true],
  ["Russian, a negation", russian, "Фильтр нельзя мыть в машине [1].", true],
  ["Russian, an omitted negation", russian, "Фильтр нужно мыть в машине [1].", false],
  ["Turkish, a negation by an ending", turkish, "Filtreyi deterjanla yıkamayın [1].", true],
  ["Turkish, an omitted negation", turkish, "Filtreyi deterjanla yıkayın [1].", false],
  [
    "Turkish, a negation as a word",
    turkish,
    "Kireçlenmeden kaynaklanan arızalar garanti kapsamında değildir [1].",
    true,
  ],
  [
    "Turkish, that word is omitted",
    turkish,
    "Kireçlenmeden kaynaklanan arızalar garanti kapsamındadır [1].",
    false,
  ],
  ["Chinese, a negation", chinese, "食堂内禁止吸烟 [1]。", true],
  ["Chinese, an omitted negation", chinese, "食堂内可以吸烟 [1]。", false],
  ["Chinese, an added negation", chinese, "食品留样不保存48小时 [1]。", false],
  ["Chinese, what comes before a negation", chinese, "员工须刷工牌用餐 [1]。", true],
  ["Japanese, a negation", japanese, "内釜を食器洗い機で洗わないでください [1]。", true],
  ["Japanese, an omitted negation", japanese, "内釜を食器洗い機で洗ってください [1]。", false],
  ["Japanese, a duty", japanese, "内ぶたは毎日洗わなければなりません [1]。", true],
];
describe("a statement in", () => {
  test.each(cases)("%s", (_why, source, statement, grounded) =>
    expect(checked(statement, [source], statement).grounded).toBe(grounded),
  );
});

describe("no negation", () => {
  test.each([
    ["not only", "non solo la cappa"],
    ["not only", "niet alleen de kap"],
    ["not only", "nie tylko okap"],
    ["not only", "не только вытяжка"],
    ["a bound", "non più di sette anni"],
    ["a bound", "não mais de sete anos"],
    ["a bound", "не более семи лет"],
    ["a prefix", "the non-profit organisation"],
    ["an alternative", "lavable ou non"],
    ["May in German", "im Mai"],
    ["not only in Turkish", "yalnızca değil"],
    ["no ending of Turkish", "The comedian took immediate remedial media action"],
    ["a bound in Chinese", "温度不超过28度"],
    ["not only in Chinese", "不仅便宜"],
    ["two in Chinese make a duty", "不得不更换"],
    ["two in Japanese make a duty", "毎回洗わなければなりません"],
    ["not only in Japanese", "水だけではありません"],
    ["free of charge in Japanese", "入館は無料です"],
    ["an alternative", "is it open or not?"],
  ] as [why: string, clause: string][])("%s: %s", (_why, clause) =>
    expect(polarityOf(clause).is_negated).toBe(false),
  );
});

describe("no other number in", () => {
  test.each([
    ["payment is due", []],
    ["es sei denn", []],
    ["Otto und jeden Dez. im Jahr", []],
    ["двести пятьдесят один", [251]],
    ["noventa e cinco dias", [95]],
    ["twenty and five", [25]],
  ] as [text: string, values: number[]][])("%s", (text, values) =>
    expect(quantitiesIn(text).map((quantity) => quantity.values[0]!)).toEqual(values),
  );
});
