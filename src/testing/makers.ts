import { sampleItems } from "../conformance/sample/sample-items.js";
import { UsageError } from "../contract/errors.js";
import type { JsonObject } from "../contract/json.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import { Seeded } from "../faults/seeded.js";
import type { RawRow, RecordRow } from "../ingest/lake-row.js";
import { TESTING_DEFAULTS } from "./defaults.js";

/** Fields of a record that a test is about. */
export type RecordFields = Partial<RecordRow>;

/** Records and raw items, as `createTestLake` takes them. */
export interface World {
  readonly records: RecordRow[];
  readonly raw: RawRow[];
}

/** A thread to make. */
export interface ThreadPlan {
  readonly platform?: string | undefined;
  /** Id of the video or post that the comments belong to. */
  readonly parent?: string | undefined;
  /** Top-level comments; 10 by default. */
  readonly comments?: number | undefined;
  /** Replies to each of them; none by default. */
  readonly replies?: number | undefined;
}

/** A price path to make. */
export interface PricePlan {
  readonly platform?: string | undefined;
  /** The platform's own id of the product. */
  readonly product?: string | undefined;
  /** A price a day, the last of them at the clock's start. */
  readonly prices?: readonly number[] | undefined;
  readonly currency?: string | undefined;
}

/** Makes rows; see {@link makersFrom}. */
export interface Makers {
  readonly aRecord: {
    social(fields?: RecordFields): RecordRow;
    ecommerce(fields?: RecordFields): RecordRow;
    web(fields?: RecordFields): RecordRow;
  };
  /** Any raw item, with what is not given made up. */
  aRawItem(item: Pick<RawRow, "platform" | "resource"> & Partial<RawRow>): RawRow;
  /** A video of the short-video platform, in the shape of service.md section 2.4. */
  aVideo(fields?: { readonly id?: string; readonly text?: string; readonly likes?: number }): RawRow;
  /** Comments with replies, those with most likes first, in the shape of service.md section 2.5. */
  aThread(plan?: ThreadPlan): RawRow[];
  /** The prices of a product, one a day, and a record that they belong to. */
  aPricePath(plan?: PricePlan): World;
  /** A small world in which every endpoint of the catalogue answers something. */
  aWorld(): World;
}

const WORDS =
  "amber boots canyon drift ember forest glacier harbour island jacket kettle lantern meadow north orchard pebble quarry river summit tent umbrella valley willow".split(
    " ",
  );
const DAY_MS = 86_400_000;
const START_MS = Date.parse(TESTING_DEFAULTS.now);
const DAYS = 14;

/**
 * Makes valid records and raw items from a seed, so that a test names only what it is about: `const { aRecord, aThread } =
 * makersFrom("checkout"); aRecord.social({ text: "…" })`. Equal seeds and equal calls make equal rows.
 */
