import type { Market } from '../../domain/market.ts';
import { formatUnits, NO_UNITS, parseUnits, type Units, UNITS_PER_ONE } from '../../domain/money.ts';
import type { Intent } from '../../strategy/intents.ts';
import { NO_SETBACKS } from './setbacks.ts';
import { refused, type Creation } from './step.ts';
import { NO_TALLY } from './tally.ts';
import type { TargetAlgorithm } from './target.ts';
import { wishUnits } from './wish-units.ts';

/** One market of a portfolio. */
export interface TargetsLeg {
  readonly market: string;
  /** Of the equity. Units of 1e-10: all of it is 1e10. */
  readonly share: Units;
  /** Deviation from the share that is allowed without a trade; the same units. */
  readonly band: Units;
  /** Side of the trade; null until equity and prices are known. */
  readonly side: 'buy' | 'sell' | null;
  readonly target: TargetAlgorithm;
  /** Reason it is over; null while it is not. */
  readonly done: string | null;
}

/** Shares of the strategy's equity over several markets of one quote currency. See `advanceTargets`. */
export interface TargetsAlgorithm {
  readonly kind: 'targets';
  readonly legs: readonly TargetsLeg[];
  /** The most orders that are live at once. */
  readonly atOnce: number;
  /** Orders of what this took the place of: nothing is placed before they have ended. */
  readonly awaited: readonly string[];
}

type TargetsIntent = Extract<Intent, { kind: 'targets' }>;

/** Default taker fee: the first tier of the exchange, in percent. */
const DEFAULT_FEE_PERCENT = 0.25;
const DEFAULT_AT_ONCE = 5;
const MOST_MARKETS = 100;
const PERCENT = 100;

/** Of the share by which a rate of two sides and a risk aversion of one widen the band. */
const THREE_HALVES = 1.5;

/**
 * Returns the drift of a share from which trading it back is worth its cost: half the width of the no-trade
 * region for proportional costs and log utility, (3/2 x fee x share^2 x (1 - share)^2)^(1/3) (Shreve and
 * Soner 1994; Gerhold, Muhle-Karbe and Schachermayer 2013). Both as shares of one.
 */
export function noTradeBand(share: number, fee: number): number {
  const spread = share * (1 - share);
  return Math.cbrt(THREE_HALVES * fee * spread * spread);
}

export function createTargets(
  intent: TargetsIntent,
  { marketOf }: { readonly marketOf: (symbol: string) => Market | null },
): Creation<TargetsAlgorithm> {
  const symbols = Object.keys(intent.shares);
  if (symbols.length === 0 || symbols.length > MOST_MARKETS)
    return refused(`expected shares of 1 to ${MOST_MARKETS} markets, was ${symbols.length}`);
  const quotes = new Set<string>();
  const legs: TargetsLeg[] = [];
  let sum = 0n;
  for (const [market, wish] of Object.entries(intent.shares)) {
    const share = wishUnits(wish);
    const known = marketOf(market);
    if (known === null) return refused(`expected a market that the bot follows in shares, was ${market}`);
    if (share === null || share > UNITS_PER_ONE)
      return refused(`expected shares.${market} from 0 to 1, was "${String(wish)}"`);
    quotes.add(known.quote);
    sum += share;
    legs.push({ market, share, band: bandOf(share, intent), side: null, target: NEW_TARGET, done: null });
  }
  if (quotes.size > 1)
    return refused(
      `expected markets of one quote currency, were ${symbols.join(', ')}: say one set for each, with its part of the equity`,
    );
  if (sum > UNITS_PER_ONE)
    return refused(`expected shares of at most 1 together, was ${formatUnits(sum)}: ${sharesOf(legs)}`);
  const { atOnce = DEFAULT_AT_ONCE } = intent;
  return { ok: true, algorithm: { kind: 'targets', legs, atOnce, awaited: [] } };
}

const NEW_TARGET: TargetAlgorithm = {
  kind: 'target',
  position: null,
  value: null,
  equityShare: null,
  price: null,
  placed: 0,
  setbacks: NO_SETBACKS,
  tally: NO_TALLY,
};

/** Returns the band of a share; one that is to be sold whole has none. */
function bandOf(share: Units, { band, fee }: TargetsIntent): Units {
  if (share === NO_UNITS) return NO_UNITS;
  if (band !== undefined) return wishUnits(band) ?? NO_UNITS;
  const rate = fee === undefined ? DEFAULT_FEE_PERCENT : Number(fee);
  const width = noTradeBand(Number(formatUnits(share)), rate / PERCENT);
  return parseUnits(width.toFixed(10));
}

const sharesOf = (legs: readonly TargetsLeg[]): string =>
  legs.map(({ market, share }) => `${market} ${formatUnits(share)}`).join(', ');
