import { field, optional, type RecordOf } from './field.ts';

/** The fields of an intent's outcome, in one row that is written again when it changes. */
export const INTENT = {
  id: field('name'),
  strategy: field('name'),
  atMs: field('time'),
  kind: field('name'),
  market: optional('name'),
  /** The intent itself. */
  json: field('json'),
  status: field('intentStatus'),
  /** Reason it was refused, with its numbers, or how it ended. */
  reason: optional('reason'),
};

export interface IntentRecord extends RecordOf<typeof INTENT> {}

/** The fields of an algorithm at work for an intent, such as a replacement, a target or a TWAP. */
export const ALGORITHM = {
  intentId: field('name'),
  strategy: field('name'),
  market: field('name'),
  json: field('json'),
};

export interface AlgorithmRecord extends RecordOf<typeof ALGORITHM> {}

/** The fields of a strategy's state, which a restart gives back to it. */
export const STRATEGY = {
  name: field('name'),
  status: field('strategyStatus'),
  reason: optional('reason'),
  /** Its state; units of 1e-10 as decimal texts. */
  json: field('json'),
  atMs: field('time'),
};

export interface StrategyRecord extends RecordOf<typeof STRATEGY> {}

/** The fields of a wallet as it was seen last. */
export const BALANCE = {
  currency: field('name'),
  /** Null in what an early version wrote. */
  walletId: optional('walletId'),
  total: field('amount'),
  /** The part that orders and withdrawals have set aside. */
  held: field('amount'),
  seenAtMs: field('time'),
};

export interface BalanceRecord extends RecordOf<typeof BALANCE> {}
