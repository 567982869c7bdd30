/** A query that takes time or memory without end, where nothing stops it. */
export interface Bomb {
  readonly name: string;
  readonly sql: string;
}

const text = (length: number, of = "e") =>
  `array_to_string(list_transform(range(${length / 50}), x -> repeat('${of}', 50)), '')`;
const long = (doublings: number, seed = "repeat('e', 60000)") => {
  const steps = Array.from({ length: doublings }, (_, i) => `t${i + 1} AS (SELECT s || s AS s FROM t${i})`);
  return `WITH t0 AS (SELECT ${seed} AS s), ${steps.join(", ")}`;
};
const nested = (depth: number, call: string, inner: string) =>
  `${call}(`.repeat(depth) + inner + ")".repeat(depth);
const crossed = (count: number, rows = 100) =>
  Array.from({ length: count }, (_, i) => `range(${rows}) t${i}`).join(", ");

/** The bombs that were found: each took 45 s or 5 GB and more, or hung for good. */
export const FOUND: readonly Bomb[] = [
  {
    name: "LIKE with many wildcards",
    sql: `SELECT count(*) FROM (SELECT ${text(60_000)} || x AS s, '%e%e%e%e%e%zzq%' AS p FROM range(50) r(x)) WHERE s LIKE p`,
  },
  {
    name: "damerau_levenshtein of two long texts",
    sql: `SELECT damerau_levenshtein(${text(60_000)}, ${text(60_000, "f")})`,
  },
  {
    name: "list_reduce that doubles",
    sql: "SELECT length(list_reduce(list_concat(['e'], list_transform(range(40), x -> 'e')), (a, b) -> a || a))",
  },
  {
    name: "nested hex",
    sql: `SELECT length(${nested(24, "hex", "'e'")}), length(${nested(40, "hex", "id")}) FROM records`,
  },
  { name: "20,000 UNION ALL", sql: Array.from({ length: 20_000 }, () => "SELECT 1").join(" UNION ALL ") },
  { name: "30 nested cross joins", sql: `SELECT count(*) FROM ${crossed(30)}` },
];

