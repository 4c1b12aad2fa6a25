import type { Market } from '../../domain/market.ts';
import type { Intent } from '../../strategy/intents.ts';
import type { OrderRecord } from '../order-record.ts';
import { advanceBracket } from './advance-bracket.ts';
import { advanceDca } from './advance-dca.ts';
import { advanceLadder } from './advance-ladder.ts';
import { advancePeg } from './advance-peg.ts';
import { advanceQuotes } from './advance-quotes.ts';
import {
  createBracket,
  createProtection,
  type BracketAlgorithm,
  type BracketIntent,
  type CreateBracketOptions,
  type ProtectIntent,
} from './bracket.ts';
import { createDca, type DcaAlgorithm, type DcaIntent } from './dca.ts';
import { advanceExpiring, type ExpiringAlgorithm } from './expiring.ts';
import { advanceIceberg, createIceberg, type IcebergAlgorithm, type IcebergIntent } from './iceberg.ts';
import type { AlgorithmStep, AlgorithmView } from './algorithm-step.ts';
import { createLadder, type LadderAlgorithm, type LadderIntent } from './ladder.ts';
import { createPeg, type CreatePegOptions, type PegAlgorithm, type PegIntent } from './peg.ts';
import { createQuotes, type QuotesAlgorithm, type QuotesIntent } from './quotes.ts';
import { advanceReplace, createReplace, type ReplaceAlgorithm } from './replace.ts';
import type { Creation } from './step.ts';
import { advanceTarget, createTarget, type TargetAlgorithm } from './target.ts';
import { advanceTargets } from './advance-targets.ts';
import { createTargets, type TargetsAlgorithm } from './targets.ts';
import { advanceTwap, createTwap, type TwapAlgorithm, type TwapIntent } from './twap.ts';
import { advanceVwap, createVwap, type VwapAlgorithm, type VwapIntent } from './vwap.ts';

/**
 * The state of one intent that is served by several orders over time. A value; `algorithmToJson` makes it a
 * text for the mirror.
 */
export type Algorithm =
  | QuotesAlgorithm
  | ReplaceAlgorithm
  | TargetAlgorithm
  | TargetsAlgorithm
  | TwapAlgorithm
  | VwapAlgorithm
  | LadderAlgorithm
  | PegAlgorithm
  | DcaAlgorithm
  | IcebergAlgorithm
  | BracketAlgorithm
  | ExpiringAlgorithm;

/** The intents that are served by an algorithm. */
export type AlgorithmIntent = Extract<Intent, { kind: Algorithm['kind'] | 'protect' }>;

/** The same with its amount worked out. */
export type SizedAlgorithmIntent =
  | Extract<Intent, { kind: 'replace' | 'target' | 'targets' }>
  | QuotesIntent
  | TwapIntent
  | VwapIntent
  | LadderIntent
  | PegIntent
  | DcaIntent
  | IcebergIntent
  | BracketIntent
  | ProtectIntent;

export interface CreateAlgorithmOptions extends CreateBracketOptions, CreatePegOptions {
  /** The order that a replace intent names, when it is one of the strategy's own. */
  readonly replaced?: OrderRecord | undefined;
  /** A market that the bot follows, by its symbol; null for others. */
  readonly marketOf: (symbol: string) => Market | null;
  /** For quotes: how long a set is acted on without being said again; 5 s when left out. */
  readonly maxQuoteAgeMs?: number | undefined;
}

export function isAlgorithmIntent(intent: Intent): intent is AlgorithmIntent {
  switch (intent.kind) {
    case 'quotes':
    case 'replace':
    case 'target':
    case 'targets':
    case 'twap':
    case 'vwap':
    case 'ladder':
    case 'peg':
    case 'dca':
    case 'iceberg':
    case 'bracket':
    case 'protect':
      return true;
    case 'place':
    case 'oco':
    case 'cancel':
    case 'cancel-all':
    case 'exit':
    case 'transfer':
      return false;
  }
}

/**
 * The algorithm of an intent at its begin, or why the intent can not be served. Nothing is wanted yet:
 * `advanceAlgorithm` says what.
 */
export function createAlgorithm(
  intent: SizedAlgorithmIntent,
  options: CreateAlgorithmOptions,
): Creation<Algorithm> {
  switch (intent.kind) {
    case 'quotes':
      return createQuotes(intent, options);
    case 'replace':
      return createReplace(intent, options);
    case 'target':
      return createTarget(intent);
    case 'targets':
      return createTargets(intent, options);
    case 'twap':
      return createTwap(intent, options);
    case 'vwap':
      return createVwap(intent, options);
    case 'ladder':
      return createLadder(intent, options);
    case 'peg':
      return createPeg(intent, options);
    case 'dca':
      return createDca(intent, options);
    case 'iceberg':
      return createIceberg(intent, options);
    case 'bracket':
      return createBracket(intent, options);
    case 'protect':
      return createProtection(intent, options);
  }
}

/**
 * Returns the algorithm's next step. The same algorithm with the same view gives the same step. The same
 * object is returned if nothing about the algorithm changed, so that nothing has to be stored. Orders to
 * place count as requested: each must be among the orders or the refusals of the next view.
 */
export function advanceAlgorithm(algorithm: Algorithm, view: AlgorithmView): AlgorithmStep<Algorithm> {
  switch (algorithm.kind) {
    case 'quotes':
      return advanceQuotes(algorithm, view);
    case 'replace':
      return advanceReplace(algorithm, view);
    case 'target':
      return advanceTarget(algorithm, view);
    case 'targets':
      return advanceTargets(algorithm, view);
    case 'twap':
      return advanceTwap(algorithm, view);
    case 'vwap':
      return advanceVwap(algorithm, view);
    case 'ladder':
      return advanceLadder(algorithm, view);
    case 'peg':
      return advancePeg(algorithm, view);
    case 'dca':
      return advanceDca(algorithm, view);
    case 'iceberg':
      return advanceIceberg(algorithm, view);
    case 'bracket':
      return advanceBracket(algorithm, view);
    case 'expiring':
      return advanceExpiring(algorithm, view);
  }
}
