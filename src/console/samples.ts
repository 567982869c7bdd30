import type { LakeQueries } from "../client/lake-queries.js";
import { counted } from "../contract/quantity.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { Corpus, RawQuery } from "../store/corpus.js";
import type { SampleAnswer } from "./answers.js";
import { CONSOLE_DEFAULTS } from "./defaults.js";

/** Longest label of a sample, characters. */
const LABEL_LENGTH = 60;

/** Items that are looked through for samples. */
const LOOKED_THROUGH = 400;

/**
 * Ids of a lake that an endpoint has an answer for, by the parameter that takes them: of items, of what has parts, of creators. Other
 * parameters have none.
 */
export async function samplesOf(
  row: EndpointSpec,
  corpus: Corpus,
  sql: LakeQueries["sql"],
): Promise<Readonly<Record<string, readonly SampleAnswer[]>>> {
  const { platform, options } = row;
  if (platform === undefined) return {};
  const find = async (query: Omit<RawQuery, "platform" | "offset" | "limit" | "orderBy">) =>
    (
      await corpus.rawPage({
        ...query,
        platform,
        orderBy: "score",
        descending: true,
        offset: 0,
        limit: LOOKED_THROUGH,
      })
    ).items;
  const parents = (kind: string) => parentsOf(kind, platform, { find, sql });
  const option = (name: string) => (typeof options[name] === "string" ? options[name] : undefined);
  const resource = option("resource");
  switch (row.operation) {
    case "raw-video":
      return { item_id: sample(await find({ resource: "video" }), ({ id }) => id, labelOf) };
    case "raw-comments":
      return { item_id: await parents("comment") };
    case "detail":
      return named(
        option("id"),
        sample(await find({ resource }), ({ id }) => id, labelOf),
      );
    case "price-path":
      return named(option("id"), await parents(resource ?? "price"));
    case "creator":
    case "creator-graph":
      return named(option("id"), await creators(find, option("works")));
    case "list": {
      const [parent, replyTo, author] = [option("parent"), option("reply_to"), option("author")];
      if (author !== undefined) return named(author, await creators(find, resource));
      if (parent === undefined) return {};
      if (replyTo === undefined) return named(parent, await parents(resource ?? ""));
      const items = await find({ resource });
      const replies = items.filter(({ reply_to, parent: of }) => reply_to !== undefined && of !== undefined);
      return {
        [replyTo]: unique(
          replies.map(({ reply_to, parent: of }) => ({
            value: reply_to!,
            label: `a comment of ${of}`,
            with: { [parent]: of! },
          })),
        ),
      };
    }
    default:
      return {};
  }
}

function named(name: string | undefined, samples: readonly SampleAnswer[]) {
  return name === undefined ? {} : { [name]: samples };
}

async function creators(
  find: (query: { readonly resource: string | undefined }) => Promise<readonly RawItem[]>,
  works: string | undefined,
): Promise<readonly SampleAnswer[]> {
  const profiles = await find({ resource: "creator" });
  if (profiles.length > 0 || works === undefined) return sample(profiles, ({ id }) => id, labelOf);
  const items = await find({ resource: works });
  return sample(
    items,
    ({ author }) => author,
    ({ author }) => author ?? "",
  );
}

/** Views of SQL that know what parts of a kind belong to. */
const PART_VIEWS: Readonly<Record<string, readonly [view: string, parent: string]>> = {
  comment: ["comments", "item_id"],
  price: ["prices", "product_id"],
};

/** What the parts of a kind belong to: those with the most parts first. */
async function parentsOf(
  kind: string,
  platform: string,
  ask: {
    readonly find: (query: { readonly resource: string }) => Promise<readonly RawItem[]>;
    readonly sql: LakeQueries["sql"];
  },
): Promise<readonly SampleAnswer[]> {
  const [view, parent] = PART_VIEWS[kind] ?? [];
  if (view !== undefined) {
    const rows = await ask.sql<{ value: string; n: number }>(
      `SELECT ${parent} AS value, count(*)::INTEGER AS n FROM ${view} WHERE platform = $platform AND ${parent} IS NOT NULL
       GROUP BY 1 ORDER BY n DESC, 1 LIMIT ${CONSOLE_DEFAULTS.samples}`,
      { platform },
    );
    return rows.map(({ value, n }) => ({ value, label: `${value}: ${counted(n, kind)}` }));
  }
  const counts = new Map<string, number>();
  for (const { parent: of } of await ask.find({ resource: kind }))
    if (of !== undefined) counts.set(of, (counts.get(of) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most.slice(0, CONSOLE_DEFAULTS.samples).map(([value]) => ({ value, label: value }));
}

function sample(
  items: readonly RawItem[],
  idOf: (item: RawItem) => string | undefined,
  label: (item: RawItem) => string,
): readonly SampleAnswer[] {
  return unique(
    items.flatMap((item) => {
      const value = idOf(item);
      return value === undefined ? [] : [{ value, label: label(item) }];
    }),
  );
}

function unique(samples: readonly SampleAnswer[]): readonly SampleAnswer[] {
  return [...new Map(samples.map((each) => [each.value, each])).values()].slice(0, CONSOLE_DEFAULTS.samples);
}

function labelOf({ id, data }: RawItem): string {
  const { title, text, nickname } = data;
  const words = [title, text, nickname].find((each) => typeof each === "string" && each !== "");
  return words === undefined ? id : String(words).slice(0, LABEL_LENGTH);
}
