import type { Operation } from "../contract/service/operations.js";
import { accountCreateKey } from "./account/create-key.js";
import { accountKeys } from "./account/keys.js";
import { accountLedger } from "./account/ledger.js";
import { accountRevokeKey } from "./account/revoke-key.js";
import { accountShow } from "./account/show.js";
import { accountTopUp } from "./account/top-up.js";
import { accountUsage } from "./account/usage.js";
import { creator } from "./creator.js";
import { creatorGraph } from "./creator-graph.js";
import { detail } from "./detail.js";
import { directory } from "./directory.js";
import type { Handler } from "./handler.js";
import { list } from "./list.js";
import { pricePath } from "./price-path.js";
import { ranking } from "./ranking.js";
import { rawComments } from "./raw-comments.js";
import { rawVideo } from "./raw-video.js";
import { records } from "./records.js";
import { search } from "./search.js";
import { slices } from "./slices.js";
import { trend } from "./trend.js";
import { unmapped } from "./unmapped.js";

/** Handlers of all operations that a catalogue row can name. */
export const HANDLERS: Readonly<Record<Operation, Handler>> = {
  search,
  "raw-video": rawVideo,
  "raw-comments": rawComments,
  slices,
  directory,
  detail,
  list,
  records,
  ranking,
  trend,
  "price-path": pricePath,
  creator,
  "creator-graph": creatorGraph,
  "account-show": accountShow,
  "account-usage": accountUsage,
  "account-ledger": accountLedger,
  "account-top-up": accountTopUp,
  "account-keys": accountKeys,
  "account-create-key": accountCreateKey,
  "account-revoke-key": accountRevokeKey,
  unmapped,
};
