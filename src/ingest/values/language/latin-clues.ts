/** Letters used by few languages in Latin script, and those languages. */
export const LETTER_CLUES: Readonly<Record<string, string>> = {
  ñ: "es",
  "¿": "es",
  "¡": "es",
  ß: "de",
  ä: "de sv fi",
  ö: "de sv fi tr hu",
  ü: "de tr hu es",
  ã: "pt vi",
  õ: "pt vi",
  ç: "fr pt tr",
  è: "fr it vi",
  ê: "fr pt vi",
  œ: "fr",
  û: "fr",
  à: "fr it pt vi",
  ù: "it fr vi",
  ò: "it vi",
  ì: "it vi",
  ă: "ro vi",
  â: "ro fr pt vi tr",
  î: "ro fr",
  ș: "ro",
  ț: "ro",
  ţ: "ro",
  ş: "tr ro",
  ğ: "tr",
  ı: "tr",
  ě: "cs",
  ř: "cs",
  ů: "cs",
  č: "cs",
  š: "cs",
  ž: "cs",
  ť: "cs",
  ď: "cs",
  ň: "cs",
  ý: "cs vi",
  ł: "pl",
  ą: "pl",
  ę: "pl",
  ś: "pl",
  ź: "pl",
  ż: "pl",
  ć: "pl",
  å: "sv da nb",
  ø: "da nb",
  æ: "da nb",
  ő: "hu",
  ű: "hu",
  đ: "vi",
  ơ: "vi",
  ư: "vi",
  ṣ: "yo",
};

/** Vietnamese vowels with a tone mark on top of another mark, a dot below or a hook above. */
export const VIETNAMESE = /[ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/g;

/** Vowels with a dot below, which are letters of Yoruba and Igbo, and one tone of several in Vietnamese. */
export const DOTTED = /[ẹọ]/g;

/** Letters of Vietnamese that neither Yoruba nor Igbo has: where nearly none stands beside the dotted ones, a text is not Vietnamese. */
export const VIETNAMESE_ALONE = /[ăâđêôơưạảấầẩẫậắằẳẵặẻẽếềểễệỉỏốồổỗộớờởỡợủứừửữựỳỵỷỹ]/g;

/** Word endings typical of a language; they decide for short texts without function words. A word counts once for a language. */
export const ENDING_CLUES: readonly (readonly [endings: string, language: string])[] = [
  ["ing tion ness ship ould ight ally", "en"],
  ["ción ciones mente idad ando iendo illo illa ado ados ada adas", "es"],
  ["eux euse ement aient ique oir eau eaux ées ée", "fr"],
  ["ung ungen lich keit heit isch ische ischen schaft chen", "de"],
  ["nya kan lah", "id"],
  ["ção ções dade mente inho inha", "pt"],
  ["zione zioni mente ità ezza etto etta", "it"],
  ["lijk heid ijk", "nl"],
  ["ului ilor elor ească ează ție ții țiile ul urile", "ro"],
  ["lar ler ların lerin dır dir tır tir ıyor iyor ması mesi nda nde dan den", "tr"],
  ["ová ové ost ního ých ého ovat ání ení", "cs"],
  ["ów ego ych ość ości anie enie ować", "pl"],
  ["arna erna ningen het ande", "sv"],
  ["erne elsen ede ende heden", "da"],
  ["ene elsen ingen heten", "nb"],
  ["ssa ssä lla llä sta stä nen inen minen iden", "fi"],
  ["ban ben nak nek ság ség okat eket ának ének", "hu"],
];

/** Word beginnings typical of a language, some with an ending, and the letters that they begin with. */
export const BEGINNING_CLUES: readonly (readonly [letters: string, words: RegExp, language: string])[] = [
  ["ldqjnsc", /^(?:l'|d'|qu'|j'|n'|s'|c')/, "fr"],
  ["mpbtkd", /^(?:meng|meny|memp|memb|peng|peny|pemb|ber|ter|ke.{3,}an$|di.{3,}(?:kan|i)$)/, "id"],
  ["g", /^ge.{3,}(?<!hei)d$/, "nl"],
  ["mnpi", /^(?:mag|nag|pag|ipa|pinaka)/, "tl"],
];
