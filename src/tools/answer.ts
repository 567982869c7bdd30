import type { Json, JsonObject } from "../contract/json.js";
import type { Part } from "./part-path.js";

/** A call of a tool that brings what an answer left out. */
export interface NextCall {
  /** Name of the tool. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What an answer says for programs; its text says the same, and the records. */
export interface AnswerFigures {
  /** Records, items or rows in the answer. */
  readonly shown: number;
  /** How many were left out, as far as known. */
  readonly left_out: number;
  /** The calls that bring what was left out, each of them once. */
  readonly next: readonly NextCall[];
  /** What the call cost, decimal USD. */
  readonly charged_usd: string;
}

/** Why a call of a tool failed. Its message may quote records: for programs, not for models. */
export interface ToolFailure {
  /** Code of the error: of the service's error table, or of the library. */
  readonly code: string;
  readonly message: string;
  /** How to fix it, where the library knows. */
  readonly remedy?: string | undefined;
}

/** The answer of a tool. */
export interface ToolAnswer {
  /** All that a model needs, within the budget: figures, records inside the mark, next calls, cost. */
  readonly text: string;
  /** Figures for programs. */
  readonly structured: AnswerFigures;
  /** Whether the call failed; the text says why and what to change. */
  readonly isError: boolean;
  /** The error, for programs, if one made the call fail. */
  readonly failure?: ToolFailure | undefined;
  /** Tokens of text and figures together, as `countTokens` counts them. */
  readonly tokens: number;
  /** The citation of each shown record; resolve one with `resolveCitation`. */
  readonly citations: readonly string[];
  /** The shown records whole, without vectors: for programs, not for models. */
  readonly records: readonly Json[];
}

/** A record before it is shortened. */
export interface Row {
  readonly value: Json;
  readonly cite: string | undefined;
  /** The call that brings a part of this record; undefined if none can. */
  readonly partCall?: ((part: string) => NextCall) | undefined;
}

/** An answer before it is fitted to its budget. */
export interface Draft {
  /** What the records are, in a few words: `comments of short-video`; what follows the noun where there is one. */
  readonly what: string;
  /** The noun of one record, which gets its number: `row`. */
  readonly noun?: string | undefined;
  readonly rows: readonly Row[];
  /** The part that `rows[0]` is the rest of, when a call continues a record. */
  readonly part?: Part | undefined;
  /** The call for what follows after `shown` rows; undefined if nothing does. */
  readonly after?: ((shown: number) => NextCall | undefined) | undefined;
  /** How many follow after the given rows, as far as known. */
  readonly further?: number | undefined;
  /** Whether `further` is only a lower bound. */
  readonly furtherAtLeast?: boolean;
  /** Sentences after the records: a hint, a remedy. */
  readonly notes?: readonly string[];
  readonly isError?: boolean;
  readonly failure?: ToolFailure;
}

/** What calls cost, in words and as a number. */
export interface Cost {
  readonly chargedUsd: string;
  readonly words: string | undefined;
}
