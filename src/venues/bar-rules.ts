import { SarrafError } from '../domain/errors.ts';

/** In which order a bar is taken to have gone through its extremes. */
export type BarPath = 'worst-first' | 'open-high-low-close' | 'open-low-high-close' | 'nearest-first';

/**
 * Cost of a taker order besides half the spread: a part of the price, or of the difference between the bar's
 * high and low.
 */
type Slippage =
  | { readonly kind: 'bps'; readonly bps: number }
  | { readonly kind: 'range'; readonly millionths: number };

/** Fill rules for orders if nothing but bars is known. */
export interface BarRules {
  /**
   * Time at which an order reaches the exchange: as the next bar opens, or at the close of the bar that was
   * just seen.
   */
  readonly arrival: 'next-open' | 'this-close';
  /** Between the best bid and the best ask. What takes pays half of it. At most two decimals. */
  readonly spreadBps: number;
  readonly slippage: Slippage;
  /** Price that fills a limit order: one beyond its own, or its own as well. */
  readonly limitFill: 'through' | 'touch';
  /** Fill price of a resting limit order if a bar opens beyond its price: that open, or its own price. */
  readonly limitGap: 'open' | 'own-price';
  readonly path: BarPath;
  /**
   * The most of a bar's volume that all orders of the account in that market take together; null: no bound.
   */
  readonly volumeShareMillionths: number | null;
  /**
   * `exchange` if a market order ends one percent beyond the price it was valued at when it was placed, as on
   * the exchange.
   */
  readonly marketBand: 'none' | 'exchange';
}

export const DEFAULT_CANDLE_RULES: BarRules = {
  arrival: 'next-open',
  spreadBps: 0,
  slippage: { kind: 'bps', bps: 0 },
  limitFill: 'through',
  limitGap: 'open',
  path: 'worst-first',
  volumeShareMillionths: 100_000,
  marketBand: 'none',
};

const MOST_BPS = 10_000;
const MILLION = 1_000_000;

/** The default rules with some set otherwise. Throws `INVALID_OPTIONS` for a number out of its range. */
export function createBarRules(given: Partial<BarRules> = {}): BarRules {
  const rules = { ...DEFAULT_CANDLE_RULES, ...given };
  checkBps('spreadBps', rules.spreadBps);
  if (rules.slippage.kind === 'bps') checkBps('slippage.bps', rules.slippage.bps);
  else checkMillionths('slippage.millionths', rules.slippage.millionths, 0);
  if (rules.volumeShareMillionths !== null)
    checkMillionths('volumeShareMillionths', rules.volumeShareMillionths, 1);
  return rules;
}

/** Basis points as millionths. */
export function millionthsOfBps(bps: number): number {
  return Math.round(bps * 100);
}

function checkBps(name: string, bps: number): void {
  // A product such as 0.07 * 100 is off by the last bit of a float.
  const isWhole = Math.abs(bps * 100 - millionthsOfBps(bps)) < 1e-6;
  if (bps >= 0 && bps <= MOST_BPS && isWhole) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected ${name} of 0 to ${MOST_BPS} with at most two decimals, was ${bps}: set it to basis points, 1 is 0.01 %`,
  );
}

function checkMillionths(name: string, millionths: number, least: number): void {
  if (Number.isInteger(millionths) && millionths >= least && millionths <= MILLION) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected ${name} to be a whole number of ${least} to ${MILLION}, was ${millionths}: 100000 is 10 %`,
  );
}
