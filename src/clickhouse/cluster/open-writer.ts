import { type ClickHouseAddress, serversOf } from "../clickhouse-address.js";
import { Connection } from "../connection.js";
import { knownTables, shareTables } from "../schema/found-tables.js";
import { addressOn } from "./cluster-layout.js";
import { copiesOf } from "./copies.js";

/**
 * Opens a connection for what writes: to the first server of the layout, or of the address where the layout names none, so that writers
 * who name different ones take turns. It has one server: what another one answers need not be what was written here.
 * @throws LakeError `cluster_*`; UsageError `invalid_lake_address`
 */
export async function openWriter(address: ClickHouseAddress): Promise<Connection> {
  const [given] = serversOf(address);
  const connection = await Connection.open(address);
  try {
    const { version, layout } = await knownTables(connection);
    const copies = layout?.replicated === true ? await copiesOf(connection, layout) : 1;
    const first = layout?.nodes[0];
    const writer = await Connection.open(
      first === undefined ? given : addressOn(given, first),
      "load",
      copies,
    );
    // Where there is no lake another writer may be making it.
    if (version !== undefined) shareTables(connection, writer);
    return writer;
  } finally {
    await connection.close();
  }
}
