/** Quantities by the words of questions: "How heavy is it?" asks for a mass. */
import type { Dimension } from "./unit-names";
import { anyOf, words } from "./word-patterns";

/**
 * The words of questions by what they ask for; `_` stands for a space. Then a pattern for scripts
 * without spaces between words.
 */
const quantities: readonly (readonly [Dimension, asks: string, unspaced?: string])[] = [
  [
    "temperature",
    "(?:what|which)_temperatures? how_(?:hot|cold|warm) " +
      "welche[rn]?_temperatur(?:en)? wie_(?:heiß|kalt|warm) quelles?_températures? " +
      "qué_temperaturas? (?:che|quale)_temperatura que_temperatura welke_temperatuur " +
      "какой_температуре какая_температура ποια_θερμοκρασία kaç_derece nhiệt_độ_bao_nhiêu",
    "多少度|何度(?=ですか|で|に|まで)",
  ],
  [
    "mass",
    "how_heavy weight weighs? wie_schwer \\p{L}*gewicht wiegt wiegen poids pèsent? peso pesan? " +
      "hoe_zwaar gewicht weegt вес весит",
  ],
  [
    "length",
    "how_(?:tall|wide|broad|thick|far) height width diameter thickness dimensions? distance " +
      "wie_(?:hoch|breit|dick|weit) höhe breite \\p{L}*durchmesser dicke abmessungen " +
      "\\p{L}*abstand hauteur largeur diamètre épaisseur altura anchura ancho diámetro grosor " +
      "altezza larghezza diametro spessore hoogte breedte dikte высота ширина диаметр толщина",
  ],
  ["voltage", "voltages? \\p{L}*spannung tension voltaje tensión tensione tensão напряжение"],
  ["current", "how_much_current current_(?:consumption|draw) stromaufnahme stromstärke ampérage"],
  [
    "power",
    "how_much_power power_(?:consumption|rating|draw) wattage leistungsaufnahme stromverbrauch " +
      "consommation_électrique consumo_(?:de_energía|eléctrico|energetico) assorbimento",
  ],
  [
    "frequency",
    "(?:what|which)_frequenc(?:y|ies) frequency_(?:range|of|is|does) clock_(?:speed|rate) " +
      "frequenz(?:en|bereich)? taktfrequenz fréquences? frecuencias? frequenza частота",
  ],
  ["pressure", "pressure \\p{L}+druck pression presión pressione pressão давление"],
  [
    "speed",
    "how_fast speed velocity (?:baud|data|transfer)_rate wie_schnell \\p{L}*geschwindigkeit " +
      "baudrate vitesse velocidad velocità velocidade snelheid скорость",
  ],
  ["sound", "how_(?:loud|noisy) noise_level wie_laut lautstärke schalldruck\\p{L}* niveau_sonore"],
  ["resolution", "resolution auflösung résolution resolución risoluzione resolutie разрешение"],
  [
    "data",
    "how_much_(?:memory|ram|storage|space|disk_space) wie_viel_(?:speicher|platz)\\p{L}* " +
      "combien_de_mémoire cuánta_memoria quanta_memoria",
  ],
];
const questions = quantities.map(
  ([dimension, asks, unspaced]) =>
    [dimension, anyOf(words(asks), ...(unspaced ? [unspaced] : []))] as const,
);

/** The dimension of the quantity that a question asks for; null when it asks for none. */
export const askedQuantity = (question: string): Dimension | null =>
  questions.find(([, asks]) => asks.test(question))?.[0] ?? null;
