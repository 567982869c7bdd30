const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Words of units in the languages of the platforms, by their length in milliseconds; months and years are means. */
const UNITS: readonly (readonly [ms: number, words: RegExp])[] = [
  [
    SECOND,
    /^(?:s|secs?|seconds?|秒|초|detik|segundos?|secondes?|sekunden?|secondi|giây|сек\p{L}*|ثانية|ثوان)$/u,
  ],
  [
    MINUTE,
    /^(?:m|mins?|minutes?|分钟|分鐘|分|분|menit|minutos?|minuten?|minuti|phút|мин\p{L}*|دقيقة|دقائق)$/u,
  ],
  [HOUR, /^(?:h|hrs?|hours?|小时|小時|時間|시간|jam|horas?|heures?|stunden?|ore|giờ|час\p{L}*|ساعة|ساعات)$/u],
  [DAY, /^(?:d|days?|天|日|일|hari|d[ií]as?|jours?|tag(?:en|e)?|giorni|ngày|дн\p{L}*|день|يوم|أيام)$/u],
  [
    7 * DAY,
    /^(?:w|wks?|weeks?|周|週|週間|주|minggu|semanas?|semaines?|wochen?|settimane|tuần|недел\p{L}*)$/u,
  ],
  [
    30.436875 * DAY,
    /^(?:mo|months?|个月|個月|か月|ヶ月|개월|bulan|mes(?:es)?|mois|monat(?:en|e)?|mesi|tháng|месяц\p{L}*)$/u,
  ],
  [365.2425 * DAY, /^(?:y|yrs?|years?|年|년|tahun|años?|anos?|ans?|jahr(?:en|e)?|anni|năm|год\p{L}*|лет)$/u],
];

const NOW =
  /^(?:now|just now|刚刚|剛剛|たった今|방금|baru saja|ahora|maintenant|à l'instant|jetzt|gerade eben|только что)$/u;
const YESTERDAY = /^(?:yesterday|昨天|昨日|어제|kemarin|ayer|ontem|hier|gestern|ieri|вчера)$/u;
const COUNTED =
  /^(?:hace|há|il y a|vor|منذ|about|vor etwa)?\s*(\d+(?:\.\d+)?|an?|one)\s*(\p{L}+?)\s*(?:ago|前|전|yang lalu|lalu|atrás|fa|trước|назад)?$/u;

/** What stands before the time of the last change. */
const EDITED =
  /^(?:edited|updated|editado|modifié|modificato|bearbeitet|bewerkt|diedit|изменено|수정됨)[:,]?\s+/u;

/**
 * Milliseconds of a time before another in words: `3 hours ago`, `2 天前`, `hace 5 días`, `yesterday`, `just now`. Months and years
 * have their mean length. Undefined for other words.
 */
export function millisecondsAgo(text: string): number | undefined {
  const words = text.trim().toLowerCase().replace(EDITED, "");
  if (NOW.test(words)) return 0;
  if (YESTERDAY.test(words)) return DAY;
  const [, amount, unit] = COUNTED.exec(words) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const found = UNITS.find(([, names]) => names.test(unit));
  if (found === undefined) return undefined;
  return Math.round((/^\d/.test(amount) ? Number(amount) : 1) * found[0]);
}
