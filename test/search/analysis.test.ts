import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { DocumentTerms } from "../../src/search/analysis/document-terms.js";
import { queryTerms } from "../../src/search/analysis/query-terms.js";
import { scan } from "../../src/search/analysis/scan.js";
import { scriptOf } from "../../src/search/analysis/scripts.js";
import { simplifiedCharacters } from "../../src/search/analysis/simplified-characters.js";
import { Stemmers, stemLanguage } from "../../src/search/analysis/stemming.js";
import { runs } from "../support/campaign.js";

const stemmers = new Stemmers();
beforeAll(() => stemmers.load(["en", "de", "es", "ru", "ar", "tr", "hi", "id", "fr", "he"]));

function termsOf(text: string, language = "en"): { term: string; kind: string; position: number }[] {
  const terms: { term: string; kind: string; position: number }[] = [];
  new DocumentTerms(stemmers, {
    term: (number, position, named) => {
      const { text, kind } = named.at(number);
      terms.push({ term: text, kind, position });
    },
  }).read(text, language, 0);
  return terms;
}

const of = (text: string, kind: string, language?: string) =>
  termsOf(text, language)
    .filter((t) => t.kind === kind)
    .map((t) => t.term);

/** Whether a document in a language matches every place of a query by one of its alternatives. */
function matches(query: string, text: string, language: string, languages = ["en", "es", "de", language]) {
  const terms = new Set(termsOf(text, language).map(({ term }) => term));
  const asked = queryTerms(query, [...new Set(languages)], stemmers).terms.filter(
    ({ kind }) => kind !== "affix",
  );
  return asked.length > 0 && asked.every(({ alternatives }) => alternatives.some((a) => terms.has(a)));
}

