import { expect, test } from 'vitest';
import { formatUnits, NO_UNITS, parseUnits, type Units } from '../../../src/domain/money.ts';
import {
  groupQualities,
  orderQualities,
  type OrderQuality,
  type QueueFacts,
} from '../../../src/portfolio/execution-quality.ts';
import { calibrateCandles } from '../../../src/backtest/fill-calibration.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { fillRecord } from '../mirror/mirror-fixture.ts';
import { orderIn } from '../../support/order-value.ts';

const BOOK = { arrivalBid: parseUnits('99'), arrivalAsk: parseUnits('101') };
const PLANNED_MS = 1_000;

/** Money of an order as text, by field. */
type Texts = Partial<Record<'amount' | 'price' | 'stopPrice' | 'filled' | 'filledTotal' | 'fee', string>>;

/** A canceled or filled order that was planned at a book of 99 and 101, closed 60 s later. */
const ended = (key: string, money: Texts, changed: Partial<OrderRecord> = {}): OrderRecord =>
  orderIn('cancelled', {
    key,
    ...BOOK,
    plannedAtMs: PLANNED_MS,
    closedAtMs: PLANNED_MS + 60_000,
    ...Object.fromEntries(Object.entries(money).map(([name, text]) => [name, parseUnits(text)])),
    ...changed,
  });

const fillAt = (orderKey: string, atMs: number) => fillRecord({ orderKey, atMs });

/** Queues of the orders `s` and `u`: together they traded 1 of 4 coins at 102 and of 2 at 98. */
const QUEUES: Readonly<Record<string, QueueFacts>> = {
  s: { ahead: parseUnits('3'), traded: parseUnits('4') },
  u: { ahead: NO_UNITS, traded: parseUnits('2') },
};

const measured = (
  orders: readonly OrderRecord[],
  end: string | null,
  fills: readonly ReturnType<typeof fillAt>[] = [],
): readonly OrderQuality[] =>
  orderQualities({
    orders,
    fills,
    priceAt: () => (end === null ? null : parseUnits(end)),
    queueOf: ({ key }) => QUEUES[key] ?? { ahead: null, traded: null },
  });

const text = (units: Units | null): string => (units === null ? '-' : formatUnits(units));

/** Writes an order as a line: key, kind, wanted amount, slippage, fees, cost of the rest, shortfall. */
const shown = (qualities: readonly OrderQuality[]): string[] =>
  qualities.map(({ order, kind, wanted, slippage, fees, unfilledCost, shortfall }) =>
    [order.key, kind, ...[wanted, slippage, fees, unfilledCost, shortfall].map(text)].join(' '),
  );

const MARKET = { execution: 'market' } as const;
/** 1 at 101 and 0.5 at 102 of 2; the fee of 0.0015 coins is worth 0.0015 * 152 / 1.5 = 0.152. */
const PART = ended('m', { amount: '2', filled: '1.5', filledTotal: '152', fee: '0.0015' }, MARKET);
/** Filled at its price; the fee is money already. */
const SALE = ended(
  's',
  { price: '102', filled: '1', filledTotal: '102', fee: '0.102' },
  { side: 'sell', state: 'filled' },
);
const UNFILLED = ended('u', { price: '98' });

test('a part that did not trade costs the change of the price until the order closed', () => {
  // Slippage 152 - 1.5 * 100; rest 0.5 * (104 - 100).
  expect(shown(measured([PART], '104'))).toEqual(['m market 2 2 0.152 2 4.152']);
  expect(shown(measured([UNFILLED], '105'))).toEqual(['u maker 1 0 0 5 5']);
  // The price fell: not to have bought was a gain.
  expect(shown(measured([UNFILLED], '97'))).toEqual(['u maker 1 0 0 -3 -3']);
});

test('a resting sale gains what its price is above the middle, less its fee in the quote currency', () => {
  expect(shown(measured([SALE], null))).toEqual(['s maker 1 -2 0.102 0 -1.898']);
});

