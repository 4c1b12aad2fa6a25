import { expect, test } from 'vitest';
import { plotsReplyOf, bracketIn } from '../../../src/dashboard/readers/market-replies.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { plotFigure } from '../../../src/domain/figure-name.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { LATER, MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';

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
      {
        kind: 'market',
        market: {
          symbol: MARKET,
          version: 1,
          fromMs: NOW_MS,
          priceStep: decimalText('1'),
          amountStep: decimalText('0.000001'),
          minOrderValue: decimalText('1'),
        },
      },
      { kind: 'kept', name: 'plots', json: JSON.stringify(plots) },
      value('mean', '59500000000'),
      value('old', '1'),
      value('rsi', '41.5'),
    ],
    LATER,
  );
  store.flush();
  const reader = folder.read();
  expect(plotsReplyOf(reader, MARKET, {}).series).toMatchObject([
    { plot: 'mean', pane: null },
    { plot: 'old', pane: null },
    { plot: 'rsi', pane: 'RSI', points: [[NOW_MS, 41.5]] },
  ]);
});
