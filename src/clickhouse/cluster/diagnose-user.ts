import type { Clock } from "../../clock.js";
import { LakeError } from "../../contract/errors.js";
import { shownClickHouse } from "../clickhouse-address.js";
import { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { WHOLE_ANSWERS } from "../request-settings.js";
import type { ClusterFinding } from "./cluster-finding.js";

/** Limits of a profile that make a call fail that needs more. */
const LIMITS = [
  "max_execution_time",
  "max_result_rows",
  "max_result_bytes",
  "max_rows_to_read",
  "max_bytes_to_read",
  "max_rows_in_set",
  "max_rows_to_group_by",
  "max_rows_to_transfer",
];

/** Version of the server, rights of the user, and what its profile sets. */
export async function diagnoseUser(connection: Connection, _clock: Clock): Promise<ClusterFinding[]> {
  const findings: ClusterFinding[] = [];
  const [[version, user]] = (await connection.rows<[string, string]>("SELECT version(), currentUser()")) as [
    [string, string],
  ];
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = CLICKHOUSE_DEFAULTS.diagnosis.tested;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor))
    findings.push({
      level: "note",
      code: "cluster_version",
      message: `ClickHouse ${version} is older than ${leastMajor}.${leastMinor}, which Mirrorlake is tested with`,
      remedy: "update ClickHouse",
    });
  findings.push(...(await profileOf(connection, user)));
  const lacks: string[] = [];
  for (const right of ["INSERT", "CREATE TABLE", "DROP TABLE", "ALTER TABLE"])
    if (!(await mayUse(connection, right))) lacks.push(right);
  if (lacks.length > 0)
    findings.push({
      level: "note",
      code: "cluster_not_allowed",
      message: `${user} may not ${lacks.join(", ")} in ${connection.database}: enough to answer calls, too little to install and remove`,
      remedy: "install and remove as a user who has these rights",
    });
  return findings;
}

/** What the profile of the user sets that concerns a lake: seen by a request that sets nothing itself. */
async function profileOf({ address }: Connection, user: string): Promise<ClusterFinding[]> {
  const bare = await Connection.open(address, "bare");
  try {
    const rows = await bare.rows<[string, string]>(
      `SELECT name, value FROM system.settings WHERE changed AND name IN {names:Array(String)} ORDER BY name`,
      { names: ["readonly", ...LIMITS, ...Object.keys(WHOLE_ANSWERS)] },
    );
    const set = rows.filter(
      ([name, value]) => value !== String(WHOLE_ANSWERS[name as keyof typeof WHOLE_ANSWERS] ?? "0"),
    );
    return set.map(([name, value]): ClusterFinding => {
      const said = `The profile of ${user} at ${shownClickHouse(address)} sets ${name} = ${value}`;
      if (name === "readonly")
        return {
          level: value === "1" ? "error" : "note",
          code: "cluster_profile",
          message: `${said}: ${value === "1" ? "no request can say its own limits" : "it may not write"}`,
          remedy: "give the user GRANT SELECT in the place of readonly",
        };
      return LIMITS.includes(name)
        ? {
            level: "warning",
            code: "cluster_profile",
            message: `${said}: calls that need more fail`,
            remedy: "take the limit out of the profile, or raise it",
          }
        : {
            level: "note",
            code: "cluster_profile",
            message: `${said}, which would cut answers short; Mirrorlake overrules it`,
            remedy: "take it out of the profile: other programs get answers in part",
          };
    });
  } finally {
    await bare.close();
  }
}

/** Whether the user has a right in the database; servers that cannot say so are taken to allow it. */
async function mayUse(connection: Connection, right: string): Promise<boolean> {
  const said: Buffer[] = [];
  try {
    // This statement takes no format.
    for await (const piece of connection.stream(`CHECK GRANT ${right} ON \`${connection.database}\`.*`))
      said.push(piece);
  } catch (error) {
    if (error instanceof LakeError && error.code === "cluster_failed") return true;
    throw error;
  }
  return Buffer.concat(said).toString().trim() !== "0";
}
