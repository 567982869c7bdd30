import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLake, type LakeClient, openLake } from "../../src/index.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

/** Calls a second of the raw video. */
const CAP = 5;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-shared-caps-"));
  await createLake(join(dir, "lake"), [{ platform: "forum", lang: "en", text: "boots" }], QUICK);
  await symlink(join(dir, "lake"), join(dir, "link"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function outcomes(clients: readonly LakeClient[], calls: number): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < calls; i += 1) {
    const asked = clients[i % clients.length]!.raw("short-video", "video", {
      item_id: "7400000000000000001",
    });
    found.push(
      await asked.then(
        () => "answered",
        (error: { code: string }) => error.code,
      ),
    );
  }
  return found;
}

const allowed = (found: readonly string[]) => found.filter((outcome) => outcome === "answered").length;

it("clients of one account in a process share the caps of the endpoints", async () => {
  const clock = new VirtualClock("2026-05-01T00:00:00Z");
  const open = (name: string) => openLake(join(dir, name), { clock, embedder: EMBEDDER });
  const clients = [await open("lake"), await open("link")];
  try {
    const found = await outcomes(clients, CAP + 2);
    expect(found).toEqual([...Array(CAP).fill("answered"), "endpoint_busy", "endpoint_busy"]);
    clock.advance(1000);
    await clients.pop()!.close();
    expect(allowed(await outcomes(clients, CAP + 1))).toBe(CAP);
    clients.push(await open("lake"));
    expect(allowed(await outcomes(clients, 2))).toBe(0);
  } finally {
    for (const client of clients) await client.close();
  }
});

it("accounts in memory and other clocks have caps of their own", async () => {
  const clock = new VirtualClock("2026-05-01T01:00:00Z");
  const other = new VirtualClock("2026-05-01T01:00:00Z");
  const path = join(dir, "lake");
  const clients = [
    await openLake(path, { clock, embedder: EMBEDDER }),
    await openLake(path, { clock: other, embedder: EMBEDDER }),
    await openLake(path, { clock, embedder: EMBEDDER, account: "memory" }),
    await openLake(path, { clock, embedder: EMBEDDER, account: "memory" }),
  ];
  try {
    for (const client of clients) expect(allowed(await outcomes([client], CAP + 1))).toBe(CAP);
  } finally {
    for (const client of clients) await client.close();
  }
});
