import { describe, expect, test } from 'vitest';
import { marketOfCurrencies, parseMarket } from '../../../src/exchange/market-names.ts';

describe('a market name', () => {
  test.each(['BTCIRT', 'btcirt', 'BTC-RLS', 'btc-rls', 'btc/rls', 'BTC-IRT'])(
    'is the same read from %s',
    (spelling) => {
      expect(parseMarket(spelling)).toEqual({
        symbol: 'BTCIRT',
        base: 'btc',
        quote: 'rls',
        pair: 'BTC-RLS',
        statsKey: 'btc-rls',
      });
    },
  );

  test('keeps tether as a source apart from tether as a quote', () => {
    expect(parseMarket('USDTIRT')).toMatchObject({ base: 'usdt', quote: 'rls' });
    expect(parseMarket('BTCUSDT')).toMatchObject({ base: 'btc', quote: 'usdt' });
    expect(parseMarket('1B_BABYDOGEIRT')).toMatchObject({ base: '1b_babydoge', quote: 'rls' });
  });

  test.each(['', 'BTC', 'IRT', 'BTCEUR', 'BTC IRT', 'USDTUSDT', 'btc-', '-rls'])(
    'is not read from %j',
    (spelling) => {
      expect(() => parseMarket(spelling)).toThrow('expected a market such as "BTCIRT" or "btc-rls"');
    },
  );

  test('is refused for a quote currency that is not one', () => {
    expect(() => marketOfCurrencies('btc', 'eur')).toThrow(
      'expected a source currency such as "btc" and "rls" or "usdt"',
    );
  });
});
