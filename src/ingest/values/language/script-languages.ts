/** What tells one of the languages of a script from the others. */
interface Sign {
  readonly language: string;
  /** Letters or words that only it has among those that come after it. */
  readonly found: RegExp;
  /** Letters that it does not have. */
  readonly unless?: RegExp;
  /** Letters that a text of it has, too. */
  readonly beside?: RegExp;
  /** Least share of the text's letters, where it is not the usual one. */
  readonly share?: number;
  /** Letters that a text needs at least for this to tell anything. */
  readonly least?: number;
  /** Languages that share these letters, too, and are told by their words. */
  readonly among?: string;
}

/** Share of a text's letters that a sign needs: names and quotations of other languages do not reach it. */
const SIGN_SHARE = 0.02;

const wholeWords = (words: string) =>
  new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.replaceAll(" ", "|")})(?![\\p{L}\\p{M}])`, "gu");
const wordEnds = (ends: string) =>
  new RegExp(`(?<=[\\p{L}\\p{M}]{2})(?:${ends.replaceAll(" ", "|")})(?![\\p{L}\\p{M}])`, "gu");

/** Signs of the languages of a script, in the order in which they are looked for. */
const SIGNS: Readonly<Record<string, readonly Sign[]>> = {
  Cyrillic: [
    { language: "tg", found: /[ӣӯҷҳқғ]/giu, beside: /[ӣӯҷ]/iu },
    { language: "ba", found: /[ҡҙҫ]/giu },
    { language: "sah", found: /[ҕҥөүһ]/giu, beside: /[ҕҥ]/iu },
    { language: "az-Cyrl", found: /[ҝҹәғ]/giu, beside: /[ҝҹ]/iu },
    { language: "uz-Cyrl", found: /[ўҳқғ]/giu, beside: /ў/iu, unless: /[іә]/iu },
    { language: "tt", found: /[җә]/giu, beside: /җ/iu },
    { language: "tt", found: /ә/giu, unless: /[қғұі]/iu, least: 60 },
    // Kazakh and Belarusian write і, too: Kazakh is looked for before Ukrainian, Belarusian after it.
    { language: "kk", found: /[әғқұһ]/giu },
    { language: "ky", found: /[ңөү]/giu, unless: /[әғқұһі]/iu, beside: /ң/iu },
    { language: "kk", found: /ң/giu },
    { language: "mn", found: /[өү]/giu, share: 0.01, among: "Mongolian" },
    { language: "be", found: /[іў]/giu, beside: /[ыэў]/iu, unless: /[їєґ]/iu, least: 0 },
    { language: "uk", found: /[іїєґ]/giu },
  ],
  Arabic: [
    { language: "ug", found: /[ۇۈۋڭ]/g },
    { language: "ckb", found: /[ێۆڕڵە]/g },
    { language: "sd", found: /[ڄڃٺٽڦڇڊڌڏڙڪڳڱڻ۾۽ٿڀ]/g },
    { language: "ps", found: /[ټډړږښګڼۍځڅې]/g },
    { language: "ur", found: /[ٹڈڑںےہ]/g },
    { language: "fa", found: /[پچژگیک]/g },
  ],
  he: [{ language: "yi", found: /[װױײ]|א[\u05b7\u05b8]|(?<!\p{L})(?:און|פון|איז|דאס|וואס)(?!\p{L})/gu }],
  am: [{ language: "ti", found: /[ቐ-ቝኣ]|(?<!\p{L})(?:ናይ|እዩ|እዮም|ኣብ|ካብ|ምስ|ከምኡ|ውን|ወይ|ዝኾነ)(?!\p{L})/gu }],
  bn: [{ language: "as", found: /[ৰৱ]/g }],
};

/** Words and word endings of the languages of a script that share their letters; the first one stands where none has more. */
const WORDS: Readonly<Record<string, readonly (readonly [language: string, ...found: RegExp[]])[]>> = {
  Devanagari: [
    ["hi", wholeWords("है हैं का के की में से को पर और ने था थे यह वह भी कि नहीं हो या जो इस एक लिए")],
    [
      "mr",
      wholeWords("आहे आहेत आणि व ही हे तो ते नाही त्या किंवा असे होता होते होती साठी मध्ये म्हणून मी आपल्या झाले"),
      wordEnds("च्या चा ची चे ला ांना ांनी मध्ये साठी ळ"),
    ],
    [
      "ne",
      wholeWords("छ छन् र हो भएको गरेको पनि यो त्यो गर्न लागि थियो हुन् तथा वा हुने छैन म उनले"),
      wordEnds("को का की मा लाई हरू हरु ले बाट"),
    ],
  ],
  Cyrillic: [
    [
      "ru",
      wholeWords(
        "и в не на что с по это как его из она он или был для от к за но о у же бы так все то мы вы я",
      ),
    ],
    ["mn", wholeWords("нь байна бол гэж энэ болон юм байх тул байсан гэсэн эсвэл биш онд оны гэх хийсэн")],
    ["ky", wholeWords("жана менен болуп болгон деп бул эмес анын")],
    ["tg", wholeWords("ва дар аз ба ки барои бо аст ин он")],
  ],
  Mongolian: [
    ["mn", wholeWords("нь байна бол гэж энэ болон юм байх тул ба байсан гэсэн эсвэл биш өөр бүх")],
    ["ky", wholeWords("жана менен бир үчүн ар болуп болгон деп бул эмес керек же да өз анын кыргыз")],
  ],
  Serbian: [
    ["sr", /[ћђ]/gi, wholeWords("је у су са као који која које није или ће")],
    ["mk", /[ѓќѕ]/gi, wholeWords("во е со го ја ги што како кој која кое ќе од сите")],
  ],
  Bulgarian: [
    [
      "ru",
      wholeWords(
        "что это из его её их все он она они был или для то же бы так ни быть как и в по на за не от с до у да во со ко об при",
      ),
    ],
    [
      "bg",
      wholeWords(
        "е се да са че ще си към със във който която които като има всеки всяко това или и в по на за не от с до у",
      ),
      /ъ/gi,
    ],
    ["mk", wholeWords("во се со да е и од што ќе го ги кој која секој или на за не")],
    ["sr", wholeWords("у је и да се на за су од са или не ко сваки")],
  ],
};

/** Letters that Serbian and Macedonian have and no other language of the script. */
const SERBIAN = /[јљњџћђѓќѕ]/gi;
/** Least number of letters that tell Russian from Bulgarian, which has neither ы nor э. */
const TELLING_LETTERS = 24;
const NOT_BULGARIAN = /[ыэё]/i;

const SCRIPT_DEFAULT: Readonly<Record<string, string>> = { Arabic: "ar" };

/**
 * Tells the language of a text in a script by the letters, words and endings that only one language of the script has.
 * @param script name of the script, or the language that is the usual one in it
 * @param letters how many letters of the script the text has
 */
export function languageInScript(script: string, text: string, letters: number): string {
  const least = Math.max(1, letters * SIGN_SHARE);
  for (const { language, found, unless, beside, least: needed = 0, share, among } of SIGNS[script] ?? []) {
    if (letters < needed || count(text, found) < Math.max(1, letters * (share ?? SIGN_SHARE))) continue;
    if (unless?.test(text) || (beside !== undefined && !beside.test(text))) continue;
    return among === undefined ? language : byWords(among, text);
  }
  if (script === "Cyrillic" && count(text, SERBIAN) >= least / 2) return byWords("Serbian", text);
  if (script === "Cyrillic" && letters >= TELLING_LETTERS && !NOT_BULGARIAN.test(text))
    return byWords("Bulgarian", text);
  if (WORDS[script] !== undefined) return byWords(script, text);
  return SCRIPT_DEFAULT[script] ?? script;
}

function byWords(group: string, text: string): string {
  let best = "";
  let most = -1;
  for (const [language, ...found] of WORDS[group]!) {
    const score = found.reduce((sum, each) => sum + count(text, each), 0);
    if (score > most) [best, most] = [language, score];
  }
  return best;
}

function count(text: string, found: RegExp): number {
  return text.match(found)?.length ?? 0;
}
