import { foldAccents, normalizeText, unifySpelling } from "./fold.js";
import { scriptOf } from "./scripts.js";

/**
 * Question words by language, primary subtag: interrogative pronouns, determiners, adverbs and particles. Of languages that write
 * several words without a space, what stands for them: pairs of characters, and characters that mean little else.
 */
const QUESTION_WORDS: Readonly<Record<string, string>> = {
  ar: "ما ماذا من متى أين كيف لماذا كم أي أية هل لمن",
  bg: "какво кой коя кое кои кого кога къде откъде защо как колко какъв каква какви",
  bn: "কী কি কে কাকে কার কখন কোথায় কেন কিভাবে কীভাবে কত কোন কোনটি কয়টি",
  cs: "co čeho čemu čím kdo koho komu kým kdy kde kam odkud proč jak jaký jaká jaké který která které kterého kolik",
  da: "hvad hvilken hvilket hvilke hvem hvornår hvor hvorfor hvordan",
  de: "was welche welcher welches welchen welchem wer wem wen wessen wann wo wohin woher worin wofür womit wodurch wovon warum weshalb wieso wie wieviel wieviele",
  el: "τι ποιος ποια ποιο ποιον ποιου ποιας ποιοι ποιες ποιους ποιων πότε πού γιατί πώς πόσο πόση πόσα πόσοι πόσες πόσους",
  en: "what which who whom whose when where why how",
  es: "qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta cuántos cuántas",
  et: "mis mida kes kelle kus kuhu kust millal miks kuidas milline mitu",
  fa: "چه چی چیست کیست کی کجا کدام چگونه چطور چرا چند چقدر آیا",
  fi: "mikä mitä missä mistä mihin minkä mitkä mille millä milloin kuka kenen ketä ketkä kuinka miten miksi montako paljonko kumpi",
  fr: "quel quelle quels quelles qui que quoi quand où comment combien pourquoi lequel laquelle lesquels lesquelles",
  he: "מה מי מתי איפה היכן למה מדוע איך כיצד כמה איזה איזו אילו האם לאן מאין",
  hi: "क्या कौन किस किसने किसका किसकी किसके किसे किन कब कहाँ कहां क्यों कैसे कैसा कैसी कितने कितनी कितना",
  hu: "mi mit miért ki kit kik kinek hol hová honnan mikor hogyan hány melyik milyen mennyi",
  id: "apa apakah siapa siapakah kapan kapankah mana manakah dimana dimanakah kemana darimana mengapa kenapa bagaimana bagaimanakah berapa berapakah",
  it: "quale quali chi che cosa quando dove come quanto quanta quanti quante perché",
  ja: "どこ どの どん なに なぜ いつ だれ どう どれ どち 誰 何",
  ko: "무엇 누구 누가 어디 언제 어떻 어떤 어느 얼마 왜",
  ms: "apa apakah siapa siapakah bila bilakah mana manakah mengapa kenapa bagaimana bagaimanakah berapa berapakah",
  nb: "hva hvilken hvilket hvilke hvem når hvor hvorfor hvordan",
  nl: "wat welke welk wie wiens wanneer waar waarom waarin waarvoor waarmee hoe hoeveel",
  no: "hva hvilken hvilket hvilke hvem når hvor hvorfor hvordan",
  pl: "co czego czemu czym kto kogo komu kim kiedy gdzie skąd dokąd dlaczego jak jaki jaka jakie jakich jakim jaką który która które którego której których ile ilu czy",
  pt: "que qual quais quem quando onde como quanto quanta quantos quantas",
  ro: "ce care cine cui când unde cum cât câtă câți câte cărui cărei căror",
  ru: "что чего чему чем кто кого кому кем какой какая какое какие какого какую каком каким каких какими каков какова каково каковы когда где куда откуда почему зачем как сколько чей чья чьё чьи",
  sk: "čo kto koho kde kam kedy odkiaľ prečo ako aký aká aké ktorý ktorá ktoré koľko",
  sv: "vad vilken vilket vilka vem vems när var varför hur",
  sw: "nini nani lini wapi kwanini vipi ngapi gani",
  tl: "ano sino kailan saan bakit paano ilan alin kanino magkano",
  tr: "ne neyi neye neden nedir neler niçin niye kim kimi kime kimin kimler hangi hangisi nerede nereye nereden neresi nasıl kaç kaçı kaçta mi mı mu mü",
  uk: "що чого чому чим хто кого кому ким який яка яке які якого якої яких коли де куди звідки навіщо як скільки чий",
  ur: "کیا کون کس کب کہاں کیوں کیسے کتنے کتنی کتنا",
  vi: "gì nào ai đâu sao mấy nhiêu",
  zh: "什么 什麼 哪些 哪个 哪個 哪里 哪裡 哪裏 哪一 哪种 哪種 哪年 哪位 哪国 多少 为何 為何 如何 为什 為什 怎么 怎麼 怎样 怎樣 何时 何時 几个 幾個 几年 谁 誰 吗 嗎 呢 哪",
};
/** Without its accents a syllable is another word. */
const SYLLABLES: ReadonlySet<string> = new Set(["vi"]);
/** Of a word that is no question word. */
export const NO_LANGUAGES: readonly string[] = [];
const LOWER_CASE = /\p{Ll}/u;
const ACRONYM = /(?<![\p{L}\p{M}\p{N}])\p{Lu}{2,}(?![\p{L}\p{M}\p{N}])/gu;

let languagesOf: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The languages in which a word is a question word, primary subtags; none for most words.
 * @param word normalised, with accents or without
 */
export function questionLanguages(word: string): readonly string[] {
  languagesOf ??= byWord();
  return languagesOf.get(word) ?? NO_LANGUAGES;
}

/** Words of a query in capitals, beside others that are not, normalised: names such as WHO, which are no question words. */
export function acronymsOf(query: string): ReadonlySet<string> {
  const found = LOWER_CASE.test(query) ? query.match(ACRONYM) : null;
  return new Set(found?.map(normalizeText));
}

function byWord(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [language, words] of Object.entries(QUESTION_WORDS)) {
    const add = (word: string) => {
      const languages = found.get(word) ?? [];
      if (!languages.includes(language)) found.set(word, [...languages, language]);
    };
    for (const word of words.split(" ")) {
      const normal = normalizeText(word);
      const clean = unifySpelling(normal, scriptOf(normal.codePointAt(0)!));
      add(clean);
      if (!SYLLABLES.has(language)) add(foldAccents(clean));
    }
  }
  return found;
}
