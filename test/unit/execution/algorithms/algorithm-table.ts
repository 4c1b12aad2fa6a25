import { expect } from 'vitest';
import { createMarket } from '../../../../src/domain/market.ts';
import { formatUnits, NO_UNITS, parseUnits, type Units } from '../../../../src/domain/money.ts';
import type { Side } from '../../../../src/domain/order.ts';
import type { OrderRecord, OrderState } from '../../../../src/execution/order-record.ts';
import { algorithmFromJson, algorithmToJson } from '../../../../src/execution/algorithms/algorithm-json.ts';
import type {
  AlgorithmOrder,
  AlgorithmStep,
  AlgorithmView,
} from '../../../../src/execution/algorithms/algorithm-step.ts';
import {
  advanceAlgorithm,
  createAlgorithm,
  type Algorithm,
  type SizedAlgorithmIntent,
} from '../../../../src/execution/algorithms/algorithms.ts';
import { updateQuotes, type SizedQuote } from '../../../../src/execution/algorithms/quotes.ts';
import type { SeenBook } from '../../../../src/execution/risk/risk-view.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MARKET_OPTIONS = { market: parseMarket('BTCUSDT'), amountStep: '0.001', minOrderValue: '5' };

export const MARKET = createMarket({ ...MARKET_OPTIONS, priceStep: '0.01' });

/** An order as an algorithm's engine would have it. */
export function orderOf(
  order: AlgorithmOrder,
  fields: Partial<OrderRecord> & { readonly key: string },
): OrderRecord {
  return plannedOrder({
    clientOrderId: `id-${fields.key}`,
    intentId: 'intent',
    market: MARKET.symbol,
    side: order.side,
    execution: order.price === null ? 'market' : 'limit',
    price: order.price,
    amount: order.amount,
    sentAtMs: 0,
    attempts: 1,
    state: 'sending',
    ...fields,
  });
}

/**
 * Runs one algorithm as a table, a line a step: what happens, and after `=>` what the algorithm then wants
 * (`-` for nothing). It is asked after each line; what it wants placed becomes an order that is `sending`,
 * numbered from 1. After each line it is asked twice more, once from its stored text: both must want the
 * same, and nothing placed. One market: BTCUSDT, price step 0.01, amount step 0.001, minimum value 5; the
 * time begins at 0.
 *
 *     start => place buy 1@99                  the first ask
 *     1 open | 1 open 0.4 | 1 settling 0.4/1   order 1 in another state, what is filled of it, and what is matched
 *     1 rejected NoFunds                       with its reason, and reported as a refusal
 *     1 lost                                   the same without a report, as after a crash
 *     refused too large                        the order just asked for was not planned
 *     quotes buy 1@99 sell 1@101               the strategy says its set again
 *     at 5000 · book 99 101 · position 2 · equity 1000 · price step 0.5
 *     forget 1                                 the order is in no view any more
 */
