import type { CreatorGraph } from "../contract/service/answer-shapes.js";
import { CreatorGraphOptions } from "../contract/service/operations.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import { authorOf } from "./creator.js";
import { findRawPage } from "./find-raw.js";
import { type CommonParams, type GenericParams, named } from "./generic-params.js";
import type { Handler, HandlerContext } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";

/** Most works, and comments per work, that a graph is derived from. */
const MAX_WORKS = 50;
const MAX_COMMENTS_PER_WORK = 200;

type Node = CreatorGraph["nodes"][number];
type Edge = CreatorGraph["edges"][number];

/**
 * Returns the relations of a creator: those in the corpus, or else the commenters of the creator's top works, with the
 * number of comments as weight; null if the corpus has neither.
 */
export const creatorGraph: Handler<GenericParams> = async (params, context) => {
  const options = CreatorGraphOptions.parse(context.endpoint.options);
  const id = named(params, options.id) ?? "";
  const limit = (params as CommonParams).count ?? 50;
  const stored = await storedRelations(id, options.resource, limit, context);
  const { nodes, edges, origins } =
    stored.edges.length > 0 || options.works === undefined
      ? stored
      : await derivedRelations(id, options.works, limit, context);
  if (edges.length === 0) return { data: null, empty: true };
  const data: CreatorGraph = {
    creator_id: id,
    nodes,
    edges,
    prov: pageProvenance(origins, [nodes, edges], context),
  };
  return { data, empty: false };
};

interface Relations {
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly origins: readonly RawItem[];
}

async function storedRelations(
  id: string,
  resource: string,
  limit: number,
  { corpus, endpoint }: HandlerContext,
): Promise<Relations> {
  const { items } = await findRawPage(corpus, {
    platform: endpoint.platform!,
    resource,
    parent: id,
    orderBy: "score",
    descending: true,
    offset: 0,
    limit,
  });
  const nodes = new Map<string, Node>([[id, { id }]]);
  const edges = items.map(({ data, score, author }): Edge => {
    const from = String(data.from ?? id);
    const to = String(data.to ?? author ?? "");
    const other = from === id ? to : from;
    const { from: _from, to: _to, kind, weight, id: _id, ...profile } = data;
    nodes.set(other, { ...profile, id: other });
    return { from, to, kind: String(kind ?? "related"), weight: typeof weight === "number" ? weight : score };
  });
  return { nodes: [...nodes.values()], edges: edges.sort((a, b) => b.weight - a.weight), origins: items };
}

async function derivedRelations(
  id: string,
  works: string,
  limit: number,
  { corpus, endpoint, signal }: HandlerContext,
): Promise<Relations> {
  const platform = endpoint.platform!;
  const page = { orderBy: "score", descending: true, offset: 0 } as const;
  const { items } = await findRawPage(corpus, {
    ...page,
    platform,
    resource: works,
    author: id,
    limit: MAX_WORKS,
  });
  // Comments name their authors as they are stored, as works do.
  const own = items[0]?.author ?? id;
  const weights = new Map<string, number>();
  const nodes = new Map<string, Node>();
  for (const work of items) {
    signal?.throwIfAborted();
    const comments = await corpus.rawPage({
      ...page,
      platform,
      resource: "comment",
      parent: work.id,
      limit: MAX_COMMENTS_PER_WORK,
    });
    for (const comment of comments.items) {
      const from = comment.author;
      if (from === undefined || from === own) continue;
      weights.set(from, (weights.get(from) ?? 0) + 1);
      if (!nodes.has(from)) nodes.set(from, nodeOf(from, comment));
    }
  }
  const heaviest = [...weights]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([from, weight]): Edge => ({ from, to: id, kind: "comments", weight }));
  const owner = items[0] === undefined ? { id } : nodeOf(id, items[0]);
  return { nodes: [owner, ...heaviest.map(({ from }) => nodes.get(from)!)], edges: heaviest, origins: items };
}

function nodeOf(id: string, item: RawItem): Node {
  const { nickname, uid_hash, followers } = authorOf(item);
  return {
    id,
    ...(typeof nickname === "string" ? { nickname } : {}),
    ...(typeof uid_hash === "string" ? { uid_hash } : {}),
    ...(typeof followers === "number" ? { followers } : {}),
  };
}
