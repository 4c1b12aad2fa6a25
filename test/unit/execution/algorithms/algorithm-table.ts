import { expect } from 'vitest';
import { createMarket } from '../../../../src/domain/market.ts';
import {
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  parseUnits,
  type Units,
  divideHalfEven,
} from '../../../../src/domain/money.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { BookLevel, OrderBook } from '../../../../src/domain/order-book.ts';
import type { Execution, Side } from '../../../../src/domain/order.ts';
import { CANCELED_BY_OTHERS, type OrderRecord, type OrderState } from '../../../../src/records/order.ts';
import { algorithmFromJson, algorithmToJson, type Algorithm } from '../../../../src/engine/algorithm-json.ts';
import type {
  AlgorithmOrder,
  AlgorithmStep,
  AlgorithmView,
  Close,
} from '../../../../src/engine/algorithms/algorithm-step.ts';
import {
  advanceAlgorithm,
  createAlgorithm,
  type SizedAlgorithmIntent,
} from '../../../../src/engine/algorithms/algorithms.ts';
import { updateQuotes, type SizedQuote } from '../../../../src/engine/algorithms/quotes.ts';
import type { SeenBook } from '../../../../src/engine/risk/risk-view.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { english, type Sentence } from '../../../../src/language/sentence.ts';
import { scenarios } from '../../../support/scenarios.ts';

const MARKET_OPTIONS = { market: parseMarket('BTCUSDT'), amountStep: '0.001', minOrderValue: '5' };

export const MARKET = createMarket({ ...MARKET_OPTIONS, priceStep: '0.01' });

/** Facts for creating algorithms: the price is 100, and the strategy holds 2 that it bought at 100. */
export const CREATED = {
  market: MARKET,
  nowMs: 0,
  bestAsk: parseUnits('100'),
  bestBid: parseUnits('100'),
  hasBars: true,
  trailEveryMs: 60_000,
  holding: { amount: parseUnits('2'), free: () => parseUnits('1.5'), averagePrice: parseUnits('100') },
  movesPerMinute: null,
  pegShares: NO_UNITS,
  marketOf: (symbol: string) => (symbol === MARKET.symbol ? MARKET : null),
} as const;

/** What an algorithm sees of a market in which nothing happens, while orders are taken. */
export const QUIET_VIEW = {
  market: MARKET,
  levels: null,
  equity: parseUnits('1000'),
  closes: [],
  portfolio: null,
  refusalPauseMs: 10_500,
  areCoinsMissing: false,
  canPlace: true,
  inExits: NO_UNITS,
  liveAmong: () => [],
  refusalCauseOf: () => null,
  priceBand: null,
} as const satisfies Partial<AlgorithmView>;

/** Makes the record of an order as the engine of an algorithm would have it. */
export function orderOf(
  order: AlgorithmOrder,
  fields: Partial<OrderRecord> & { readonly key: string },
): OrderRecord {
  return plannedOrder({
    clientOrderId: `id-${fields.key}`,
    intentId: 'intent',
    market: MARKET.symbol,
    side: order.side,
    execution: executionOf(order),
    price: order.price,
    stopPrice: order.stopLimitPrice === null ? order.stopPrice : null,
    amount: order.amount,
    sentAtMs: 0,
    attempts: 1,
    state: 'sending',
    ...fields,
  });
}

function executionOf({ price, stopPrice, stopLimitPrice }: AlgorithmOrder): Execution {
  if (stopPrice === null || stopLimitPrice !== null) return price === null ? 'market' : 'limit';
  return price === null ? 'stop_market' : 'stop_limit';
}

