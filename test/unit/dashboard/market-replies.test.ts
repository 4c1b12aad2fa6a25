import { expect, test } from 'vitest';
import { bracketIn, plotsReplyOf, quotesReplyOf } from '../../../src/dashboard/readers/market-replies.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { plotFigure } from '../../../src/domain/figure-name.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { DURABLE, LATER, MirrorFolder, NOW_MS, orderChange } from '../mirror/mirror-fixture.ts';

/** The position was bought as 0.001541 at 64856.13; the fee of 0.000001541 was taken from the coin. */
const algorithm = {
  kind: 'bracket',
  terms: {
    entry: { amount: '0.0015418744', price: '64856.125715', expiresAtMs: null },
    takeProfit: { by: 'ratio', units: '0.009' },
    stopLoss: { by: 'ratio', units: '0.006' },
    trail: null,
    breakEvenAt: null,
    timeStopMs: null,
    stopSlip: '0.01',
    whenCanceled: 'replace',
    tag: 'dip',
  },
  entry: 'ended',
  bought: '0.001539459',
  gross: '0.001541',
  spent: '99.94329633',
  exits: { filled: '0', countedKey: null },
  heldSinceMs: 1_795_831_097_442,
  highest: null,
  closeAtMs: 0,
  raisedStop: null,
  raisedBy: null,
  trailedAtMs: null,
  isMoving: false,
  isStopAlone: false,
  leaving: null,
  setbacks: { inARow: 0, retryAtMs: null, reason: null },
};

test('levels of a bracket are measured from the price that was paid, as those of its orders', () => {
  const bracket = bracketIn(JSON.stringify({ version: 1, algorithm }));
  expect(Number(bracket?.takeProfits[0])).toBeCloseTo(64_856.13 * 1.009, 2);
  expect(Number(bracket?.stop)).toBeCloseTo(64_856.13 * 0.994, 2);
});

const MARKET = 'BTCIRT';
const CHART = { timeframe: '1h', limit: 4 };
const OF_MARKET: MirrorChange = {
  kind: 'market',
  market: {
    symbol: MARKET,
    version: 1,
    fromMs: NOW_MS,
    priceStep: decimalText('1'),
    amountStep: decimalText('0.000001'),
    minOrderValue: decimalText('1'),
  },
};

test('a plot names the pane that its strategy wants, and none where that is not known', () => {
  using folder = new MirrorFolder();
  const store = folder.open();
  const value = (name: string, text: string): MirrorChange => ({
    kind: 'figure',
    figure: { name: plotFigure('trend', MARKET, name), atMs: NOW_MS, value: text },
  });
  const look = { strategy: 'trend', market: MARKET, style: 'line', color: null };
  const plots = [
    { ...look, name: 'mean', pane: null },
    { ...look, name: 'rsi', pane: 'RSI' },
  ];
  store.apply(
    [
      OF_MARKET,
      { kind: 'kept', name: 'plots', json: JSON.stringify(plots) },
      value('mean', '59500000000'),
      value('old', '1'),
      value('rsi', '41.5'),
    ],
    LATER,
  );
  store.flush();
  const reader = folder.read();
  expect(plotsReplyOf(reader, MARKET, CHART).series).toMatchObject([
    { plot: 'mean', pane: null },
    { plot: 'old', pane: null },
    { plot: 'rsi', pane: 'RSI', points: [[NOW_MS, 41.5]] },
  ]);
});

test('indicators by hand are those of strategies, over the candles that a chart shows', () => {
  using folder = new MirrorFolder();
  const store = folder.open();
  const closes = [10, 12, 11, 15, 14, 18];
  const changes = closes.map((value, index): MirrorChange => {
    const price = decimalText(String(value));
    const bar = { open: price, high: price, low: price, close: price, volume: decimalText('1') };
    const candle = { openTimeMs: index * 3_600_000, ...bar };
    return { kind: 'candle', market: MARKET, timeframe: '1h', candle };
  });
  store.apply([OF_MARKET, ...changes], LATER);
  store.flush();
  const reader = folder.read();
  const { series, indicators } = plotsReplyOf(reader, MARKET, {
    ...CHART,
    indicators: 'sma:2,rsi:3,bollinger:2',
  });
  const points = [11.5, 13, 14.5, 16].map((value, index) => [(index + 2) * 3_600_000, value]);
  expect(series[0]).toMatchObject({ plot: 'sma 2', pane: null, strategy: '', points });
  expect(series.map(({ plot, pane }) => [plot, pane])).toEqual([
    ['sma 2', null],
    ['rsi 3', 'rsi 3'],
    ['bollinger 2 lower', null],
    ['bollinger 2 middle', null],
    ['bollinger 2 upper', null],
  ]);
  expect(indicators).toMatchObject({ sma: 20, rsi: 14, bop: 0 });
  for (const wrong of ['nothing:5', 'ema:0'])
    expect(() => plotsReplyOf(reader, MARKET, { ...CHART, indicators: wrong })).toThrow(/expected/);
});

const level = (price: string) => [[decimalText(price), decimalText('1')]] as const;
const order = (number: number, changed: Parameters<typeof orderChange>[0]) =>
  orderChange({
    key: `k${number}`,
    plannedAtMs: NOW_MS + number,
    sentAtMs: NOW_MS + number,
    attempts: 1,
    state: 'open',
    ...changed,
  });

test('quotes are the best prices at each plan, those of the book, and our best orders while they rest', () => {
  using folder = new MirrorFolder();
  folder.write([
    OF_MARKET,
    order(1, { price: parseUnits('90'), arrivalBid: parseUnits('91'), arrivalAsk: parseUnits('101') }),
    order(2, { price: parseUnits('92'), closedAtMs: NOW_MS + 5, state: 'cancelled' }),
    order(3, { side: 'sell', price: parseUnits('110'), arrivalBid: parseUnits('93'), arrivalAsk: null }),
    order(4, { side: 'sell', price: parseUnits('80'), stopPrice: parseUnits('85') }),
    order(6, { side: 'sell', price: parseUnits('105'), sentAtMs: null }),
  ]);
  folder.write(
    [{ kind: 'book', market: MARKET, book: { bids: level('94'), asks: level('104'), updatedAtMs: null } }],
    { ...DURABLE, atMs: NOW_MS + 9 },
  );
  const { quotes } = quotesReplyOf(folder.read(), MARKET);
  expect(quotes.map(({ atMs, ...prices }) => [atMs - NOW_MS, ...Object.values(prices)].join(' '))).toEqual([
    '1 91 101 90 ',
    '2 91 101 92 ',
    '3 93  92 110',
    '5 93  90 110',
    '9 94 104 90 110',
  ]);
});
