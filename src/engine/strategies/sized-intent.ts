import type { Market } from '../../domain/market.ts';
import {
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  type Units,
  UNITS_PER_ONE,
  divideDown,
} from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import type { SizedAlgorithmIntent } from '../algorithms/algorithms.ts';
import { ladderPrice } from '../algorithms/ladder.ts';
import type { QuotesIntent, SizedQuote } from '../algorithms/quotes.ts';
import { positiveRequestedUnits } from '../algorithms/requested-units.ts';
import type { PortfolioViews } from './portfolio-view.ts';
import type { PreTradeRisk } from '../risk/pre-trade-risk.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { BracketWish, DecimalInput, Intent, Quote } from '../../strategy/intents.ts';

/** An intent with a size: an amount, a value or a share of the equity. */
type SizedIntent =
  | Extract<Intent, { kind: 'place' | 'oco' } | { kind: SlowKind }>
  | ({ readonly side: Side } & BracketWish['entry']);

/** Intents with one size that an algorithm serves. */
type SlowKind = 'twap' | 'vwap' | 'iceberg' | 'ladder' | 'peg';
const SLOW_KINDS: ReadonlySet<Intent['kind']> = new Set(['twap', 'vwap', 'iceberg', 'ladder', 'peg']);

/** Data for computing a size. */
interface SizeView {
  readonly market: Market;
  /** Returns the best price that an order of a side meets, in units of 1e-10; null while none is known. */
  readonly priceFor: (side: Side) => Units | null;
  /** Returns the strategy's equity in the quote currency; null without a price. */
  readonly equity: () => Units | null;
}

/** Returns the current data for sizes in one market of a strategy. */
export function sizeViewOf(
  { risk, views }: { readonly risk: PreTradeRisk; readonly views: PortfolioViews },
  instance: StrategyInstance,
  market: Market,
): SizeView {
  return {
    market,
    priceFor: (side) => risk.bestFor(market.symbol, side),
    equity: () => views.of(instance).equityUnits(market.symbol),
  };
}

type Sized<Of> =
  | { readonly ok: true; readonly intent: Of }
  | { readonly ok: false; readonly reason: Sentence };

/**
 * Returns the amount of an order in units; null if its own amount is no positive decimal. A value or a share
 * of the equity is divided by the order's own price (limit, else stop), or else by the best price of its
 * side, and rounded down to 1e-10. Fees are not deducted.
 */
export function amountFor(order: SizedIntent | Quote, view: SizeView): Amount {
  if (order.amount !== undefined) return { ok: true, units: positiveRequestedUnits(order.amount) };
  const value = valueOf(order, view);
  if (typeof value !== 'bigint') return { ok: false, reason: value };
  const price = ownPrice(order, view.market) ?? view.priceFor(order.side);
  if (price === null) {
    const { symbol } = view.market;
    return {
      ok: false,
      reason: sentence('price-needed', { market: symbol }),
    };
  }
  const units = divideDown(value * UNITS_PER_ONE, price) as Units;
  return { ok: true, units: units === 0n ? null : units };
}

/**
 * Works out the amounts of an intent that an algorithm serves, for each quote by itself. An intent without a
 * size stays as it is.
 */
export function sizedAlgorithm(
  intent: Extract<Intent, { kind: SizedAlgorithmIntent['kind'] }>,
  view: SizeView,
): Sized<SizedAlgorithmIntent> {
  if (isSlow(intent)) return withAmount(intent, view);
  if (intent.kind === 'bracket') {
    const { price, expireAfterMs } = intent.entry;
    const amount = inputFor({ side: 'buy', ...intent.entry }, view);
    if (!amount.ok) return { ok: false, reason: `entry: ${english(amount.reason)}` };
    const entry = {
      amount: amount.value,
      ...(price === undefined ? {} : { price }),
      ...(expireAfterMs === undefined ? {} : { expireAfterMs }),
    };
    return { ok: true, intent: { ...intent, entry } };
  }
  if (intent.kind !== 'quotes' || hasAmounts(intent)) return { ok: true, intent };
  const quotes: SizedQuote[] = [];
  for (const [index, quote] of intent.quotes.entries()) {
    const amount = inputFor(quote, view);
    if (!amount.ok) return { ok: false, reason: `quotes.${index}: ${english(amount.reason)}` };
    quotes.push({ side: quote.side, price: quote.price, amount: amount.value });
  }
  return { ok: true, intent: { ...intent, quotes } };
}

/** True if all quotes have amounts, as most have; this saves work at every book. */
function hasAmounts(intent: { readonly quotes: readonly Quote[] }): intent is QuotesIntent {
  return intent.quotes.every(({ amount }) => amount !== undefined);
}

type Amount =
  | { readonly ok: true; readonly units: Units | null }
  | { readonly ok: false; readonly reason: Sentence };

function isSlow(intent: Intent): intent is Extract<Intent, { kind: SlowKind }> {
  return SLOW_KINDS.has(intent.kind);
}

function withAmount<Kind extends Extract<Intent, { kind: SlowKind }>>(
  intent: Kind,
  view: SizeView,
): Sized<Kind & { readonly amount: DecimalInput }> {
  const amount = inputFor(intent, view);
  return amount.ok ? { ok: true, intent: { ...intent, amount: amount.value } } : amount;
}

/** Returns the amount for an algorithm: as the intent gives it, or the text of the computed one. */
function inputFor(
  order: SizedIntent | Quote,
  view: SizeView,
): { readonly ok: true; readonly value: DecimalInput } | { readonly ok: false; readonly reason: Sentence } {
  if (order.amount !== undefined) return { ok: true, value: order.amount };
  const amount = amountFor(order, view);
  return amount.ok ? { ok: true, value: formatUnits(amount.units ?? NO_UNITS) } : amount;
}

/** Returns the intended value in the quote currency, or why it is not known. */
function valueOf(
  { value, equityShare }: SizedIntent | Quote,
  { market, equity }: SizeView,
): Units | Sentence {
  if (value !== undefined)
    return positiveRequestedUnits(value) ?? `expected a positive value, was ${String(value)}`;
  const share = equityShare === undefined ? null : positiveRequestedUnits(equityShare);
  if (share === null) return sentence('size-missing');
  const all = equity();
  if (all === null) return sentence('equity-needed', { currency: market.quote });
  if (all <= 0n) return sentence('equity-positive', { currency: market.quote, equity: formatUnits(all) });
  return multiplyUnits(all, share, divideDown);
}

/** Returns the order's own price: the average of several prices, or the bound, which is the worst one. */
function ownPrice(order: SizedIntent | Quote, market: Market): Units | null {
  if ('bound' in order) return positiveRequestedUnits(order.bound);
  if ('orders' in order) return ladderPrice(order, market);
  if (order.price !== undefined) return positiveRequestedUnits(order.price);
  const stopPrice = 'stopPrice' in order ? order.stopPrice : undefined;
  return stopPrice === undefined ? null : positiveRequestedUnits(stopPrice);
}