/** Words and numbers of a text in spaced scripts, as one pattern says them. */
function plainWords(text: string): string[] {
  const piece =
    /(\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\p{N}]))|([\p{L}\p{N}]+(?:[-_.@'’+&][\p{L}\p{N}]+)*)/gu;
  const tooLong = /^\p{ASCII}{101,}$/u;
  const words: string[] = [];
  const spelled = text.replace(/(?<![\p{N}.,])\d{1,3}(?:,\d{3})+(?=(?:\.\d+)?\p{L})/gu, (number) =>
    number.replaceAll(",", ""),
  );
  for (const [, number, chain] of spelled.matchAll(piece)) {
    if (number !== undefined) words.push(number.replaceAll(",", ""));
    else {
      const links = chain!.split(/[-_.@'’+&]/);
      words.push(...links.filter((link, i) => (i === 0 || link !== "s") && !tooLong.test(link)));
    }
  }
  return words;
}

/** Two forms of a word. */
const FORMS: readonly (readonly [language: string, one: string, other: string])[] = [
  ["de", "kaufen", "kaufte"],
  ["de", "fahrrad", "fahrräder"],
  ["nl", "telefoon", "telefoons"],
  ["da", "bog", "bøger"],
  ["no", "telefon", "telefonene"],
  ["sv", "flicka", "flickorna"],
  ["fi", "talo", "taloissa"],
  ["fi", "puhelin", "puhelimen"],
  ["hu", "telefon", "telefonok"],
  ["el", "βιβλίο", "βιβλίου"],
  ["ro", "carte", "cărții"],
  ["pl", "koszulka", "koszulki"],
  ["pl", "książka", "książkę"],
  ["pl", "telefon", "telefonów"],
  ["cs", "kniha", "knihy"],
  ["cs", "televize", "televizí"],
  ["sk", "topánky", "topánok"],
  ["sl", "knjiga", "knjigo"],
  ["hr", "knjiga", "knjigu"],
  ["sr", "књига", "књиге"],
  ["sr", "књига", "knjigu"],
  ["bg", "телефон", "телефоните"],
  ["uk", "книга", "книги"],
  ["be", "кніга", "кнігі"],
  ["mk", "книга", "книги"],
  ["am", "መጽሐፍ", "መጽሐፉን"],
  ["am", "ልጅ", "ልጁን"],
  ["az", "kitab", "kitablarda"],
  ["lt", "knyga", "knygos"],
  ["lv", "grāmata", "grāmatas"],
  ["et", "maja", "majad"],
  ["eu", "liburu", "liburuak"],
  ["fo", "hestur", "hestar"],
  ["is", "bók", "bókina"],
  ["ga", "bean", "bhean"],
  ["gl", "libro", "libros"],
  ["he", "ספר", "הספר"],
  ["he", "ילד", "ילדים"],
  ["hy", "քաղաք", "քաղաքում"],
  ["ka", "ქალაქი", "ქალაქში"],
  ["kk", "кітап", "кітаптар"],
  ["ky", "китеп", "китептер"],
  ["uz", "kitob", "kitoblar"],
  ["fa", "کتاب", "کتاب‌ها"],
  ["ur", "لڑکا", "لڑکے"],
  ["mr", "शहर", "शहरात"],
  ["ta", "நகரம்", "நகரங்கள்"],
  ["ml", "നഗരം", "നഗരത്തിൽ"],
  ["af", "boek", "boeke"],
  ["sq", "libri", "librin"],
];
/** Two words. */
const APART: readonly (readonly [language: string, one: string, other: string])[] = [
  ["de", "kasse", "kasten"],
  ["de", "haus", "haut"],
  ["sv", "bil", "billig"],
  ["pl", "koszulka", "koszyk"],
  ["pl", "masło", "maska"],
  ["cs", "kniha", "knihovna"],
  ["uk", "книга", "князь"],
  ["lt", "knyga", "knystas"],
  ["he", "ספר", "ספה"],
  ["bg", "град", "градина"],
];
const inflected = new Stemmers();

describe("Hindi", () => {
  it.each([
    ["तारीफ", "तारीफ़"],
    ["फिल्म", "फ़िल्म"],
    ["फिल्म", "\u095eिल्म"],
    ["हिंदी", "हिन्दी"],
    ["अंत", "अन्त"],
    ["संबंध", "सम्बन्ध"],
    ["कहां", "कहाँ"],
  ])("writes a word with or without its point, and a nasal as a sign or a letter: %s, %s", (one, other) => {
    expect(matches(one, other, "hi")).toBe(true);
    expect(matches(other, one, "hi")).toBe(true);
    expect(of(one, "word", "hi")).toEqual(of(other, "word", "hi"));
  });

  it("keeps a nasal before other letters", () => {
    expect(matches("जन्म", "जंम", "hi")).toBe(false);
    expect(matches("उन्हें", "उंहें", "hi")).toBe(false);
  });
});

describe("inflected words", () => {
  beforeAll(() => inflected.load(FORMS.map(([language]) => language)));

  it.each(FORMS)("have one stem in %s: %s, %s", (language, one, other) => {
    const stemmer = stemLanguage(scriptOf(one.codePointAt(0)!), language);
    expect(inflected.stem(one, stemmer)).toBe(
      inflected.stem(other, stemLanguage(scriptOf(other.codePointAt(0)!), language)),
    );
  });

  it.each(APART)("of different meaning have different stems in %s: %s, %s", (language, one, other) => {
    const stemmer = stemLanguage(scriptOf(one.codePointAt(0)!), language);
    expect(inflected.stem(one, stemmer)).not.toBe(inflected.stem(other, stemmer));
  });

  it("keep some letters, whatever they are", () => {
    const languages = [...new Set(FORMS.map(([language]) => language))];
    fc.assert(
      fc.property(
        fc.constantFrom(...languages),
        fc.string({ unit: "grapheme", minLength: 1 }),
        (language, word) => {
          const stem = inflected.stem(word, stemLanguage("latin", language));
          expect(stem.length).toBeGreaterThan(0);
        },
      ),
      runs(200),
    );
  });

  it("are looked for as lakes have them that were built before their language had a stemmer", () => {
    const forms = (word: string) =>
      queryTerms(word, ["pl"], inflected).terms.flatMap(({ kind, alternatives }) =>
        kind === "word" ? alternatives : [],
      );
    expect(forms("koszulkę")).toEqual(expect.arrayContaining(["koszulkę", "koszulke"]));
    expect(forms("koszulki")).toEqual(expect.arrayContaining(["koszulki", "~koszulki"]));
  });

  it("are looked for as lakes have them that were built when Snowball stemmed their language", () => {
    const forms = (word: string, language: string) =>
      queryTerms(word, [language], inflected).terms.flatMap(({ kind, alternatives }) =>
        kind === "word" ? alternatives : [],
      );
    expect(forms("kaufte", "de")).toEqual(expect.arrayContaining(["kauf", "kauft"]));
    expect(forms("billiga", "sv")).toEqual(expect.arrayContaining(["billig", "bil"]));
    expect(forms("βιβλίου", "el")).toEqual(expect.arrayContaining(["βιβλι", "βιβλ"]));
  });
});

describe("Vietnamese", () => {
  it.each([
    ["hoà bình", "hòa bình"],
    ["thuỷ", "thủy"],
    ["khoẻ", "khỏe"],
    ["Hoá học", "hóa học"],
  ])("is found wherever the tone is written: %s, %s", (one, other) => {
    for (const [query, text] of [
      [one, other],
      [other, one],
      [one, one],
    ] as const)
      expect([query, matches(query, text, "vi")]).toEqual([query, true]);
    expect(of(one, "syllable", "vi")).toEqual(of(other, "syllable", "vi"));
  });

  it("keeps a tone that has one place", () => {
    expect(of("quý hoàng tuỳnh", "syllable", "vi")).toEqual(["quý", "hoàng", "tuỳnh"]);
  });
});

describe("Chinese", () => {
  it.each([
    ["電腦", "电脑"],
    ["經濟", "经济"],
    ["戰爭與學習", "战争与学习"],
    ["後來，頭髮", "后来，头发"],
    ["爲什麼", "为什么"],
    ["裏面", "里面"],
  ])("is found whether it is written with traditional or simplified characters: %s, %s", (one, other) => {
    expect(matches(one, other, "zh")).toBe(true);
    expect(matches(other, one, "zh")).toBe(true);
    expect(matches(one, one, "zh-TW")).toBe(true);
  });

  it("leaves Japanese as it is written", () => {
    expect(of("機と机", "character", "ja")).toEqual(["機", "と", "机"]);
    expect(matches("機械", "機械", "ja")).toBe(true);
    expect(matches("机械", "機械", "ja")).toBe(false);
  });

  it("keeps the length of a text, and what is simplified already", () => {
    const han = fc.integer({ min: 0x4e00, max: 0x9fff }).map((code) => String.fromCharCode(code));
    const texts = fc
      .array(fc.oneof(han, fc.string({ unit: "grapheme", maxLength: 3 })))
      .map((p) => p.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const once = simplifiedCharacters(text);
        expect(once).toHaveLength(text.length);
        expect(simplifiedCharacters(once)).toBe(once);
      }),
      runs(300),
    );
  });
});

describe("words of a text in spaced scripts", () => {
  it("are what one pattern finds, linked or not", () => {
    const letters = [
      "a",
      "s",
      "b7",
      "1",
      "234",
      "x".repeat(60),
      "é",
      "ơ",
      "ж",
      "я".repeat(60),
      "λ",
      "س",
      "ꜩ",
      "ა",
    ];
    const pieces = fc.array(fc.constantFrom(...letters, ..." -_.,'’@#+&!\n(“…、\u00a0\u200d"), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        const words: string[] = [];
        const ignore = () => undefined;
        scan(text, 0, {
          word: (whole, start, end) => words.push(whole.slice(start, end)),
          character: ignore,
          pair: ignore,
          unit: ignore,
          hangul: ignore,
          compound: ignore,
          part: ignore,
          emoji: ignore,
        });
        expect(words).toEqual(plainWords(text.normalize("NFKC")));
      }),
      runs(2000),
    );
  });
});

