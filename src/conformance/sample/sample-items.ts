import type { EndpointSpec } from "../../contract/service/endpoint.js";
import type { RawItem, SliceItem } from "../../contract/slice/slice-item.js";
import type { Samples } from "../rule.js";
import { PART_RESOURCES, partItem } from "./parts.js";
import { platformOf, recordIdOf, type WorkPlan, workItems } from "./works.js";

/** Works of every platform that has any. */
const WORKS_PER_PLATFORM = 4;
/** Comments on the short-video platform's first video: more than the largest page. */
const MANY_COMMENTS = 57;
const FEW_PARTS = 5;
const REPLIES = 3;

const VIDEO_ID = "7301234567890123456";

/** Facts about the sample that conformance rules rely on. */
export const SAMPLES: Samples = {
  query: "lantern",
  rare: { query: "quokka", recordId: recordIdOf(platformOf("forum"), "p1-rare") },
  oldQuery: "almanac",
  platform: { slug: "forum", domain: "social" },
  itemId: VIDEO_ID,
  commentCount: MANY_COMMENTS,
  absentItemId: "7399999999999999999",
};

/**
 * Invented data for every endpoint of a catalogue: each row's example is answered with something. Deterministic, free of
 * anyone's rights, about 80 records in four languages, captured within 24 hours but for four older ones.
 */
export function sampleItems(catalogue: readonly EndpointSpec[]): SliceItem[] {
  const items = new Map<string, SliceItem>();
  const add = (item: SliceItem) => {
    const key = item.kind === "record" ? item.record.id : keyOf(item.raw);
    if (!items.has(key)) items.set(key, item);
  };
  for (const plan of plansOf(catalogue)) for (const item of workItems(plan)) add(item);
  for (const endpoint of catalogue) for (const raw of partsOf(endpoint)) add({ kind: "raw", raw });
  return [...items.values()];
}

function keyOf({ platform, resource, id }: RawItem): string {
  return `${platform}/${resource}/${id}`;
}

function plansOf(catalogue: readonly EndpointSpec[]): WorkPlan[] {
  const plans: WorkPlan[] = [];
  for (const endpoint of catalogue) {
    const main = mainWork(endpoint);
    if (main === undefined) continue;
    const platform = platformOf(endpoint.platform!);
    for (let number = 0; number < WORKS_PER_PLATFORM; number++) {
      const id = number === 0 ? main.id : `${main.id.slice(0, -1)}${number + 1}${main.id.slice(-1)}`;
      const words = `of the ${platform.slug.replaceAll("-", " ")}`;
      plans.push({ platform, resource: main.resource, id, number, words, capturedHoursBefore: number });
    }
  }
  const forum = { platform: platformOf("forum"), resource: "post" } as const;
  plans.push({ ...forum, id: "p1-rare", number: 9, words: "with a quokka", capturedHoursBefore: 1 });
  for (const [i, days] of [3, 20, 40, 80].entries())
    plans.push({
      ...forum,
      id: `old-${i}`,
      number: i,
      words: "in the almanac",
      capturedHoursBefore: 24 * days,
    });
  return plans;
}

/** The item that a detail endpoint's example requests. */
function mainWork({
  example,
  operation,
  options,
}: EndpointSpec): { resource: string; id: string } | undefined {
  if (operation === "raw-video") return { resource: "video", id: VIDEO_ID };
  if (operation !== "detail" || example === undefined) return undefined;
  return { resource: String(options.resource), id: String(example[String(options.id)]) };
}

/** The parts that an endpoint's example requests: comments, replies, reviews, prices, creators. */
function partsOf({ example = {}, operation, options, platform = "" }: EndpointSpec): RawItem[] {
  const resource = String(options.resource ?? DEFAULT_RESOURCE[operation] ?? "");
  if (!PART_RESOURCES.has(resource)) return [];
  const named = (option: string) => {
    const parameter = options[option];
    return typeof parameter === "string" ? String(example[parameter]) : undefined;
  };
  const parent =
    operation === "raw-comments" ? VIDEO_ID : (named("parent") ?? namedParent(operation, named("id")));
  const replyTo = named("reply_to");
  const of = {
    platform,
    parent,
    replyTo,
  };
  const count = replyTo !== undefined ? REPLIES : parent === VIDEO_ID ? MANY_COMMENTS : FEW_PARTS;
  const own = operation === "creator" ? named("id") : undefined;
  return Array.from({ length: count }, (_, i) =>
    partItem(
      resource,
      i === 0 && own !== undefined ? own : partId(resource, parent, replyTo, i + 1),
      i + 1,
      of,
    ),
  );
}

const DEFAULT_RESOURCE: Readonly<Record<string, string>> = {
  "raw-comments": "comment",
  creator: "creator",
  "creator-graph": "relation",
  "price-path": "price",
};

function namedParent(operation: string, id: string | undefined): string | undefined {
  return operation === "price-path" || operation === "creator-graph" ? id : undefined;
}

/** `c1`, `c2`, … as the examples name comments; replies and parts of other things have longer ids. */
function partId(
  resource: string,
  parent: string | undefined,
  replyTo: string | undefined,
  n: number,
): string {
  if (replyTo !== undefined) return `${replyTo}-r${n}`;
  if (resource === "comment") return `c${n}`;
  if (resource === "creator") return `creator-${n}`;
  return `${parent ?? "all"}-${resource}-${n}`;
}
