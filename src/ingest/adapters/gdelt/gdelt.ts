import { roundTo } from "../../../contract/round-to.js";
import type { Platform } from "../../../contract/service/platforms.js";
import type { SliceItem } from "../../../contract/slice/slice-item.js";
import { buildRaw } from "../../mapping/build-raw.js";
import {
  buildRecord,
  compact,
  platformsBySlug,
  type RecordDraft,
  withOwnHash,
  withSource,
} from "../../mapping/build-record.js";
import { type Run, startRun } from "../../mapping/run.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { entitiesOf, type GdeltArticle, readEvent, readGkg1, readGkg2, readMention } from "./gdelt-rows.js";

const SOURCE = "GDELT";

/** Tones within ±1 are neutral. GDELT's scale is −100 to 100, commonly −10 to 10. */
const NEUTRAL = 1;

interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

function sentimentOf(tone: number): { score: number; label: string } {
  const label = tone < -NEUTRAL ? "negative" : tone > NEUTRAL ? "positive" : "neutral";
  return { score: roundTo(tone, 4), label };
}

function articleItems(article: GdeltArticle, { run, platform }: Conversion): readonly SliceItem[] {
  const entities = entitiesOf(article);
  const draft: Record<string, unknown> = compact({
    id: article.id,
    lang: run.language ?? article.lang,
    title: article.title,
    text: article.text,
    sentiment: sentimentOf(article.tone),
    entities: entities.length === 0 ? undefined : entities,
    extra: {
      url: article.url,
      urls: article.urls.length > 1 ? article.urls : undefined,
      outlet: article.outlet,
      published_at: article.publishedAt,
      themes: article.themes.length === 0 ? undefined : article.themes,
      words: article.words,
      image_url: article.image,
    },
  });
  const record = buildRecord(draft as unknown as RecordDraft, platform, run.capturedAt(article.capturedAt));
  const whole = withSource(record, SOURCE);
  const raw = buildRaw({
    platform: platform.slug,
    resource: "article",
    id: article.id,
    lang: record.lang,
    captured_at: record.prov.ts,
    created_at: article.publishedAt ?? article.capturedAt,
    score: article.tone,
    data: withOwnHash({
      ...whole,
      persons: article.persons,
      organisations: article.organisations,
      locations: article.locations,
    }),
  });
  return [
    { kind: "record", record },
    { kind: "raw", raw },
  ];
}

function eventItem(value: unknown, { run, platform }: Conversion): readonly SliceItem[] {
  const event = readEvent(value);
  const raw = buildRaw({
    platform: platform.slug,
    resource: "event",
    id: event.id,
    // The text is GDELT's own, in English, whatever the article's language.
    lang: run.language ?? "en",
    captured_at: run.capturedAt(event.capturedAt),
    created_at: event.happenedAt,
    score: event.mentions,
    data: event.data,
  });
  return [{ kind: "raw", raw }];
}

function mentionItem(value: unknown, { run, platform }: Conversion): readonly SliceItem[] {
  const mention = readMention(value);
  const raw = buildRaw({
    platform: platform.slug,
    resource: "mention",
    id: mention.id,
    parent: mention.eventId,
    lang: run.language ?? mention.lang,
    captured_at: run.capturedAt(mention.mentionedAt),
    created_at: mention.mentionedAt,
    score: mention.confidence,
    data: mention.data,
  });
  return [{ kind: "raw", raw }];
}

/**
 * GDELT as JSON lines: articles of the Global Knowledge Graph (formats 1 and 2, English and translated) become records and raw
 * articles; events and mentions become raw items. The sentiment is GDELT's tone. GDELT stores no text: the title is the headline
 * in the URL, the text the article's quotations.
 */
export const GDELT: Adapter = {
  name: "gdelt",
  info: {
    title: "GDELT news samples",
    licence: "open data",
    attribution: "The GDELT Project",
    platforms: [],
  },
  sources: [
    { name: "gkg1", files: ["gkg1*.jsonl"], read: { as: "jsonl" } },
    { name: "gkg2", files: ["gkg2*.jsonl"], read: { as: "jsonl" } },
    { name: "events", files: ["events*.jsonl"], read: { as: "jsonl" } },
    { name: "mentions", files: ["mentions*.jsonl"], read: { as: "jsonl" } },
  ],
  convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, true);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get("global-news")! };
    return convertRows(rows, ({ source, value }) => {
      if (source === "gkg1") return articleItems(readGkg1(value), conversion);
      if (source === "gkg2") return articleItems(readGkg2(value), conversion);
      return source === "events" ? eventItem(value, conversion) : mentionItem(value, conversion);
    });
  },
};