/** More of them. */
export const MORE: readonly Bomb[] = [
  {
    name: "self-join of numbers",
    sql: "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
  },
  {
    name: "endless recursion, by row",
    sql: "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
  },
  {
    name: "recursion that doubles rows",
    sql: "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + i FROM t, range(2) r(i)) SELECT count(*) FROM t",
  },
  {
    name: "recursion that doubles a text",
    sql: "WITH RECURSIVE t(s) AS (SELECT 'e' UNION ALL SELECT s || s FROM t WHERE length(s) < 100000000000) SELECT max(length(s)) FROM t",
  },
  {
    name: "recursion that doubles a list",
    sql: "WITH RECURSIVE t(l) AS (SELECT [1] UNION ALL SELECT list_concat(l, l) FROM t) SELECT max(len(l)) FROM t",
  },
  { name: "texts doubled by CTEs", sql: `${long(16)} SELECT length(s) FROM t16` },
  {
    name: "upper of a doubled text",
    sql: `${long(14)} SELECT length(upper(s)) + length(reverse(s)) FROM t14`,
  },
  {
    name: "levenshtein of doubled texts",
    sql: `${long(5)} SELECT levenshtein(s, reverse(s) || 'x') FROM t5`,
  },
  {
    name: "jaro_winkler of doubled texts",
    sql: `${long(5)} SELECT jaro_winkler_similarity(s || 'a', s || 'b') FROM t5`,
  },
  {
    name: "jaccard of many texts",
    sql: `SELECT sum(jaccard(${text(60_000)} || a.x, ${text(60_000)} || b.x)) FROM range(3000) a(x), range(3000) b(x)`,
  },
  {
    name: "LIKE on doubled texts",
    sql: `${long(4)} SELECT s LIKE (SELECT string_agg('%e', '') FROM range(12)) || '%z' FROM t4`,
  },
  {
    name: "ILIKE",
    sql: `SELECT count(*) FROM (SELECT ${text(60_000, "é")} || x AS s, '%É%É%É%É%É%zzq%' AS p FROM range(50) r(x)) WHERE s ILIKE p`,
  },
  {
    name: "GLOB",
    sql: `SELECT count(*) FROM (SELECT ${text(60_000)} || x AS s, '*e*e*e*e*e*zzq*' AS p FROM range(50) r(x)) WHERE s GLOB p`,
  },
  {
    name: "SIMILAR TO",
    sql: `SELECT count(*) FROM range(100000) r(x) WHERE ${text(60_000)} || x SIMILAR TO '((e|ee)*)*z'`,
  },
  {
    name: "regexp with large repeats",
    sql: `SELECT count(*) FROM range(100000) r(x) WHERE regexp_matches(${text(60_000)} || x, '(e{1,30}){1,30}z')`,
  },
  { name: "regexp_extract_all", sql: `${long(9)} SELECT len(regexp_extract_all(s, '.')) FROM t9` },
  { name: "regexp_split_to_array", sql: `${long(9)} SELECT len(string_split(s, '')) FROM t9` },
  {
    name: "list_sort of doubled lists",
    sql: `WITH t0 AS (SELECT range(60000) AS l), ${Array.from({ length: 12 }, (_, i) => `t${i + 1} AS (SELECT list_concat(l, l) AS l FROM t${i})`).join(", ")} SELECT len(list_reverse_sort(l)) FROM t12`,
  },
  {
    name: "list_distinct of doubled lists",
    sql: `WITH t0 AS (SELECT range(60000) AS l), ${Array.from({ length: 12 }, (_, i) => `t${i + 1} AS (SELECT list_concat(l, list_transform(l, x -> x + ${2 ** i * 60_000})) AS l FROM t${i})`).join(", ")} SELECT len(list_distinct(l)) FROM t12`,
  },
  {
    name: "list_transform in list_transform",
    sql: "SELECT sum(len(list_transform(range(60000), x -> list_sum(list_transform(range(60000), y -> x * y))))) FROM range(1000)",
  },
  {
    name: "list_reduce of lists",
    sql: "SELECT len(list_reduce(list_transform(range(40), x -> [x]), (a, b) -> list_concat(a, a)))",
  },
  {
    name: "cross product of lists",
    sql: "SELECT sum(len(flatten(list_transform(range(60000), x -> range(60000)))))",
  },
  {
    name: "array_agg of a large join",
    sql: "SELECT len(array_agg(a.range::VARCHAR || b.range)) FROM range(100000) a, range(1000) b",
  },
  {
    name: "string_agg of a large join",
    sql: "SELECT length(string_agg(a.range || '-' || b.range, ',')) FROM range(100000) a, range(10000) b",
  },
  {
    name: "histogram of distinct values",
    sql: "SELECT len(map_keys(histogram(a.range * 1000 + b.range))) FROM range(100000) a, range(1000) b",
  },
  {
    name: "distinct of a large join",
    sql: "SELECT count(DISTINCT a.range::VARCHAR || b.range) FROM range(100000) a, range(100000) b",
  },
  {
    name: "order of a large join",
    sql: "SELECT * FROM range(100000) a, range(10000) b ORDER BY hash(a.range, b.range) LIMIT 3 OFFSET 500000000",
  },
  {
    name: "window over a large join",
    sql: "SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY hash(a.range, b.range)) AS n FROM range(100000) a, range(10000) b)",
  },
  {
    name: "quantiles of a large join",
    sql: "SELECT quantile_cont(hash(a.range, b.range)::DOUBLE, 0.5), mode(a.range * b.range) FROM range(100000) a, range(10000) b",
  },
  {
    name: "median of a wide frame",
    sql: "SELECT sum(m) FROM (SELECT mode(hash(range) % 7) OVER (ORDER BY range ROWS BETWEEN 1000000 PRECEDING AND CURRENT ROW) AS m FROM range(3000000))",
  },
  {
    name: "grouping sets",
    sql: `SELECT count(*) FROM (SELECT ${Array.from({ length: 12 }, (_, i) => `c${i}`).join(", ")}, count(*) FROM (SELECT ${Array.from({ length: 12 }, (_, i) => `hash(range + ${i}) AS c${i}`).join(", ")} FROM range(1000000)) GROUP BY CUBE (${Array.from({ length: 12 }, (_, i) => `c${i}`).join(", ")}))`,
  },
  {
    name: "pivot of many values",
    sql: "SELECT count(*) FROM (PIVOT (SELECT range % 3 AS a, range % 5000 AS b, range AS v FROM range(1000000)) ON b IN (SELECT range FROM range(5000)) USING sum(v))",
  },
  {
    name: "range join",
    sql: "SELECT count(*) FROM range(10000000) a JOIN range(10000000) b ON a.range < b.range AND a.range + b.range < 10000000",
  },
  {
    name: "correlated counts",
    sql: "SELECT sum((SELECT count(*) FROM range(1000000) b WHERE hash(b.range) % 97 = a.range % 97 AND b.range > a.range)) FROM range(1000000) a",
  },
  {
    name: "CTEs that square",
    sql: `WITH t0 AS (SELECT range AS x FROM range(100)), ${Array.from({ length: 6 }, (_, i) => `t${i + 1} AS (SELECT a.x + b.x AS x FROM t${i} a, t${i} b)`).join(", ")} SELECT sum(x) FROM t6`,
  },
  {
    name: "JSON that doubles",
    sql: `WITH t0 AS (SELECT '[1]'::JSON AS j), ${Array.from({ length: 28 }, (_, i) => `t${i + 1} AS (SELECT json_array(j, j) AS j FROM t${i})`).join(", ")} SELECT length(j::VARCHAR) FROM t28`,
  },
  {
    name: "JSON nested deep",
    sql: "SELECT json_structure((repeat('[', 60000) || repeat(']', 60000))::JSON)::VARCHAR",
  },
  {
    name: "nested base64",
    sql: `SELECT length(${Array.from({ length: 60 }).reduce<string>((inner) => `base64(encode(${inner}))`, text(60_000))})`,
  },
  {
    name: "nested url_encode",
    sql: `SELECT length(${nested(30, "url_encode", "'%'")}), length(${nested(22, "hex", "url_encode('%%%%%%%%')")})`,
  },
  {
    name: "translate and concat in a chain",
    sql: `SELECT length(${Array.from({ length: 34 }).reduce<string>((inner) => `list_reduce([${inner}, ''], (a, b) -> concat(a, a))`, "'e'")})`,
  },
  {
    name: "format of a doubled text",
    sql: `${long(13)} SELECT length(format('{}{}{}{}', s, s, s, s)) FROM t13`,
  },
  {
    name: "bit_count of a doubled BLOB",
    sql: `${long(14)} SELECT octet_length(encode(s)), md5(s), sha256(s) FROM t14`,
  },
  {
    name: "rows that the parent must not collect",
    sql: `SELECT ${text(60_000)} || range AS s FROM range(2048)`,
  },
  { name: "lists that a row must not be made of", sql: "SELECT range(60000) AS l FROM range(100000)" },
  { name: "vectors by the million", sql: "SELECT sum(vec[1]) FROM vectors, range(10000000)" },
  { name: "nested lists", sql: `SELECT ${"[".repeat(240)}1${"]".repeat(240)}` },
  { name: "a long chain of sums", sql: `SELECT ${Array.from({ length: 150_000 }, () => "1").join("+")}` },
  {
    name: "a long list of constants",
    sql: `SELECT [${Array.from({ length: 150_000 }, (_, i) => i).join(",")}]`,
  },
  { name: "brackets", sql: `SELECT ${"(".repeat(100_000)}1${")".repeat(100_000)}` },
  { name: "NOT by the thousand", sql: `SELECT ${"NOT ".repeat(100_000)}true` },
  { name: "minus by the thousand", sql: `SELECT ${"- ".repeat(100_000)}1` },
  { name: "a long FROM list", sql: `SELECT count(*) FROM ${crossed(5_000, 1)}` },
  {
    name: "CTEs by the thousand",
    sql: `WITH t0 AS (SELECT 1 AS x), ${Array.from({ length: 900 }, (_, i) => `t${i + 1} AS (SELECT a.x FROM t${i} a, t${i} b)`).join(", ")} SELECT * FROM t900`,
  },
];
