import { present } from '../../domain/invariant.ts';
import type { Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { onAmountGrid } from './market-grid.ts';
import { plainOrder, type AlgorithmOrder, type AlgorithmStep, type AlgorithmView } from './algorithm-step.ts';
import { NOTHING } from './step.ts';
import { afterRefusals, onGridOf, type QuotesAlgorithm, type WantedQuote } from './quotes.ts';

/**
 * Keeps a desired set of limit orders resting.
 *
 * - An order whose side and price are wanted stays in its queue place, whatever is left of it and whatever
 *   amount is wanted now. Others are canceled.
 * - Nothing is placed on a side while an order of it is still to go or to be counted: its cancel may fail,
 *   and then both would rest. One whose outcome is not known, at a wanted price, stands for its quote.
 * - What is missing is placed while the set is young. After that it waits for the strategy to say it again,
 *   as the market has moved on.
 * - A quote that was filled after the set was made is missing on purpose: whether to quote again is the
 *   strategy's to say.
 * - A quote that was refused is left alone for a while, or until it changes.
 */
export function advanceQuotes(
  algorithm: QuotesAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<QuotesAlgorithm> {
  const current = afterRefusals(onGridOf(algorithm, view.market), view);
  const { quotes } = current;
  const isTaken: boolean[] = quotes.map(() => false);
  const stand = standOf(quotes, isTaken, view.orders);
  const missing = quotes.length - stand.taken;
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
  takeFilled(current, isTaken, view.orders);
  const place: AlgorithmOrder[] = [];
  let wakeAtMs: number | null = null;
  for (const [index, quote] of quotes.entries()) {
    if (isTaken[index] === true || (quote.side === 'buy' ? stand.isBuyLeaving : stand.isSellLeaving))
      continue;
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
  readonly taken: number;
  readonly isLive: boolean;
  readonly isBuyLeaving: boolean;
  readonly isSellLeaving: boolean;
}

/** Gives each resting order its quote; what has none is to go. */
function standOf(quotes: readonly WantedQuote[], isTaken: boolean[], orders: readonly OrderRecord[]): Stand {
  let cancel: string[] | null = null;
  let taken = 0;
  let isLive = false;
  let isBuyLeaving = false;
  let isSellLeaving = false;
  for (const order of orders) {
    if (isFinal(order)) continue;
    isLive = true;
    const isEnding = order.state === 'cancelling' || order.state === 'settling';
    if (!isEnding && take(quotes, isTaken, order)) {
      taken += 1;
      continue;
    }
    if (order.side === 'buy') isBuyLeaving = true;
    else isSellLeaving = true;
    if (!isEnding) (cancel ??= []).push(order.key);
  }
  return { cancel: cancel ?? NOTHING, taken, isLive, isBuyLeaving, isSellLeaving };
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

/** A fill that is newer than the set has answered its quote. */
function takeFilled(algorithm: QuotesAlgorithm, isTaken: boolean[], orders: readonly OrderRecord[]): void {
  for (const order of orders) {
    if (order.state === 'filled' && closedAtMsOf(order) > algorithm.setAtMs)
      take(algorithm.quotes, isTaken, order);
  }
}

/** Apart from the loop over orders, each round of which would make room for the sentence. */
function closedAtMsOf({ key, closedAtMs }: OrderRecord): number {
  return present(closedAtMs, () => `a time at which ${key}, which is filled, was closed`);
}

function take(
  quotes: readonly WantedQuote[],
  isTaken: boolean[],
  order: { readonly side: Side; readonly price: bigint | null },
): boolean {
  for (let index = 0; index < quotes.length; index += 1) {
    const quote = quotes[index];
    if (isTaken[index] === false && quote?.side === order.side && quote.price === order.price) {
      isTaken[index] = true;
      return true;
    }
  }
  return false;
}