describe("terms of a document", () => {
  it("are the same when its words were read before", () => {
    const terms: string[] = [];
    const reader = new DocumentTerms(stemmers, {
      term: (number, position, named) => {
        const { text, kind } = named.at(number);
        terms.push(`${kind} ${text} ${position}`);
      },
    });
    const read = (text: string, language: string) => {
      terms.length = 0;
      reader.read(text, language, 0);
      return [...terms];
    };
    const text = "Les fenêtres du SM-G991B, ô người Việt Nam";
    const french = read(text, "fr");
    const vietnamese = read(text, "vi");
    expect(vietnamese).not.toEqual(french);
    expect(read(text, "fr")).toEqual(french);
    expect(read(text, "vi")).toEqual(vietnamese);
    reader.forget();
    expect(reader.size).toBe(0);
    expect(read(text, "fr")).toEqual(french);
  });

  it("are stems of its language", () => {
    expect(of("The batteries were charging", "word")).toEqual(["the", "batteri", "were", "charg"]);
    expect(of("Las canciones españolas", "word", "es-MX")).toEqual(
      ["las", "cancion", "español"].map((w) => w.normalize("NFD").replace(/\p{M}/gu, "")),
    );
  });

  it("fold case, width and compatibility forms", () => {
    expect(of("ＷＩＤＥ ﬁne İstanbul", "word", "xx")).toEqual(["wide", "fine", "istanbul"]);
  });

  it("are characters and pairs of characters in Chinese, beside Latin words", () => {
    expect(of("新手机iPhone15", "pair", "zh")).toEqual(["新手", "手机"]);
    expect(of("新手机iPhone15", "character", "zh")).toEqual(["新", "手", "机"]);
    expect(of("新手机iPhone15", "word", "zh")).toEqual(["iphone15"]);
    expect(of("新手机iPhone15", "part", "zh")).toEqual(["iphone", "15"]);
  });

  it("are pairs of character clusters in Thai and of syllables in Vietnamese", () => {
    expect(of("ภาษาไทย", "pair", "th")).toEqual(["ภาษา", "ษาไท", "ไทย"]);
    expect(of("điện thoại mới", "pair", "vi")).toEqual(["điện thoại", "thoại mới"]);
    expect(of("điện thoại mới", "syllable", "vi")).toEqual(["điện", "thoại", "mới"]);
  });

  it("are pairs of syllables in Korean, with what stands before the first of each word, and no length of that", () => {
    expect(of("오래된 집에서 3명이 KBS를", "joint", "ko")).toEqual(["된 집", "3 명", "kbs 를"]);
    expect(of("물 집 강", "joint", "ko")).toEqual(["물 집", "집 강"]);
    expect(of("집 😀 강", "joint", "ko")).toEqual([]);
    expect(of("집에서", "variant", "ko")).toEqual(["집"]);
    const reader = new DocumentTerms(stemmers, { term: () => undefined });
    const next = reader.read("오래된 집", "ko", 0);
    const kinds: string[] = [];
    const again = new DocumentTerms(stemmers, {
      term: (number, _, named) => kinds.push(named.at(number).kind),
    });
    again.read("오래된 집", "ko", 0);
    again.read("강에서", "ko", next);
    expect(kinds.filter((kind) => kind === "joint")).toEqual(["joint"]);
  });

  it("drop Arabic points before stemming", () => {
    expect(of("كِتَابٌ", "word", "ar")).toEqual(of("كتاب", "word", "ar"));
  });

  it("are none for Arabic points alone", () => {
    for (const points of ["\u064b", "\u0640\u064e", "-\u064b-\u0650", "\u0301_\u0301"]) {
      expect(termsOf(points, "ar").filter(({ term }) => term === "")).toEqual([]);
      expect(queryTerms(points, ["ar", "en"], stemmers).terms.flatMap((t) => t.alternatives)).not.toContain(
        "",
      );
    }
  });

  it("keep codes, hosts, hashtags and handles whole and in parts", () => {
    const code = termsOf("Samsung SM-G991B");
    expect(code.map(({ term }) => term)).toEqual([
      "samsung",
      "<sams",
      ">sung",
      "sm",
      "g991b",
      "991",
      "smg991b",
    ]);
    expect(of("see https://www.example.com/a_b", "compound")).toContain("example.com");
    expect(of("@john_doe on #BlackFriday", "compound")).toEqual(["johndoe", "@john_doe", "#blackfriday"]);
    expect(of("#BlackFriday", "word")).toEqual(["blackfridai", "black", "fridai"]);
    expect(of("C++ and C#", "compound")).toEqual(["c++", "c#"]);
    expect(of("AT&T, R&D & S&P 500", "compound")).toEqual(["at&t", "r&d", "s&p"]);
    expect(of("AT&T, R & D", "word")).toEqual(["at", "t", "r", "d"]);
    expect(of("only 1,299.00 USD", "word")).toEqual(["onli", "1299.00", "usd"]);
  });

  it("have the first and last letters of longer words as affixes, Arabic ones three in a row, codes none", () => {
    expect(of("Batteries and 1234567 cells", "affix")).toEqual(["<batt", ">ries", "<cell", ">ells"]);
    expect(of("والكتاب", "affix", "ar")).toEqual(["=وال", "=الك", "=لكت", "=كتا", "=تاب"]);
    expect(of("新手机 ภาษาไทย", "affix", "zh")).toEqual([]);
  });

  it("keep emoji, without skin tone", () => {
    expect(of("great 👍🏽 ❤️ 🇩🇪", "emoji")).toEqual(["👍", "❤", "🇩🇪"]);
  });

  it("never fail and never contain white space but in pairs of syllables and joints", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("en", "zh", "ar", "und", "vi", "ko"),
        (text, language) => {
          for (const { term, kind } of termsOf(text, language)) {
            expect(term).not.toBe("");
            if (kind !== "pair" && kind !== "joint") expect(term).not.toMatch(/\s/);
          }
        },
      ),
    );
  });
});

