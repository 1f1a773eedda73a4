/** The kinds of answers that questions ask for: a number, a price, a default, an option … */
import { describe, expect, test } from "bun:test";
import { answerPattern } from "../../plugins/answers-extractive/answer-types";

describe("what a question asks for:", () => {
  const cases: [string, string, string | null, string | null][] = [
    ["how many: a number", "How many towers are there?", "There are 12.", "There are some."],
    ["how often: a frequency", "How often is it cleaned?", "Clean it each month.", "It is clean."],
    ["how often: a number", "How frequently does it run?", "In 40 minutes.", "It runs late."],
    ["how often in German", "Wie oft wird er gefegt?", "Täglich.", "Er wird gefegt."],
    ["how often in French", "À quelle fréquence ?", "Chaque lundi.", "Le lundi."],
    ["how often in Russian", "Как часто?", "Каждый день.", "Днём."],
    ["when: a date", "When was it built?", "It was built in 1889.", "It was built later."],
    ["what year: a date", "In what year did it open?", "It opened in the 1920s.", "It opened."],
    ["who: a name", "Who built it?", "It was built by Gustave.", "it was built by him."],
    ["where: a place", "Where does it stand?", "It stands in Paris.", "It stands there."],
    ["how many in German", "Wie viele Türme gibt es?", "Es gibt 12.", "Es gibt einige."],
    ["how long in German", "Wie lang ist er?", "Es sind 12 Meter.", "Er ist lang."],
    ["how many in Arabic, with Arabic digits", "كم عدد الأبراج؟", "هناك ١٢ برجا", "هناك أبراج"],
    ["how many in Chinese, with Han numerals", "有多少座塔？", "有十二座塔。", "有很多塔。"],
    [
      "how many in German, in words",
      "Wie viele Stufen hat er?",
      "Er hat dreihundert.",
      "Er hat beachtlich viele.",
    ],
    ["how much: a factor in words", "How much shorter is it?", "It halves it.", "It helps it."],
    ["how much in German, a factor", "Wie viel ist es?", "Er halbiert es.", "Er hat es."],
    ["how many in Turkish, in words", "Kaç kule var?", "Yirmi altı kule var.", "Kuleler var."],
    ["how much in Turkish", "Bilet ne kadar?", "Bilet ellidir, yani beşe on var.", "Bilet burada."],
    ["how many in Greek, in words", "Πόσες φορές;", "Δύο φορές.", "Μερικές φορές."],
    ["how many in Hindi, in words", "कितने दिन?", "छब्बीस दिन।", "कुछ दिन।"],
    ["how many in Vietnamese, in words", "Có bao nhiêu tháp?", "Có mười tháp.", "Có nhiều tháp."],
    ["how many in Russian, in words", "Сколько башен?", "Их двенадцать.", "Их много."],
    ["how many in Thai, in words", "มีหอคอยกี่แห่ง", "มีสามแห่ง", "มีมาก"],
    [
      "when in Japanese",
      "塔はいつ建てられましたか？",
      "塔は1889年に建てられた。",
      "塔は建てられた。",
    ],
    ["what year in Spanish", "¿En qué año se abrió?", "Se abrió en 1889.", "Se abrió tarde."],
    ["who in Russian", "Кто построил башню?", "Башню построил Эйфель.", "башню построил он."],
    ["why: a reason", "Why is it famous?", "Because it is tall.", "It is tall."],
    ["which number: a number", "Which number stands for red?", "3 – Red", "A kind of red"],
    ["a price: a sum", "How much does a ticket cost?", "It is $20.", "It has 20 pages."],
    ["a price: a number beside the word", "What is the fee?", "The fee of it is 3.", "It is 3."],
    ["a price: in words", "What is the fee?", "Its fee is nine thousand.", "It is nine thousand."],
    ["a price in French", "Combien coûte une carte ?", "Elle est gratuite.", "Elle a 12 pages."],
    ["a price in German", "Was kostet eine Karte?", "Sie ist kostenlos.", "Sie ist aus Papier."],
    ["a price in Spanish", "¿Cuánto cuesta la entrada?", "Cuesta 20 euros.", "Mide 20 metros."],
    ["a price in Turkish", "Biletin fiyatı ne kadar?", "Bilet 20 liradır, 20 TL.", "20 derece."],
    ["a price in Japanese", "料金はいくらですか？", "料金は500円です。", "重さは500gです。"],
    ["a price in Chinese", "门票多少钱？", "门票20元。", "门票20张。"],
    [
      "a price: nothing is a price, freedom is not",
      "How much does it cost?",
      "It is free.",
      "A free text.",
    ],
    [
      "how much is it: a sum",
      "How much is delivery?",
      "It is 4.90 euros a month.",
      "It takes 3 to 5 working days.",
    ],
    [
      "how much is it: a share",
      "How much is the discount?",
      "It is 20 percent.",
      "It is for two months.",
    ],
    ["an email address", "What is the email address?", "Write to a@b.example.", "Write to us."],
    ["a telephone number", "Wie ist die Telefonnummer?", "Telefon 0711 44 82", "Zimmer 071."],
    ["when in German: a date", "Wann beginnt es?", "Am 3. Oktober.", "Nach 3 Tagen."],
    ["when in German: a weekday", "Wann ist offen?", "Jeden Dienstag.", "Jeden Tag."],
    ["when in Russian: a date", "Когда начало?", "Третьего октября.", "Третьего дня."],
    ["when in Greek: a date", "Πότε αρχίζει;", "Στις 5 Οκτωβρίου.", "Με 5 άτομα."],
    ["when: a time of day", "When does it open?", "It opens at 7:30.", "It opens with 7 keys."],
    ["what time: a time of day", "À quelle heure ?", "Le bus part à 6 h 10.", "Le bus 6 part."],
    ["what time in Hindi", "कितने बजे?", "सुबह 9 बजे", "9 पुस्तकें"],
    ["what time in Chinese", "几点开门？", "早上七点开门。", "开门七次。"],
    ["until when: an end", "Until when is it valid?", "It ends on 3 May.", "It began on 3 May."],
    ["until when in German", "Bis wann?", "Spätestens in vier Wochen.", "Alle vier Wochen."],
    ["since when: a beginning", "Seit wann gilt das?", "Ab dem 1. Juli 2023.", "Bis Juli 2023."],
    [
      "how many of a unit: one like it",
      "How many days?",
      "It takes two weeks.",
      "It takes two men.",
    ],
    ["how many of a unit: shortened", "Combien de litres ?", "Il contient 120 l.", "Il a 120 ans."],
    ["how many of a unit: in the head", "How many hours?", "Work (hours): 14", "Work (cost): 14"],
    ["how many of a unit in Turkish", "Kaç gün sürer?", "En fazla 20 iş günüdür.", "20 litredir."],
    ["how many of a unit in Hindi", "कितने दिनों के लिए?", "21 दिनों के लिए", "21 रुपये"],
    ["how many of a unit in Chinese", "几天？", "三天", "三张"],
    [
      "a temperature",
      "At what temperature is it kept?",
      "Keep it at −80 °C.",
      "Keep it for 80 days.",
    ],
    ["what not: a negation", "What must I not do?", "Never open it.", "Always open it."],
    [
      "what not in German: a ban",
      "Was darf man nicht?",
      "Grillen ist verboten.",
      "Grillen ist gut.",
    ],
    ["what not in Turkish", "Ne yapılmaz?", "Cihazı boşken çalıştırmayın.", "Cihazı çalıştırın."],
    [
      "what not in Japanese",
      "洗ってはいけないものは？",
      "内釜は洗わないでください。",
      "内釜を洗います。",
    ],
    ["a default: its value", "What is the default depth?", "Default: deep.", "All depths do."],
    ["by default: what it is", "How deep is it by default?", "The default is deep.", "It is 3 m."],
    ["a default: what holds otherwise", "Which is the default?", "If none is given, A.", "A is."],
    ["a default in German", "Wie tief ist es standardmäßig?", "Voreinstellung: tief", "Es ist 3 m"],
    ["how to: what to do", "How can I turn it?", "Press the key.", "The key turns it."],
    ["the way to: what to do", "What's the best way to turn it?", "Press the key.", "It turns."],
    ["how heavy: a mass", "How heavy is it?", "Weight: 5 kg", "Width: 5 cm"],
    ["the weight: a mass", "What is the weight?", "It weighs 20 pounds.", "It is 20 inches."],
    ["how wide: a length", "How wide is it?", "Width (mm): 30", "Width: 30"],
    ["the diameter: a length", "What is the diameter?", "12 mm at most.", "12 kg at most."],
    ["a voltage", "Which voltage is needed?", "It needs 5V.", "It needs 5 volumes."],
    ["how loud: decibels", "How loud is it?", "At most 60 dB.", "At most 60 doors."],
    ["a frequency in German", "Mit welcher Frequenz?", "Sie ist 20 MHz.", "Sie ist 20 Jahre alt."],
    ["a speed in French", "Quelle est la vitesse ?", "Elle est de 30 km/h.", "Elle a 30 ans."],
    ["a unit of one letter, behind a number", "Which voltage is needed?", "12 V", "12 of type V2"],
    ["its default: no quantity", "What is the default width?", "Default: wide", "It is 30 mm."],
    ["how to: an instruction", "How do I clean it?", "Use a brush.", "It is a brush."],
    ["how to: a purpose first", "How can I clean it?", "To clean it, wash it.", "It is clean."],
    ["how to: an instruction in a list", "How to clean it?", "• Press the lid.", "• The press"],
    ["how to: with a command", "How do I stop it?", "The command \\stop.", "You can stop it here."],
    ["how to: with an option", "How do I stop it?", "The option --stop.", "The option is here."],
    ["how to: in the passive", "How do I stop it?", "It is stopped by lifting it.", "It is by it."],
    ["how to in German", "Wie reinige ich es?", "Drücken Sie die Taste.", "Es ist sauber."],
    ["how to in French", "Comment l’ouvrir ?", "Appuyez sur le bouton.", "Le bouton est rouge."],
    ["how to in Spanish", "¿Cómo se abre?", "Abra la tapa.", "La tapa es roja."],
  ];
  for (const [why, question, yes, no] of cases)
    test(why, () => {
      const languages = ["de", "fr", "es", "ru", "el", "tr", "hi", "zh"];
      expect(answerPattern(question, languages)!.test(yes!)).toBe(true);
      expect(answerPattern(question, languages)!.test(no!)).toBe(false);
    });
  test("anything else: nothing in particular", () =>
    expect([
      answerPattern("What is a tower?"),
      answerPattern("Was ist ein Turm?"),
      answerPattern("Wiederholung"),
      answerPattern("How does the tower work?"),
      answerPattern("Comment fonctionne la tour ?"),
    ]).toEqual([null, null, null, null, null]));
});

