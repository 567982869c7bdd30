import type { LakeQueries } from "../client/lake-queries.js";
import { withOwnPlatforms } from "../contract/service/catalogue/own-platform-rows.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import type { LakeView } from "../service/pipeline.js";
import type { LakeContent } from "./lake-content.js";
import { LakeOnDisk, queriesOf } from "./lake-on-disk.js";
import type { TestContent } from "./test-content.js";

/** Content in memory; a lake on disk is made of it when SQL or slices are asked for. */
export class MemoryContent implements TestContent {
  readonly catalogue: readonly EndpointSpec[];
  readonly queries: LakeQueries;
  private readonly disk: LakeOnDisk;

  constructor(private readonly content: LakeContent) {
    this.catalogue = withOwnPlatforms(CATALOGUE, content.options.platforms);
    this.disk = new LakeOnDisk(content);
    this.queries = queriesOf(() => this.disk.client());
  }

  use<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    return work(this.content);
  }

  describeSlices(): Promise<void> {
    return this.disk.describeSlices();
  }

  async onDisk(): Promise<LakeHandle> {
    return (await this.disk.client()).lake;
  }

  async hold(): Promise<void> {
    this.disk.hold();
  }

  release(): Promise<void> {
    return this.disk.release();
  }
}