test('a limit order that crosses the book is a taker', () => {
  const taker = ended('t', { price: '101', filled: '1', filledTotal: '101' }, { state: 'filled' });
  expect(shown(measured([taker], null))).toEqual(['t taker 1 1 0 0 1']);
});

const leg = (key: string, pairKey: string, money: Texts, changed: Partial<OrderRecord>): OrderRecord =>
  ended(key, { amount: '2', ...money }, { pairKey, side: 'sell', ...changed });
const limitLeg = (money: Texts): OrderRecord =>
  leg('o', 'o/2', { price: '110', ...money }, { exit: 'take-profit' });
const stopLeg = (money: Texts): OrderRecord =>
  leg(
    'o/2',
    'o',
    { price: '94', stopPrice: '95', ...money },
    { exit: 'stop-loss', execution: 'stop_limit', clientOrderId: null },
  );

test('the legs of an OCO share one amount, and a stop is measured against its own stop price', () => {
  // 0.5 at 110 against 100; 1.5 at 94.5 = 141.75 against 95: 142.5.
  const both = [
    limitLeg({ filled: '0.5', filledTotal: '55', fee: '0.055' }),
    stopLeg({ filled: '1.5', filledTotal: '141.75', fee: '0.14175' }),
  ];
  expect(shown(measured(both, '90'))).toEqual([
    'o take-profit 0.5 -5 0.055 0 -4.945',
    'o/2 stop-loss 1.5 0.75 0.14175 0 0.89175',
  ]);
  const stopped = [limitLeg({}), stopLeg({ filled: '2', filledTotal: '188' })];
  expect(shown(measured(stopped, '90'))).toEqual(['o/2 stop-loss 2 2 0 0 2']);
  // 1.5 of 2 did not trade while the price fell by 10.
  const rest = [limitLeg({}), stopLeg({ filled: '0.5', filledTotal: '47.5' })];
  expect(shown(measured(rest, '90'))).toEqual(['o take-profit 1.5 0 0 15 15', 'o/2 stop-loss 0.5 0 0 0 0']);
});

test('orders that stand, were never sent, or are stops whose price never came have no quality', () => {
  const stop = ended('w', { stopPrice: '90' }, { execution: 'stop_market', side: 'sell' });
  const orders = [orderIn('open', BOOK), ended('n', {}, { sentAtMs: null }), stop];
  expect(measured(orders, '100')).toEqual([]);
});

test('without a known book an order has fees and times alone', () => {
  const old = ended(
    'a',
    { filled: '1', filledTotal: '100', fee: '0.001' },
    { arrivalBid: null, state: 'filled' },
  );
  const [quality] = measured([old], '100', [fillAt('a', 4_000), fillAt('a', 9_000), fillAt('b', 1)]);
  expect(quality).toMatchObject({ kind: 'maker', arrival: null, slippage: null, shortfall: null });
  expect(quality).toMatchObject({ fees: parseUnits('0.1'), firstFillMs: 3_000, completionMs: 8_000 });
});

test('an order has the fees of its fills in other currencies, and none if one had no price', () => {
  const order = ended('a', { filled: '1', filledTotal: '100', fee: '0.001' }, { state: 'filled' });
  const inBnb = (feeValue: Units | null) => ({
    ...fillAt('a', 4_000),
    fee: parseUnits('0.2'),
    feeCurrency: 'bnb',
    feeValue,
  });
  const fills = [fillAt('a', 4_000), inBnb(parseUnits('20'))];
  expect(measured([order], '100', fills)).toMatchObject([
    { fees: parseUnits('20.1'), shortfall: parseUnits('20.1') },
  ]);
  const unvalued = measured([order], '100', [...fills, inBnb(null)]);
  expect(unvalued).toMatchObject([{ fees: null, shortfall: null }]);
  expect(groupQualities(unvalued, { keyOf: () => 'all', currencyOf: () => 'usdt' })).toMatchObject([
    { orders: 1, unvaluedFees: 1, valued: 0, fees: 0n },
  ]);
});