/**
 * Runs one algorithm by a table with one step on each line: an event, and after `=>` what the algorithm then
 * wants (`-` for nothing). It is advanced after each line; orders that it wants placed become `sending`, and
 * are numbered from 1. Then it is advanced twice more, once from its stored text: both times it must want the
 * same, and no more orders. The market is BTCUSDT, with price step 0.01, amount step 0.001 and minimum value
 * 5; the time begins at 0.
 *
 *     start => place buy 1@99                  the first step
 *     1 open | 1 open 0.4 | 1 settling 0.4/1   state of order 1, its filled amount, and its matched amount
 *     1 rejected NoFunds                       rejected for a reason, which the algorithm is notified of; a pair with both legs
 *     1 lost                                   rejected without notifying the algorithm, as after a crash
 *     refused too large                        the order of the last step was refused and not planned
 *     quotes buy 1@99 sell 1@101               the strategy gives its set of quotes again
 *     place sell 1@110 stop 95/94              an OCO: a limit order and its stop leg, numbered 2 and 2/2
 *     close 105                                a bar closes, a minute after the last one
 *     1 filled fee 0.001                       a fee in the currency that was received
 *     at 5000 · book 99 101 · position 2 · equity 1000 · price step 0.5
 *     levels 1@99 2@98 / 3@101                 levels of the book from now on, bids and asks, best first
 *     forget 1                                 the order is dropped from all views
 */
export function runAlgorithm(
  intent: SizedAlgorithmIntent,
  options: { readonly replaced?: AlgorithmOrder } = {},
): (table: string) => void {
  return (table) => runTable(new AlgorithmRunner({ intent }, options.replaced), table);
}

/** Registers scenarios of the algorithm of this intent, or of the one that a scenario names in its place. */
export const scenariosOf = (usual: SizedAlgorithmIntent) =>
  scenarios<SizedAlgorithmIntent | undefined>((table, intent = usual) => runAlgorithm(intent)(table));

/** Runs a table as `runAlgorithm` does, with an algorithm that was not begun by an intent. */
export const runBegun =
  (algorithm: Algorithm): ((table: string) => void) =>
  (table) =>
    runTable(new AlgorithmRunner({ algorithm }, undefined), table);

/** Returns the reason why an algorithm is refused; `taken` if it is not. */
export function refusalOf(
  intent: SizedAlgorithmIntent,
  given: Partial<Parameters<typeof createAlgorithm>[1]> = {},
): string {
  const created = createAlgorithm(intent, { ...CREATED, ...given });
  return created.ok ? 'taken' : english(created.reason);
}

type Begin = { readonly intent: SizedAlgorithmIntent } | { readonly algorithm: Algorithm };

function runTable(runner: AlgorithmRunner, table: string): void {
  for (const [index, raw] of table.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line !== '') runner.step(line, `line ${index + 1}: ${line}`);
  }
}

class AlgorithmRunner {
  private algorithm: Algorithm;
  private readonly orders = new Map<string, OrderRecord>();
  private orderCount = 0;
  private nowMs = 0;
  private market = MARKET;
  private book: SeenBook | null = null;
  private levels: OrderBook | null = null;
  private position = NO_UNITS;
  private equity: Units | null = null;
  private refusals: { order: AlgorithmOrder; reason: Sentence }[] = [];
  private closes: Close[] = [];

  constructor(begin: Begin, replaced: AlgorithmOrder | undefined) {
    if (replaced !== undefined) this.add(replaced, { key: 'old', state: 'open', intentId: 'older' });
    if ('algorithm' in begin) {
      this.algorithm = begin.algorithm;
      return;
    }
    const created = createAlgorithm(begin.intent, {
      ...CREATED,
      replaced: this.orders.get('old'),
    });
    if (!created.ok) throw new Error(english(created.reason));
    this.algorithm = created.algorithm;
  }

  step(line: string, where: string): void {
    const [happened = '', wanted = ''] = line.split('=>').map((part) => part.trim());
    this.happen(happened.split(/\s+/));
    const step = advanceAlgorithm(this.algorithm, this.view());
    expect(spell(step), where).toBe(wanted);
    expect(spell(advanceAlgorithm(stored(this.algorithm), this.view())), `${where} (from its text)`).toBe(
      wanted,
    );
    this.refusals = [];
    this.closes = [];
    this.algorithm = step.algorithm;
    for (const order of step.place) {
      this.orderCount += 1;
      this.place(order, String(this.orderCount));
    }
    if (step.done !== null) return;
    const again = advanceAlgorithm(stored(this.algorithm), this.view());
    expect(again.place, `${where} (asked again)`).toEqual([]);
    expect(again.cancel, `${where} (asked again)`).toEqual(step.cancel);
    expect(again.done, `${where} (asked again)`).toBeNull();
    expect(advanceAlgorithm(again.algorithm, this.view()).algorithm, `${where} (unchanged)`).toBe(
      again.algorithm,
    );
  }

