import type { Market } from '../../domain/market.ts';
import type { Intent } from '../../strategy/intents.ts';
import type { OrderRecord } from '../order-record.ts';
import { advanceQuotes } from './advance-quotes.ts';
import { advanceIceberg, createIceberg, type IcebergProgram } from './iceberg.ts';
import type { ProgramStep, ProgramView } from './algorithm-step.ts';

import { createQuotes, type QuotesProgram } from './quotes.ts';
import { advanceReplace, createReplace, type ReplaceProgram } from './replace.ts';
import type { Creation } from './step.ts';
import { advanceTarget, createTarget, type TargetProgram } from './target.ts';
import { advanceTwap, createTwap, type TwapProgram } from './twap.ts';

/** The state of one intent that is served by several orders over time. A value; `programToJson` makes it a text for the mirror. */
export type Program = QuotesProgram | ReplaceProgram | TargetProgram | TwapProgram | IcebergProgram;

/** The intents that are served by a program. */
export type ProgramIntent = Extract<Intent, { kind: Program['kind'] }>;

export interface CreateProgramOptions {
  readonly market: Market;
  readonly nowMs: number;
  /** The order that a replace intent names, when it is one of the strategy's own. */
  readonly replaced?: OrderRecord | undefined;
  /** For quotes: how long a set is acted on without being said again; 5 s when left out. */
  readonly maxQuoteAgeMs?: number | undefined;
}

export function isProgramIntent(intent: Intent): intent is ProgramIntent {
  switch (intent.kind) {
    case 'quotes':
    case 'replace':
    case 'target':
    case 'twap':
    case 'iceberg':
      return true;
    case 'place':
    case 'oco':
    case 'cancel':
    case 'cancel-all':
      return false;
  }
}

/** The program of an intent at its begin, or why the intent can not be served. Nothing is wanted yet: `advanceProgram` says what. */
export function createProgram(intent: ProgramIntent, options: CreateProgramOptions): Creation<Program> {
  switch (intent.kind) {
    case 'quotes':
      return createQuotes(intent, options);
    case 'replace':
      return createReplace(intent, options);
    case 'target':
      return createTarget(intent);
    case 'twap':
      return createTwap(intent, options);
    case 'iceberg':
      return createIceberg(intent, options);
  }
}

/**
 * What the program wants now. The same program with the same view wants the same, and comes back as the same object when nothing about it changed, so
 * that nothing has to be stored. What it wants placed counts as asked for: it has to be among the orders or the refusals of the next view.
 */
export function advanceProgram(program: Program, view: ProgramView): ProgramStep<Program> {
  switch (program.kind) {
    case 'quotes':
      return advanceQuotes(program, view);
    case 'replace':
      return advanceReplace(program, view);
    case 'target':
      return advanceTarget(program, view);
    case 'twap':
      return advanceTwap(program, view);
    case 'iceberg':
      return advanceIceberg(program, view);
  }
}