describe("a sentence that answers about options:", () => {
  const cases: [why: string, question: string, sentence: string, holds: boolean][] = [
    ["it explains the named option", "What does washer -n do?", "-n Wash nothing.", true],
    [
      "it explains the named option after a bullet",
      "What does --heat do?",
      "● --heat=DEGREES Wash at so many.",
      true,
    ],
    [
      "a mere mention of the option isn't enough",
      "What does --heat do?",
      "Give --heat before it.",
      false,
    ],
    [
      "an option with the same prefix isn't enough",
      "What does --heat do?",
      "--heater Which one.",
      false,
    ],
    [
      "it explains the named command",
      "What is the default of \\hbox?",
      "▶ \\hbox (integer) Is one.",
      true,
    ],
    [
      "it contains any option",
      "Which option prints crop marks?",
      "Crop marks come with ‘-k’.",
      true,
    ],
    [
      "it explains the named option, typeset with a minus",
      "What does --heat do?",
      "−−heat DEGREES Wash at so many.",
      true,
    ],
    [
      "it contains any option, typeset with a minus",
      "Which option prints crop marks?",
      "−k prints crop marks.",
      true,
    ],
    [
      "it contains any option, typeset with a dash",
      "Which option prints crop marks?",
      "–k prints crop marks.",
      true,
    ],
    ["a difference is not an option", "Which option prints?", "The margin is a−b.", false],
    ["it contains any option, in German", "Welcher Schalter druckt?", "Das tut --print.", true],
    [
      "a hyphen or a dash is not an option",
      "Which option prints?",
      "Well-known marks - or none.",
      false,
    ],
  ];
  for (const [why, question, sentence, holds] of cases)
    test(why, () => expect(answerPattern(question)!.test(sentence)).toBe(holds));
  test("a question without an option doesn't ask for one", () =>
    expect(answerPattern("Is the e-mail well-known - or not?")).toBeNull());
});
