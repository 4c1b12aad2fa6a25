import { expect, test } from 'vitest';
import { plotsReplyOf } from '../../../src/dashboard/readers/market-replies.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { plotFigure } from '../../../src/domain/figure-name.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { LATER, MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';

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
  const reader = new MirrorReader(folder.path);
  expect(plotsReplyOf(reader, MARKET, {}).series).toMatchObject([
    { plot: 'mean', pane: null },
    { plot: 'old', pane: null },
    { plot: 'rsi', pane: 'RSI', points: [[NOW_MS, 41.5]] },
  ]);
  reader.close();
});
