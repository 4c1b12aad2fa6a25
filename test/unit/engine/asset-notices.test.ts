import { expect, test } from 'vitest';
import { assetNotices } from '../../../src/engine/strategy-dispatcher.ts';
import { MARKET_NAMES } from '../../../src/exchange/market-names.ts';

const noticesOf = (markets: readonly string[], seen: readonly string[] = markets) => {
  const quotes = new Set(markets.map((market) => (market.endsWith('IRT') ? 'rls' : 'usdt')));
  return assetNotices({ name: 'mine', markets, quotes, marketNames: MARKET_NAMES }, (market) =>
    seen.includes(market),
  ).map(({ level, text }) => `${level} ${text}`);
};

test('nothing is said of a strategy whose markets have a coin each and one currency', () => {
  expect(noticesOf(['BTCIRT', 'ETHIRT'])).toEqual([]);
});

test('a coin with two markets is said to be counted once', () => {
  expect(noticesOf(['BTCIRT', 'BTCUSDT'], ['BTCIRT', 'BTCUSDT', 'USDTIRT'])).toEqual([
    'info mine: its position in btc is counted over BTCIRT and BTCUSDT together',
  ]);
});

test('a strategy in rial and tether gets a warning where no market converts between them', () => {
  expect(noticesOf(['BTCIRT', 'ETHUSDT']).join()).toContain('Have a strategy follow USDTIRT');
});
