/** Price of a product at one place at one instant. */
export interface PlacePrice {
  readonly place: string;
  /** Calendar day of the snapshot. */
  readonly day: string;
  readonly capturedMs: number;
  readonly price: number;
}

/**
 * The newest snapshots of a product: one for each place that has its newest day, sorted by place. They depend on that day alone, so
 * the record made of them is the same whichever days came with it.
 */
export function newestByPlace<P extends PlacePrice>(snapshots: readonly P[]): [P, ...P[]] {
  const day = snapshots
    .map((snapshot) => snapshot.day)
    .sort()
    .at(-1);
  const places = new Map<string, P>();
  for (const snapshot of snapshots) {
    if (snapshot.day !== day) continue;
    const known = places.get(snapshot.place);
    if (known === undefined || snapshot.capturedMs > known.capturedMs) places.set(snapshot.place, snapshot);
  }
  return [...places.values()].sort((a, b) => (a.place < b.place ? -1 : 1)) as [P, ...P[]];
}