test('a group sums money, and weighs basis points by value', () => {
  const fills = [fillAt('m', 2_000), fillAt('s', 6_000), fillAt('s', 900)];
  const all = measured([PART, SALE, UNFILLED], '104', fills);
  const [group, ...others] = groupQualities(all, { keyOf: () => 'all', currencyOf: () => 'usdt' });
  expect(others).toEqual([]);
  expect(group).toEqual({
    key: 'all',
    currency: 'usdt',
    orders: 3,
    unvaluedFees: 0,
    priced: 3,
    valued: 3,
    filledShare: (0.75 + 1 + 0) / 3,
    traded: parseUnits('254'),
    slippage: 0n,
    fees: parseUnits('0.254'),
    unfilledCost: parseUnits('6'),
    // 4.152 - 1.898 + 4, of 200 + 100 + 100.
    shortfall: parseUnits('6.254'),
    slippageBps: 0,
    shortfallBps: (6.254 / 400) * 10_000,
    // The clock of the exchange can be behind: no fill is earlier than its plan.
    firstFillMs: 500,
    completionMs: 5_000,
    rested: 2,
    placed: 2,
    shared: 2,
    ahead: 1.5,
    // 102 of 4 * 102 + 2 * 98.
    queueShare: 102 / 604,
  });
});

test('a price that is not known leaves the shortfall out of the sums, and the rest in', () => {
  const [group] = groupQualities(measured([PART, SALE], null), {
    keyOf: ({ order }) => order.market,
    currencyOf: () => 'usdt',
  });
  expect(group).toMatchObject({ key: 'BTCUSDT', priced: 2, valued: 1, slippage: 0n });
  expect(group?.shortfallBps).toBeCloseTo(-189.8);
  expect(group?.slippageBps).toBe(0);
});

/** A purchase at a book of 99 and 101 that cost so much more than the middle of 100. */
const taken = (plannedAtMs: number, beyond: number): OrderRecord =>
  ended(
    `k${plannedAtMs}`,
    { filled: '1', filledTotal: String(100 + beyond) },
    { ...MARKET, plannedAtMs, state: 'filled' },
  );

test('spread and slippage of a backtest are fitted to the earlier takers, and judged by the later ones', () => {
  // Of 2 % half is paid at once. The earlier ten cost 1.1, 1.2 or 1.3, the later ones 1.2 or 1.4.
  const earlier = [1.1, 1.2, 1.3, 1.2, 1.2, 1.1, 1.2, 1.3, 1.2, 1.2];
  const later = [1.2, 1.4, 1.2, 1.4, 1.2, 1.4, 1.2, 1.4, 1.2, 1.4];
  const orders = [...earlier, ...later].map((beyond, index) => taken(1_000 + index, beyond));
  const resting = ended('r', { price: '99', filled: '1', filledTotal: '99' }, { state: 'filled' });
  const {
    found: [found],
    left,
  } = calibrateCandles(measured([...orders.toReversed(), resting, UNFILLED], '100'));
  expect(left).toBe(0);
  expect(found).toMatchObject({
    market: 'BTCUSDT',
    fidelity: 'candles',
    rules: { spreadBps: 200, slippageBps: 20 },
    fitted: 10,
    heldOut: 10,
  });
  expect(found?.errorBefore).toBeCloseTo(130);
  expect(found?.errorAfter).toBeCloseTo(10);
  expect(calibrateCandles(measured(orders.slice(1), '100'))).toEqual({ found: [], left: 19, orders: 19 });
  // Markets with fewer orders are pooled.
  const elsewhere = orders.map((order, index) => ({
    ...order,
    key: `${order.key}-${index}`,
    market: index % 2 === 0 ? 'ETHUSDT' : 'USDTIRT',
  }));
  const both = calibrateCandles(measured([...orders, ...elsewhere], '100'));
  expect(both.found).toEqual([found, { ...found, market: null }]);
});