describe("a query", () => {
  it("finds what is written as it is, in every language", () => {
    for (const [text, language] of [
      ["running shoes", "en"],
      ["zapatillas económicas", "es"],
      ["Kühlschränke", "de"],
      ["новые телефоны", "ru"],
      ["الهواتف الجديدة", "ar"],
      ["手机电池", "zh"],
      ["điện thoại", "vi"],
      ["मोबाइल फ़ोन", "hi"],
    ] as const) {
      expect(matches(text, text, language), text).toBe(true);
    }
  });

  it("forgives missing accents, but not wrong ones", () => {
    expect(matches("economia", "la economía crece", "es")).toBe(true);
    expect(matches("economía", "la economia crece", "es")).toBe(true);
    expect(matches("dien thoai", "điện thoại", "vi")).toBe(true);
    expect(matches("điền", "điện", "vi")).toBe(false);
  });

  it("finds other forms of a word, and codes by their parts", () => {
    expect(matches("battery", "batteries", "en")).toBe(true);
    expect(matches("sm-g991b", "SM-G991B", "en")).toBe(true);
    expect(matches("g991b", "SM-G991B", "en")).toBe(true);
    expect(matches("blackfriday", "#BlackFriday", "en")).toBe(true);
    expect(matches("phones", "the phone", "zh", ["zh"])).toBe(true);
  });

  it("takes quotation marks around less than half of it for a title, not for a phrase", () => {
    const phrasesOf = (query: string) => queryTerms(query, ["en"], stemmers).phrases.length;
    expect(phrasesOf('"wireless mouse"')).toBe(1);
    expect(phrasesOf('cheap silent "wireless mouse"')).toBe(1);
    expect(phrasesOf('who performed "The Bells" for the first time')).toBe(0);
  });

  it("finds a word of one syllable or cluster where particles or other words follow it", () => {
    for (const [query, text] of [
      ["책", "책을 많이 읽는 사람"],
      ["물", "물이 맑은 강에서"],
      ["집", "오래된 집에서"],
    ] as const)
      expect(matches(query, text, "ko"), query).toBe(true);
    expect(matches("책", "산책을 했다", "ko")).toBe(false);
    for (const [query, text] of [
      ["น้ำ", "ดื่มน้ำทุกวัน"],
      ["ปี", "เมื่อสามปีก่อน"],
      ["สี", "เสื้อสีแดง"],
    ] as const)
      expect(matches(query, text, "th"), query).toBe(true);
    // A longer query is still looked for by its pairs alone.
    const { terms } = queryTerms("น้ำแข็ง", ["th"], stemmers);
    expect(terms.map(({ kind }) => kind)).toEqual(["pair", "pair"]);
    expect(terms.flatMap(({ alternatives }) => alternatives)).not.toContain("น้ำ");
  });

  it("has the first syllables of Korean words, and where they meet, beside their pairs", () => {
    const { terms, phrases } = queryTerms('"2월 15일에 누가"', ["ko"], stemmers);
    const pieces = terms.map(({ kind, alternatives, position }) => `${kind} ${alternatives[0]} ${position}`);
    expect(pieces.filter((piece) => !/^word/.test(piece)).sort()).toEqual(
      [
        "joint 2 월 0",
        "pair 월 1",
        "joint 15 일 2",
        "variant 일 3",
        "pair 일에 3",
        "joint 에 누 4",
        "variant 누 5",
        "pair 누가 5",
      ].sort(),
    );
    expect(phrases.flat().map(({ kind }) => kind)).not.toContain("joint");
    expect(phrases.flat().map(({ kind }) => kind)).not.toContain("variant");
    const asked = terms.filter(({ questionIn }) => questionIn.includes("ko"));
    expect(asked.map(({ alternatives }) => alternatives[0]).sort()).toEqual(["누", "누가", "에 누"].sort());
  });

  it("reads numbers with commas before a unit, digits of any script, and words with points, as they are without", () => {
    for (const [query, text] of [
      ["129800円", "価格は129,800円です"],
      ["129800", "129,800円"],
      ["129,800円", "129800円"],
      ["20000mAh", "a 20,000mAh power bank"],
      ["20000", "20,000mAh"],
      ["1,234,567", "1,234,567元"],
      ["1234.5kg", "1,234.5kg"],
      ["2024", "सन २०२४ में"],
      ["2567", "ปี ๒๕๖๗"],
      ["٢٠٢٤", "2024"],
      ["שלום", "שָׁלוֹם"],
      ["שָׁלוֹם", "שלום"],
    ] as const)
      expect(matches(query, text, "ja", ["en", "ja", "he", "hi", "th", "ar"]), query).toBe(true);
    expect(matches("1234", "1,234,567元", "zh")).toBe(false);
    expect(matches("567", "1,234,567元", "zh")).toBe(false);
  });

  it("takes a straight quotation mark inside a word, or behind a number, for no quotation mark", () => {
    const phrasesOf = (query: string) =>
      queryTerms(query, ["en", "he", "zh"], stemmers).phrases.map((phrase) =>
        phrase.map(({ alternatives }) => alternatives[0]),
      );
    expect(phrasesOf('צה"ל וארה"ב')).toEqual([]);
    expect(phrasesOf('55" TV 65"')).toEqual([]);
    expect(phrasesOf('55" "TV stand"')).toEqual([["tv", "stand"]]);
    expect(phrasesOf('("wireless mouse").')).toEqual([["wireless", "mous"]]);
    expect(phrasesOf('买"手机"壳')).toEqual([["手机"]]);
    expect(phrasesOf('"무선 키보드"를')).toHaveLength(1);
  });

  it("takes a Han character that stands apart for a word, and none of a run", () => {
    const words = (query: string) =>
      queryTerms(query, ["ja"], stemmers).terms.flatMap(({ alternatives, alone }) =>
        alone ? alternatives : [],
      );
    expect(words("犬 散歩")).toEqual(["犬"]);
    expect(words("　犬　散歩")).toEqual(["犬"]);
    for (const run of ["犬の散歩", "冠军 2000 年", "打？打", "“质”的含义", "3分", "[热"])
      expect(words(run)).toEqual([]);
    expect(words("물 마시다")).toEqual([]);
  });

  it("keeps in a phrase the characters that stand alone beside other scripts", () => {
    const phraseOf = (query: string) =>
      queryTerms(query, ["en", "zh"], stemmers).phrases[0]?.map(({ alternatives, position }) => [
        alternatives[0],
        position,
      ]);
    expect(phraseOf('"B站"')).toEqual([
      ["b", 0],
      ["站", 1],
    ]);
    expect(phraseOf('"2017年"')).toEqual([
      ["2017", 0],
      ["年", 1],
    ]);
    expect(phraseOf('"手机"')).toEqual([["手机", 0]]);
    expect(phraseOf('"站"')).toEqual([["站", 0]]);
  });

  it("has its quoted phrases apart", () => {
    const { phrases } = queryTerms('cheap "wireless mouse" 「手机」', ["en"], stemmers);
    expect(phrases.map((phrase) => phrase.map(({ position }) => position))).toEqual([[0, 1], [0]]);
  });
});