  private happen(words: readonly string[]): void {
    const [first = '', second = '', third] = words;
    if (this.orders.has(first)) this.changeOrder(first, second, words.slice(2));
    else if (first === 'close') this.close(parseUnits(second));
    else if (first === 'at') this.nowMs = Number(second);
    else if (first === 'position') this.position = parseUnits(second);
    else if (first === 'equity') this.equity = parseUnits(second);
    else if (first === 'price')
      this.market = createMarket({ ...MARKET_OPTIONS, priceStep: third ?? '', version: 2 });
    else if (first === 'forget') this.orders.delete(second);
    else if (first === 'refused') this.refuseLast(words.slice(1).join(' '));
    else if (first === 'quotes') this.update(words.slice(1));
    else if (first === 'levels') this.levels = levelsOf(words.slice(1));
    else if (first === 'book')
      this.book = { ...bookOf(second, third), seenAtMs: this.nowMs, venueAtMs: null, freshUntilMs: null };
    else expect(first).toBe('start');
  }

  /** Changes the state of an order, what it has filled, and its fee. */
  private changeOrder(key: string, state: string, words: readonly string[]): void {
    const feeAt = words.indexOf('fee');
    const fee = feeAt === -1 ? undefined : words[feeAt + 1];
    const [detail] = feeAt === 0 ? [] : words;
    this.change(key, { state, detail });
    const order = this.orders.get(key);
    if (fee === undefined || order === undefined) return;
    const units = parseUnits(fee);
    this.orders.set(key, { ...order, fee: units });
    if (order.side === 'buy') this.position = (this.position - units + order.fee) as Units;
  }

  private close(price: Units): void {
    this.nowMs += 60_000;
    this.closes = [{ price, high: price, atMs: this.nowMs }];
  }

  private place(order: AlgorithmOrder, key: string): void {
    if (order.stopLimitPrice === null) {
      this.add(order, { key });
      return;
    }
    const { stopPrice, stopLimitPrice } = order;
    this.add(order, { key, pairKey: `${key}/2`, stopPrice: null });
    const stopLeg = { ...order, price: stopLimitPrice, stopLimitPrice: null };
    this.add(stopLeg, { key: `${key}/2`, pairKey: key, clientOrderId: null, stopPrice });
  }

  private change(key: string, to: { readonly state: string; readonly detail: string | undefined }): void {
    const before = this.orders.get(key);
    if (before === undefined) throw new Error(`no order ${key}`);
    const isLost = to.state === 'lost';
    const state = (isLost ? 'rejected' : to.state) as OrderState;
    const isRejected = state === 'rejected';
    const isTaken = to.detail === english(CANCELED_BY_OTHERS);
    const [filledText, matchedText] = isRejected || isTaken ? [] : (to.detail?.split('/') ?? []);
    const whole = state === 'filled' ? before.amount : before.filled;
    const filled = filledText === undefined ? whole : parseUnits(filledText);
    const matched = matchedText === undefined ? filled : parseUnits(matchedText);
    const moved = before.side === 'buy' ? filled - before.filled : before.filled - filled;
    this.position = (this.position + moved) as Units;
    const isClosed = ['settling', 'filled', 'cancelled', 'rejected'].includes(state);
    const closedAtMs = isClosed ? (before.closedAtMs ?? this.nowMs) : null;
    const reason = isTaken ? CANCELED_BY_OTHERS : isRejected ? (to.detail ?? 'NeverArrived') : null;
    const price = before.price ?? this.book?.bestAsk ?? this.book?.bestBid ?? parseUnits('100');
    const filledTotal = multiplyUnits(filled, price, divideHalfEven);
    this.orders.set(key, { ...before, state, filled, filledTotal, matched, closedAtMs, reason });
    if (isRejected && !isLost) this.refusals.push({ order: askedOf(before), reason: reason ?? '' });
    const other = isRejected ? this.orders.get(before.pairKey ?? '') : undefined;
    if (other !== undefined) this.orders.set(other.key, { ...other, state, closedAtMs, reason });
  }