export function makersFrom(seed: string | number): Makers {
  const random = new Seeded(`${seed} makers`);
  const words = (count: number) => Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
  const digits = (count: number) =>
    Array.from({ length: count }, (_, i) => random.integer(i === 0 ? 1 : 0, 9)).join("");
  const uidHash = () => Buffer.from(random.bytes(8)).toString("hex");
  const ts = () => new Date(START_MS - random.integer(0, DAY_MS)).toISOString();

  const aRawItem: Makers["aRawItem"] = (item) => ({
    id: digits(19),
    lang: "en",
    captured_at: TESTING_DEFAULTS.now,
    score: random.integer(0, 1000),
    data: {},
    ...item,
  });

  const aComment = (
    platform: string,
    parent: string,
    fields: { replyTo?: string; replies: number; score: number },
  ) => {
    const cid = digits(19);
    const created_at = ts();
    const data: JsonObject = {
      cid,
      text: words(random.integer(3, 9)),
      likes: fields.score,
      ip_location: "Harbour",
      reply_count: fields.replies,
      created_at,
      is_hot: false,
      images: [],
      author: {
        uid_hash: uidHash(),
        nickname: words(1),
        uid: digits(8),
        sec_uid: digits(12),
        unique_id: null,
      },
    };
    const { replyTo: reply_to, score } = fields;
    const placed = { platform, resource: "comment", id: cid, parent, score, created_at, data };
    return aRawItem(reply_to === undefined ? placed : { ...placed, reply_to });
  };

  return {
    aRecord: {
      social: (fields = {}) => ({
        platform: "short-video",
        lang: "en",
        text: words(random.integer(6, 14)),
        author: { uid_hash: uidHash(), followers: random.integer(10, 100_000) },
        metrics: {
          likes: random.integer(0, 5_000),
          comments: random.integer(0, 300),
          shares: random.integer(0, 99),
        },
        prov: { ts: ts() },
        ...fields,
      }),
      ecommerce: (fields = {}) => ({
        platform: "global-marketplace",
        lang: "en",
        title: words(random.integer(3, 7)),
        metrics: { rating: random.integer(20, 50) / 10, reviews: random.integer(0, 900) },
        price: { current: random.integer(100, 20_000) / 100, currency: "USD" },
        prov: { ts: ts() },
        ...fields,
      }),
      web: (fields = {}) => ({
        platform: "global-news",
        lang: "en",
        title: words(random.integer(5, 9)),
        text: words(random.integer(20, 40)),
        sentiment: { score: random.integer(-100, 100) / 100, label: "neutral" },
        entities: [words(1), words(1)],
        prov: { ts: ts() },
        ...fields,
      }),
    },
    aRawItem,
    aVideo: ({ id = digits(19), text = words(8), likes = random.integer(0, 5_000) } = {}) => {
      const [created_at, uid] = [ts(), digits(8)];
      const data: JsonObject = {
        id: `soc_${codeOf("short-video")}_${id}`,
        src: "social",
        platform: "short-video",
        lang: "en",
        text,
        author: { uid_hash: uidHash(), nickname: words(1), uid, sec_uid: digits(12), unique_id: words(1) },
        metrics: { likes, comments: random.integer(0, 300), plays: likes * 20 },
        extra: { video_dur_s: random.integer(5, 90), source_id: id, published_at: created_at },
        prov: { hash: `0x${uidHash()}`, ts: TESTING_DEFAULTS.now, source: "short-video/made" },
      };
      return aRawItem({
        platform: "short-video",
        resource: "video",
        id,
        author: uid,
        created_at,
        score: likes,
        data,
      });
    },
    aThread: ({ platform = "short-video", parent = digits(19), comments = 10, replies = 0 } = {}) =>
      Array.from({ length: comments }, (_, i) => i).flatMap((i) => {
        const top = aComment(platform, parent, { replies, score: (comments - i) * 10 });
        const answers = Array.from({ length: replies }, (_, n) =>
          aComment(platform, parent, { replyTo: top.id, replies: 0, score: replies - n }),
        );
        return [top, ...answers];
      }),
    aPricePath: ({
      platform = "global-marketplace",
      product = digits(10),
      prices,
      currency = "USD",
    } = {}) => {
      const path = prices ?? Array.from({ length: DAYS }, () => random.integer(1_000, 9_000) / 100);
      const raw = path.map((current, i) => {
        const created_at = new Date(START_MS - (path.length - 1 - i) * DAY_MS).toISOString();
        const data: JsonObject = { ts: created_at, current, currency };
        return aRawItem({
          platform,
          resource: "price",
          id: `${product}-${i}`,
          parent: product,
          created_at,
          data,
        });
      });
      const price = { current: path.at(-1) ?? 0, currency };
      const prov = { ts: TESTING_DEFAULTS.now };
      const record: RecordRow = {
        id: `eco_${codeOf(platform)}_${product}`,
        platform,
        lang: "en",
        title: words(5),
        price,
        prov,
      };
      return { records: [record], raw };
    },
    aWorld: () => {
      // Values that are undefined are no JSON, which rows are.
      const items = JSON.parse(JSON.stringify(sampleItems(CATALOGUE))) as ReturnType<typeof sampleItems>;
      return {
        records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
        raw: items.flatMap((item) => (item.kind === "raw" ? [item.raw] : [])),
      };
    },
  };
}

/** The three letters of a shipped platform in ids. */
function codeOf(platform: string): string {
  const known = PLATFORMS.find(({ slug }) => slug === platform);
  if (known !== undefined) return known.code;
  throw new UsageError("invalid_options", `No shipped platform ${platform}`, {
    value: platform,
    remedy: `Name one of ${PLATFORMS.map(({ slug }) => slug).join(", ")}.`,
  });
}
