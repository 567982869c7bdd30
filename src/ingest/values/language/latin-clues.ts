/** Letters used by few languages in Latin script, and those languages. */
export const LETTER_CLUES: Readonly<Record<string, string>> = {
  ñ: "es gl",
  "¿": "es",
  "¡": "es",
  ß: "de",
  ä: "de sv fi et sk",
  ö: "de sv fi tr hu et is az",
  ü: "de tr hu es et az",
  ã: "pt vi",
  õ: "pt vi et",
  ç: "fr pt tr sq ca ku az",
  è: "fr it vi ca",
  ê: "fr pt vi ku",
  œ: "fr",
  û: "fr ku",
  à: "fr it pt vi ca",
  ù: "it fr vi",
  ò: "it vi ca",
  ì: "it vi",
  ă: "ro vi",
  â: "ro fr pt vi tr",
  î: "ro fr ku",
  ș: "ro",
  ț: "ro",
  ţ: "ro",
  ş: "tr ro ku az",
  ğ: "tr az",
  ı: "tr az",
  ě: "cs",
  ř: "cs",
  ů: "cs",
  č: "cs sk sl hr sr-Latn lt lv",
  š: "cs sk sl hr sr-Latn lt lv",
  ž: "cs sk sl hr sr-Latn lt lv",
  ť: "cs sk",
  ď: "cs sk",
  ň: "cs sk",
  ý: "cs vi sk is fo",
  ľ: "sk",
  ŕ: "sk",
  ĺ: "sk",
  ł: "pl",
  ą: "pl lt",
  ę: "pl lt",
  ś: "pl",
  ź: "pl",
  ż: "pl mt",
  ć: "pl hr sr-Latn",
  å: "sv da nb",
  ø: "da nb fo",
  æ: "da nb is fo",
  ő: "hu",
  ű: "hu",
  đ: "vi hr sr-Latn",
  ơ: "vi",
  ư: "vi",
  ṣ: "yo",
  ė: "lt",
  į: "lt",
  ų: "lt",
  ū: "lt lv",
  ā: "lv",
  ē: "lv",
  ī: "lv",
  ģ: "lv",
  ķ: "lv",
  ļ: "lv",
  ņ: "lv",
  þ: "is",
  ð: "is fo",
  ë: "sq",
  ə: "az",
  ʻ: "uz",
  ħ: "mt",
  ġ: "mt",
  ċ: "mt",
  ŵ: "cy",
  ŷ: "cy",
  ĉ: "eo",
  ĝ: "eo",
  ŝ: "eo",
  ŭ: "eo",
  ĵ: "eo",
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
  ["ció cions ment itat ava aven", "ca"],
  ["ción cións mente dade ando", "gl"],
  ["aren ekin tzen tzeko etan etako arekin eko ako", "eu"],
  ["inn num anna inum legt legur sson", "is"],
  ["mas imas ėjo tojo iui uose ais ose omis", "lt"],
  ["ības šana šanas ījis ajam iem ām ējs", "lv"],
  ["mise misest tud takse davad sid", "et"],
  ["nje anja ega emu ški ško nosti ovati", "sl"],
  ["nje anja ski ska sko osti ovati avanje", "hr"],
  ["nje anja ski ska sko osti ovati avanje", "sr-Latn"],
  ["osť ovať anie enie ného ých ého", "sk"],
  ["lar lər ların lərin dır dir ması məsi nda ndə dan dən", "az"],
  ["lar larning ning lik gan ishi adi", "uz"],
  ["ngen heid lik ing", "af"],
  ["nya kan lah", "ms"],
];

/** Word beginnings typical of a language, some with an ending, and the letters that they begin with. */
export const BEGINNING_CLUES: readonly (readonly [letters: string, words: RegExp, language: string])[] = [
  ["ldqjnsc", /^(?:l'|d'|qu'|j'|n'|s'|c')/, "fr"],
  ["mpbtkd", /^(?:meng|meny|memp|memb|peng|peny|pemb|ber|ter|ke.{3,}an$|di.{3,}(?:kan|i)$)/, "id"],
  ["g", /^ge.{3,}(?<!hei)d$/, "nl"],
  ["mnpi", /^(?:mag|nag|pag|ipa|pinaka)/, "tl"],
];

/**
 * Languages that are near one of more speakers, most of them with its function words: a text is taken for theirs only where more speaks
 * for it, and neither is a reason to doubt the other.
 */
export const RELATIVES: Readonly<Record<string, string>> = {
  af: "nl",
  az: "tr",
  ca: "es",
  ceb: "tl",
  et: "fi",
  fo: "is",
  gd: "ga",
  gl: "pt",
  lb: "de",
  ms: "id",
  sk: "cs",
  "sr-Latn": "hr",
};

/** What sounds of Croatian and of Serbian are written with: `vrijeme` and `vreme`, `mjesto` and `mesto`. */
export const IJEKAVIAN =
  /(?:ije[dnltkspč]|[mvlndb]je[srtčh]|[sd]jel|cjel|tjed|rješ|htje|vidje|tko|općin|tijek|tisuć|europ|sveuč|kolovoz|travnj|[vs]ibnj|srpnj|rujn|listopad|studen|prosin|siječnj|veljač|ožujk|ira(?:ti|n|la|li)|uvjet|izvješ|priopć|suradnj|točn)/g;
export const EKAVIAN =
  /(?:mest|vrem|prome|svet|dete|cele|celo|rešen|uspeh|zahte|nedelj|sledeć|uvek|celin|vređ|beleš|primen|smen|odelj|lepo|gde|ovde|posle|takođe|evrop|opštin|tokom|hiljad|univerz|avgust|april|januar|februar|jula|juna|maja|oktob|septemb|novemb|decemb|isa(?:ti|n|la|li)|ova(?:n|la|li)|uslov|izvešt|saopšt|saradnj|tačn|srbij|kancelar)/g;