  private refuseLast(reason: string): void {
    const order = this.orders.get(String(this.orderCount));
    if (order === undefined) throw new Error('nothing was asked for');
    this.orders.delete(order.key);
    this.refusals.push({ order: askedOf(order), reason });
  }

  private update(words: readonly string[]): void {
    if (this.algorithm.kind !== 'quotes') throw new Error('only quotes are said again');
    const updated = updateQuotes(this.algorithm, quotesOf(words), this.nowMs);
    if (!updated.ok) throw new Error(english(updated.reason));
    this.algorithm = updated.algorithm;
  }

  private add(order: AlgorithmOrder, fields: Partial<OrderRecord> & { readonly key: string }): void {
    this.orders.set(fields.key, orderOf(order, { plannedAtMs: this.nowMs, sentAtMs: this.nowMs, ...fields }));
  }

  private view(): AlgorithmView {
    const { nowMs, market, book, levels, position, equity, refusals, closes } = this;
    const orders = [...this.orders.values()];
    return { ...QUIET_VIEW, nowMs, market, book, levels, position, equity, refusals, closes, orders };
  }
}

/** Returns the order as the algorithm wanted it; of an OCO its first leg. */
function askedOf({ side, amount, price, stopPrice }: OrderRecord): AlgorithmOrder {
  return { side, amount, price, stopPrice, stopLimitPrice: null };
}

/** Reads `buy 1@99 sell 1@101` as an intent. */
export function quotesOf(words: readonly string[]): Extract<SizedAlgorithmIntent, { kind: 'quotes' }> {
  const quotes: SizedQuote[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [amount = '', price = ''] = (words[index + 1] ?? '').split('@');
    quotes.push({ side: words[index] as Side, amount, price });
  }
  return { kind: 'quotes', market: 'BTCUSDT', quotes };
}

/** Reads `1@99 2@98 / 3@101` as a book. */
function levelsOf(words: readonly string[]): OrderBook {
  const at = words.indexOf('/');
  return { bids: words.slice(0, at).map(levelOf), asks: words.slice(at + 1).map(levelOf), updatedAtMs: null };
}

function levelOf(word: string): BookLevel {
  const [amount = '', price = ''] = word.split('@');
  return [decimalText(price), decimalText(amount)];
}

function bookOf(bid: string, ask: string | undefined): Pick<SeenBook, 'bestBid' | 'bestAsk'> {
  return { bestBid: bookPrice(bid), bestAsk: bookPrice(ask) };
}

const bookPrice = (text: string | undefined): Units | null =>
  text === undefined || text === '-' ? null : parseUnits(text);

const stored = (algorithm: Algorithm): Algorithm => algorithmFromJson(algorithmToJson(algorithm));

/** Writes the orders and cancels of a step as the tables do. */
function spell(step: AlgorithmStep<Algorithm>): string {
  const wants = [
    ...step.cancel.map((key) => `cancel ${key}`),
    ...step.place.map(({ side, amount, price, stopPrice, stopLimitPrice }) => {
      const at = price === null ? '' : `@${formatUnits(price)}`;
      const limit = stopLimitPrice === null ? '' : `/${formatUnits(stopLimitPrice)}`;
      const stop = stopPrice === null ? '' : ` stop ${formatUnits(stopPrice)}${limit}`;
      return `place ${side} ${formatUnits(amount)}${at}${stop}`;
    }),
    ...(step.wakeAtMs === null ? [] : [`wake ${step.wakeAtMs}`]),
    ...(step.wantsBooks ? ['books'] : []),
    ...(step.done === null ? [] : [`done ${english(step.done)}`]),
  ];
  return wants.join(', ') || '-';
}