export function runAlgorithm(
  intent: SizedAlgorithmIntent,
  table: string,
  options: { readonly replaced?: AlgorithmOrder } = {},
): void {
  const runner = new AlgorithmRunner(intent, options.replaced);
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
  private position = NO_UNITS;
  private equity: Units | null = null;
  private refusals: { order: AlgorithmOrder; reason: string }[] = [];

  constructor(intent: SizedAlgorithmIntent, replaced: AlgorithmOrder | undefined) {
    if (replaced !== undefined) this.add(replaced, { key: 'old', state: 'open', intentId: 'older' });
    const created = createAlgorithm(intent, {
      market: this.market,
      nowMs: 0,
      replaced: this.orders.get('old'),
    });
    if (!created.ok) throw new Error(created.reason);
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
    this.algorithm = step.algorithm;
    for (const order of step.place) {
      this.orderCount += 1;
      this.add(order, { key: String(this.orderCount) });
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
    if (this.orders.has(first)) this.change(first, { state: second, detail: third });
    else if (first === 'at') this.nowMs = Number(second);
    else if (first === 'position') this.position = parseUnits(second);
    else if (first === 'equity') this.equity = parseUnits(second);
    else if (first === 'price')
      this.market = createMarket({ ...MARKET_OPTIONS, priceStep: third ?? '', version: 2 });
    else if (first === 'forget') this.orders.delete(second);
    else if (first === 'refused') this.refuseLast(words.slice(1).join(' '));
    else if (first === 'quotes') this.update(words.slice(1));
    else if (first === 'book')
      this.book = { ...bookOf(second, third), seenAtMs: this.nowMs, venueAtMs: null, freshUntilMs: null };
    else expect(first).toBe('start');
  }

  private change(key: string, to: { readonly state: string; readonly detail: string | undefined }): void {
    const before = this.orders.get(key);
    if (before === undefined) throw new Error(`no order ${key}`);
    const isLost = to.state === 'lost';
    const state = (isLost ? 'rejected' : to.state) as OrderState;
    const isRejected = state === 'rejected';
    const [filledText, matchedText] = isRejected ? [] : (to.detail?.split('/') ?? []);
    const whole = state === 'filled' ? before.amount : before.filled;
    const filled = filledText === undefined ? whole : parseUnits(filledText);
    const matched = matchedText === undefined ? filled : parseUnits(matchedText);
    const moved = before.side === 'buy' ? filled - before.filled : before.filled - filled;
    this.position = (this.position + moved) as Units;
    const isClosed = ['settling', 'filled', 'cancelled', 'rejected'].includes(state);
    const closedAtMs = isClosed ? (before.closedAtMs ?? this.nowMs) : null;
    const reason = isRejected ? (to.detail ?? 'NeverArrived') : null;
    this.orders.set(key, { ...before, state, filled, matched, closedAtMs, reason });
    if (isRejected && !isLost) this.refusals.push({ order: before, reason: reason ?? '' });
  }

  private refuseLast(reason: string): void {
    const order = this.orders.get(String(this.orderCount));
    if (order === undefined) throw new Error('nothing was asked for');
    this.orders.delete(order.key);
    this.refusals.push({ order, reason });
  }

  private update(words: readonly string[]): void {
    if (this.algorithm.kind !== 'quotes') throw new Error('only quotes are said again');
    const updated = updateQuotes(this.algorithm, quotesOf(words), this.nowMs);
    if (!updated.ok) throw new Error(updated.reason);
    this.algorithm = updated.algorithm;
  }

  private add(order: AlgorithmOrder, fields: Partial<OrderRecord> & { readonly key: string }): void {
    this.orders.set(fields.key, orderOf(order, { plannedAtMs: this.nowMs, sentAtMs: this.nowMs, ...fields }));
  }

  private view(): AlgorithmView {
    const { nowMs, market, book, position, equity, refusals } = this;
    return {
      nowMs,
      market,
      book,
      position,
      equity,
      refusals,
      refusalPauseMs: 10_500,
      orders: [...this.orders.values()],
    };
  }
}

/** `buy 1@99 sell 1@101` as an intent. */
export function quotesOf(words: readonly string[]): Extract<SizedAlgorithmIntent, { kind: 'quotes' }> {
  const quotes: SizedQuote[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [amount = '', price = ''] = (words[index + 1] ?? '').split('@');
    quotes.push({ side: words[index] as Side, amount, price });
  }
  return { kind: 'quotes', market: 'BTCUSDT', quotes };
}

function bookOf(bid: string, ask: string | undefined): Pick<SeenBook, 'bestBid' | 'bestAsk'> {
  return { bestBid: bookPrice(bid), bestAsk: bookPrice(ask) };
}

function bookPrice(text: string | undefined): Units | null {
  return text === undefined || text === '-' ? null : parseUnits(text);
}

function stored(algorithm: Algorithm): Algorithm {
  return algorithmFromJson(algorithmToJson(algorithm));
}

/** What a step wants, as the tables write it. */
function spell(step: AlgorithmStep<Algorithm>): string {
  const wants = [
    ...step.cancel.map((key) => `cancel ${key}`),
    ...step.place.map(({ side, amount, price }) => {
      const at = price === null ? '' : `@${formatUnits(price)}`;
      return `place ${side} ${formatUnits(amount)}${at}`;
    }),
    ...(step.wakeAtMs === null ? [] : [`wake ${step.wakeAtMs}`]),
    ...(step.wantsBooks ? ['books'] : []),
    ...(step.done === null ? [] : [`done ${step.done}`]),
  ];
  return wants.join(', ') || '-';
}
