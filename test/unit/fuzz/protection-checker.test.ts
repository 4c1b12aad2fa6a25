import { describe, expect, test } from 'vitest';
import { createMarket } from '../../../src/domain/market.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import {
  type Excuse,
  type WatchedBracket,
  checkProtection,
  BracketWatch,
} from '../../../src/fuzz/checkers/protection-checker.ts';
import type { TrueFill, TrueOrder } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { trueFill, trueOrder } from '../../support/order-value.ts';
import type { EngineOutput } from '../../../src/engine/engine-event.ts';
import { createAlgorithm } from '../../../src/engine/algorithms/algorithms.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { CREATED } from '../execution/algorithms/algorithm-table.ts';
import { english } from '../../../src/language/sentence.ts';

const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.001',
  minOrderValue: '5',
});
const ONE = parseUnits('1');

const order = (id: number, changes: Partial<TrueOrder> = {}): TrueOrder =>
  trueOrder(id, {
    clientOrderId: `bot-a-e001-${id}`,
    side: 'sell',
    price: 0n,
    amount: ONE,
    openedAtMs: 0,
    ...changes,
  });
/** One coin, bought for 100 at 1,000 ms. */
const BOUGHT = trueFill(1, { atMs: 1_000, amount: ONE, total: parseUnits('100') });
const ENTRY = order(1, { side: 'buy', isOpen: false, closedAtMs: 1_000 });
const bracket = (changes: Partial<WatchedBracket> = {}): WatchedBracket => ({
  intentId: 'i1',
  strategy: 'a',
  market: 'BTCUSDT',
  fromMs: 0,
  untilMs: 100_000,
  isProtection: false,
  before: 0n,
  names: new Set(['bot-a-e001-1', 'bot-a-e001-2', 'bot-a-e001-3']),
  sales: new Set(['bot-a-e001-3']),
  excuses: [],
  ...changes,
});

function check(
  exits: readonly TrueOrder[],
  more: {
    readonly fills?: readonly TrueFill[];
    readonly excuses?: readonly Excuse[];
    readonly amount?: string;
  } = {},
): readonly number[] {
  const fills = [BOUGHT, ...(more.fills ?? [])].map((fill) =>
    more.amount === undefined
      ? fill
      : { ...fill, amount: parseUnits(more.amount), total: parseUnits(more.amount) * 100n },
  );
  const truth = { orders: [ENTRY, ...exits], fills, balances: new Map() };
  const { violations, gapsMs } = checkProtection(truth, {
    instance: 'bot',
    brackets: [bracket()],
    excuses: more.excuses ?? [],
    longestMs: 10_000,
    markets: [MARKET],
    clockSkewMs: 0,
    refused: new Set(),
  });
  expect(violations.length).toBe(gapsMs.filter((gapMs) => gapMs > 10_000).length);
  return gapsMs;
}

describe('a position of a bracket', () => {
  test('is without an exit from its fill until one is open', () => {
    expect(check([order(2, { openedAtMs: 1_500 })])).toEqual([500]);
  });

  test('is found where none comes', () => {
    expect(check([])).toEqual([99_000]);
  });

  test('is without one between an exit that ended and the next', () => {
    const first = order(2, { openedAtMs: 1_000, isOpen: false, closedAtMs: 20_000 });
    expect(check([first, order(3, { openedAtMs: 20_400 })])).toEqual([400]);
    expect(check([first])).toEqual([80_000]);
  });

  test('needs an exit for all of it, and one that fills in part covers what is left', () => {
    expect(check([order(2, { openedAtMs: 1_000, amount: parseUnits('0.5') })])).toEqual([99_000]);
    const sold = { ...BOUGHT, tradeId: 2, orderId: 2, side: 'sell', atMs: 5_000 } as const;
    const half = { ...sold, amount: parseUnits('0.5'), total: parseUnits('50') };
    expect(check([order(2, { openedAtMs: 1_000 })], { fills: [half] })).toEqual([]);
  });

  test('has its stop in the bot while a limit sale by decision rests, also of a part', () => {
    const amount = parseUnits('0.5');
    expect(check([order(3, { openedAtMs: 1_500, amount })])).toEqual([500]);
    expect(check([order(3, { openedAtMs: 1_500, amount, isOpen: false, closedAtMs: 20_000 })])).toEqual([
      500, 80_000,
    ]);
  });

  test('is of its own market, whatever else the strategy trades', () => {
    // Half of the coin was sold before, so half of it needs protection; the 500 of another coin do not count.
    const names = { isOpen: false, closedAtMs: 500 } as const;
    const before = order(7, { ...names, side: 'sell' });
    const other = order(8, { ...names, side: 'buy', market: 'ETHUSDT' });
    const half = parseUnits('0.5');
    const fills = [
      { ...BOUGHT, tradeId: 7, orderId: 7, side: 'sell', atMs: 500, amount: half },
      { ...BOUGHT, tradeId: 8, orderId: 8, market: 'ETHUSDT', atMs: 500, amount: 500n * ONE },
    ] as const;
    expect(check([before, other, order(2, { openedAtMs: 1_000, amount: half })], { fills })).toEqual([]);
  });

  test('may be too little for an order', () => {
    expect(check([], { amount: '0.05' })).toEqual([]);
  });

  test('counts no time in which something is in the way, and begins anew after it', () => {
    const excuses = [
      { fromMs: 5_000, toMs: 60_000 },
      { fromMs: 40_000, toMs: 95_000 },
    ];
    expect(check([], { excuses })).toEqual([5_000]);
  });
});

/** Makes the output of a step in which a bracket begins. */
function beginOf(intentId: string): Pick<EngineOutput, 'changes'> {
  const intent = {
    kind: 'bracket',
    market: 'BTCUSDT',
    entry: { amount: '1' },
    stopLoss: { percent: '5' },
  } as const;
  const made = createAlgorithm(intent, CREATED);
  if (!made.ok) throw new Error(english(made.reason));
  const json = algorithmToJson(made.algorithm);
  return {
    changes: [{ kind: 'algorithm', algorithm: { intentId, strategy: 'one', market: 'BTCUSDT', json } }],
  };
}

test('a watch of brackets forgets one that a life before wrote to no disk, and keeps the others', () => {
  const watch = new BracketWatch();
  watch.apply(beginOf('i1'), 1_000);
  watch.apply(beginOf('i2'), 2_000);
  watch.begin(new Set(['i1']));
  expect(watch.brackets.map(({ intentId, untilMs }) => [intentId, untilMs])).toEqual([
    ['i1', Number.POSITIVE_INFINITY],
    ['i2', 2_000],
  ]);
});
