import { SarrafError } from '../../domain/errors.ts';
import type { DecimalInput, Size } from '../intents.ts';

/** Maximum loss of one trade. */
export interface RiskPerTrade {
  /** Of the strategy, in the quote currency: `ctx.equity`. */
  readonly equity: number;
  /** Share of it that is lost where the stop fills, before fees: above 0, at most 1. */
  readonly share: number;
  /** From the entry to the stop, in the quote currency for one of the base currency. */
  readonly stopDistance: number;
}

/** Target volatility of a position. */
export interface VolatilityTarget {
  /** Standard deviation of the market's returns, in the same time as `target`: above 0. */
  readonly volatility: number;
  /** That of the strategy's equity which is wanted: above 0. */
  readonly target: number;
  /** Most of the equity that a position may have, 0 to 1; 1 when left out, since there is no credit. */
  readonly most?: number;
}

/** Known statistics of an edge. */
export interface Edge {
  /** Share of trades that win, 0 to 1. */
  readonly winRate: number;
  /** Average win by average loss, both as positive numbers: above 0. */
  readonly payoff: number;
  /** Part of the full Kelly share that is taken, above 0 to 1; a half when left out. */
  readonly part?: number;
  /** Most of the equity that a position may have, 0 to 1; 0.25 when left out. */
  readonly most?: number;
}

const HALF = 0.5;
const QUARTER = 0.25;

/**
 * Trade sizes as every intent accepts them. The bot rounds them down to the market's steps. Functions that
 * need numbers throw `INVALID_STRATEGY` for one out of range, with its name.
 */
export const size = {
  /** Always the same, in the base currency. */
  fixed(amount: DecimalInput): Size {
    return { amount };
  },

  /** Always worth the same, in the quote currency, before the fee. */
  value(value: DecimalInput): Size {
    return { value };
  },

  /** Share of the strategy's equity, 0 to 1. */
  equityShare(equityShare: DecimalInput): Size {
    return { equityShare };
  },

  /**
   * So much that a stop loses that share of the equity: equity x share / distance (Tharp, percent risk
   * model). Near stops make large positions: the account's money is no bound of it.
   */
  riskPerTrade({ equity, share, stopDistance }: RiskPerTrade): Size {
    positive('equity', equity);
    upToOne('share', share);
    positive('stopDistance', stopDistance);
    return { amount: (equity * share) / stopDistance };
  },

  /** So much that the equity moves as `target` says: target / volatility of it, at most `most`. */
  volatilityTarget({ volatility, target, most = 1 }: VolatilityTarget): Size {
    positive('volatility', volatility);
    positive('target', target);
    upToOne('most', most);
    return { equityShare: Math.min(most, target / volatility) };
  },

  /**
   * The share that lets the equity grow fastest, p - (1 - p) / b (Kelly 1956), times `part`, at most `most`.
   * Null where there is no edge: then nothing is to be traded. The numbers are estimates, so that the full
   * share is too much.
   */
  kelly({ winRate, payoff, part = HALF, most = QUARTER }: Edge): Size | null {
    if (!(winRate >= 0 && winRate <= 1)) throw outOfRange('winRate', 'from 0 to 1', winRate);
    positive('payoff', payoff);
    upToOne('part', part);
    upToOne('most', most);
    const share = winRate - (1 - winRate) / payoff;
    return share > 0 ? { equityShare: Math.min(most, share * part) } : null;
  },
} as const;

function positive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) throw outOfRange(name, 'above 0', value);
}

function upToOne(name: string, value: number): void {
  if (!(value > 0 && value <= 1)) throw outOfRange(name, 'above 0, and at most 1', value);
}

function outOfRange(name: string, range: string, was: number): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `${name}: expected a number ${range}, was ${was}`);
}
