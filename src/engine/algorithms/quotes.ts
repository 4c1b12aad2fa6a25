import type { Market } from '../../domain/market.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { onPriceGrid, onAmountGrid, positiveRequestedUnits } from './requested-units.ts';
import {
  type AlgorithmView,
  plainOrder,
  type AlgorithmOrder,
  type AlgorithmStep,
  refused,
  type Creation,
  NOTHING,
} from './algorithm-step.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { FillWith } from '../../records/fill.ts';
import { present } from '../../domain/errors.ts';
import type { Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/** A desired set of limit orders in one market, and its age. See `advanceQuotes`. */
export type QuotesAlgorithm = AlgorithmOf<'quotes'>;

type WantedQuote = QuotesAlgorithm['quotes'][number];

/** A quote with its amount worked out. */
export type SizedQuote = Pick<FillWith<DecimalInput>, 'side' | 'price' | 'amount'>;

/** A quotes intent with all its amounts worked out. */
export type QuotesIntent = Omit<Extract<Intent, { kind: 'quotes' }>, 'quotes'> & {
  readonly quotes: readonly SizedQuote[];
};

/** Time for which a set applies without being repeated, in ms. */
const MAX_QUOTE_AGE_MS = 5_000;

/** Maximum number of orders of one set; risk limits on live orders apply as well. */
const MOST_QUOTES = 100;

export function createQuotes(
  intent: QuotesIntent,
  options: { readonly market: Market; readonly nowMs: number; readonly maxQuoteAgeMs?: number | undefined },
): Creation<QuotesAlgorithm> {
  const { market, nowMs, maxQuoteAgeMs = MAX_QUOTE_AGE_MS } = options;
  const empty: QuotesAlgorithm = {
    kind: 'quotes',
    priceStep: market.priceStep,
    quotes: [],
    setAtMs: nowMs,
    maxQuoteAgeMs,
  };
  return updateQuotes(empty, intent, nowMs);
}

/**
 * Replaces the set of a strategy in a market. Quotes in both sets keep their pause after a refusal. `quotes`
 * stays the same array when nothing but the age of the set changes. Refused, with the old set unchanged, if
 * there are too many quotes, or a price or amount is no positive decimal.
 */
export function updateQuotes(
  algorithm: QuotesAlgorithm,
  intent: QuotesIntent,
  nowMs: number,
): Creation<QuotesAlgorithm> {
  const sizes = intent.quotes;
  const { kind, priceStep, maxQuoteAgeMs } = algorithm;
  if (sizes.length > MOST_QUOTES) {
    return refused(`expected at most ${MOST_QUOTES} quotes in one set, was ${sizes.length}`);
  }
  let { quotes } = algorithm;
  if (!isSameSet(quotes, sizes)) {
    const next: WantedQuote[] = [];
    for (const [index, sized] of sizes.entries()) {
      const quote = readQuote(sized, algorithm, index);
      if (typeof quote === 'string') return refused(quote);
      next.push(quote);
    }
    quotes = next;
  }
  return { ok: true, algorithm: { kind, priceStep, quotes, setAtMs: nowMs, maxQuoteAgeMs } };
}

function isSameSet(quotes: readonly WantedQuote[], sizes: readonly SizedQuote[]): boolean {
  if (quotes.length !== sizes.length) return false;
  for (let index = 0; index < sizes.length; index += 1) {
    const quote = quotes[index];
    const sized = sizes[index];
    if (quote === undefined || sized === undefined || !isSame(quote, sized)) return false;
  }
  return true;
}

function isSame(quote: WantedQuote, sized: SizedQuote): boolean {
  return (
    quote.side === sized.side &&
    quote.wishedPrice === textOf(sized.price) &&
    quote.wishedAmount === textOf(sized.amount)
  );
}

/** Returns the fitted quote, or what is wrong with it. */
function readQuote(sized: SizedQuote, algorithm: QuotesAlgorithm, index: number): WantedQuote | string {
  const known = algorithm.quotes.find((quote) => isSame(quote, sized));
  if (known !== undefined) return known;
  const price = positiveRequestedUnits(sized.price);
  const amount = positiveRequestedUnits(sized.amount);
  if (price === null)
    return `expected a positive decimal for quotes.${index}.price, was "${textOf(sized.price)}"`;
  if (amount === null)
    return `expected a positive decimal for quotes.${index}.amount, was "${textOf(sized.amount)}"`;
  const { side } = sized;
  const fitted = onPriceGrid(price, algorithm.priceStep);
  const same = algorithm.quotes.find(
    (one) => one.side === side && one.price === fitted && one.amount === amount,
  );
  return {
    side,
    wishedPrice: textOf(sized.price),
    wishedAmount: textOf(sized.amount),
    price: fitted,
    amount,
    refusedAtMs: same?.refusedAtMs ?? null,
  };
}

function textOf(input: DecimalInput): string {
  return typeof input === 'string' ? input : input.toFixed();
}

/** Fits the set again when the price step of the market has changed. */
function onGridOf(algorithm: QuotesAlgorithm, market: Market): QuotesAlgorithm {
  if (algorithm.priceStep === market.priceStep) return algorithm;
  const { priceStep } = market;
  const quotes = algorithm.quotes.map((quote) => {
    const bounds = positiveRequestedUnits(quote.wishedPrice) ?? quote.price;
    return { ...quote, price: onPriceGrid(bounds, priceStep), refusedAtMs: null };
  });
  return { ...algorithm, priceStep, quotes };
}

/** Marks the quotes that were refused since the last time. */
function afterRefusals(algorithm: QuotesAlgorithm, view: AlgorithmView): QuotesAlgorithm {
  const { refusals, nowMs } = view;
  if (refusals.length === 0) return algorithm;
  const isRefused = (quote: WantedQuote): boolean =>
    refusals.some(
      ({ order }) =>
        order.side === quote.side &&
        order.price !== null &&
        // The order's price is mostly the fitted price itself.
        (order.price === quote.price || onPriceGrid(order.price, algorithm.priceStep) === quote.price),
    );
  if (!algorithm.quotes.some(isRefused)) return algorithm;
  const quotes = algorithm.quotes.map((quote) =>
    isRefused(quote) ? { ...quote, refusedAtMs: nowMs } : quote,
  );
  return { ...algorithm, quotes };
}

/**
 * Keeps a desired set of limit orders resting.
 *
 * - An order whose side and price are wanted keeps its queue place, whatever its rest and whatever amount is
 *   wanted now. Others are canceled.
 * - Nothing is placed on a side while one of its orders is still to be canceled or counted: the cancel may
 *   fail, and then both would rest. An order with an unknown outcome, at a wanted price, counts as its quote.
 * - Missing orders are placed while the set is young. After that the strategy has to repeat the set, as the
 *   market has moved on.
 * - A quote that was filled after the set was made stays missing: the strategy decides if it quotes again.
 * - A refused quote is not placed until a pause is over, or until it changes.
 */
export function advanceQuotes(
  algorithm: QuotesAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<QuotesAlgorithm> {
  const current = afterRefusals(onGridOf(algorithm, view.market), view);
  const { quotes } = current;
  const isUsed: boolean[] = quotes.map(() => false);
  const stand = standOf(quotes, isUsed, view.orders);
  const missing = quotes.length - stand.matched;
  const isYoung = view.nowMs - current.setAtMs < current.maxQuoteAgeMs;
  if (missing === 0 || !isYoung) {
    const done = quotes.length === 0 && !stand.isLive ? sentence('over-no-quotes') : null;
    return {
      algorithm: current,
      cancel: stand.cancel,
      place: NOTHING,
      wakeAtMs: null,
      wantsBooks: false,
      isComplete: missing === 0 && stand.cancel === NOTHING,
      done,
    };
  }
  matchFilled(current, isUsed, view.orders);
  const place: AlgorithmOrder[] = [];
  let wakeAtMs: number | null = null;
  for (const [index, quote] of quotes.entries()) {
    if (isUsed[index] === true || (quote.side === 'buy' ? stand.isBuyLeaving : stand.isSellLeaving)) continue;
    const { side, price, amount } = quote;
    const freeAtMs = freeAtMsOf(quote, view);
    if (freeAtMs <= view.nowMs) place.push(plainOrder(side, amount, price));
    else if (freeAtMs - current.setAtMs < current.maxQuoteAgeMs)
      wakeAtMs = Math.min(wakeAtMs ?? freeAtMs, freeAtMs);
  }
  return { algorithm: current, cancel: stand.cancel, place, wakeAtMs, wantsBooks: false, done: null };
}

interface Stand {
  readonly cancel: readonly string[];
  /** Number of quotes that have their order. */
  readonly matched: number;
  readonly isLive: boolean;
  readonly isBuyLeaving: boolean;
  readonly isSellLeaving: boolean;
}

/** Matches each resting order with its quote; orders without a quote are to be canceled. */
function standOf(quotes: readonly WantedQuote[], isUsed: boolean[], orders: readonly OrderRecord[]): Stand {
  let cancel: string[] | null = null;
  let matched = 0;
  let isLive = false;
  let isBuyLeaving = false;
  let isSellLeaving = false;
  for (const order of orders) {
    if (isFinal(order)) continue;
    isLive = true;
    const isEnding = order.state === 'cancelling' || order.state === 'settling';
    if (!isEnding && match(quotes, isUsed, order)) {
      matched += 1;
      continue;
    }
    if (order.side === 'buy') isBuyLeaving = true;
    else isSellLeaving = true;
    if (!isEnding) (cancel ??= []).push(order.key);
  }
  return { cancel: cancel ?? NOTHING, matched, isLive, isBuyLeaving, isSellLeaving };
}

/**
 * Returns the time from which a quote refused by the engine or the exchange may be placed again; in the past
 * if it was never refused.
 */
function freeAtMsOf(quote: WantedQuote, { orders, market, refusalPauseMs }: AlgorithmView): number {
  let refusedAtMs = quote.refusedAtMs ?? Number.NEGATIVE_INFINITY;
  for (const order of orders) {
    if (order.state !== 'rejected' || order.side !== quote.side || order.price !== quote.price) continue;
    if (order.amount === onAmountGrid(market, quote.amount))
      refusedAtMs = Math.max(refusedAtMs, order.closedAtMs ?? refusedAtMs);
  }
  return refusedAtMs + refusalPauseMs;
}

/** Marks quotes as used that were filled after the set was made. */
function matchFilled(algorithm: QuotesAlgorithm, isUsed: boolean[], orders: readonly OrderRecord[]): void {
  for (const order of orders) {
    if (order.state === 'filled' && closedAtMsOf(order) > algorithm.setAtMs)
      match(algorithm.quotes, isUsed, order);
  }
}

/** Returns the time an order was closed. It is outside the loop, whose rounds would each make the message. */
function closedAtMsOf({ key, closedAtMs }: OrderRecord): number {
  return present(closedAtMs, () => `a time at which ${key}, which is filled, was closed`);
}

function match(
  quotes: readonly WantedQuote[],
  isUsed: boolean[],
  order: { readonly side: Side; readonly price: bigint | null },
): boolean {
  for (let index = 0; index < quotes.length; index += 1) {
    const quote = quotes[index];
    if (isUsed[index] === false && quote?.side === order.side && quote.price === order.price) {
      isUsed[index] = true;
      return true;
    }
  }
  return false;
}
