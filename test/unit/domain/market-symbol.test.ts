import { describe, expect, test } from 'vitest';
import { createMarketNames } from '../../../src/domain/market-symbol.ts';
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

describe('the names of another exchange', () => {
  const names = createMarketNames([
    { currency: 'eur', name: 'euro', ending: '_EUR', decimals: 2 },
    { currency: 'btc', name: 'bitcoin', ending: '_XBT', decimals: 8 },
  ]);

  test('end in its own quote currencies', () => {
    expect(names.parseMarket('ETH_EUR')).toMatchObject({ base: 'eth', quote: 'eur', pair: 'ETH-EUR' });
    expect(names.parseMarket('eth/btc').symbol).toBe('ETH_XBT');
    expect(names.symbolIn('eth', 'btc')).toBe('ETH_XBT');
    expect(() => names.parseMarket('ETHUSDT')).toThrow('expected a market such as "BTC_EUR" or "btc-eur"');
  });

  test('have a bridge that prices the second quote currency in the first', () => {
    expect(names.bridge).toEqual({ market: 'BTC_EUR', base: 'btc', quote: 'eur' });
    expect([names.otherQuote('eur'), names.otherQuote('btc')]).toEqual(['btc', 'eur']);
  });

  test('say how many decimals people write of a quote currency alone', () => {
    expect(['eur', 'btc', 'eth'].map(names.decimalsOf)).toEqual([2, 8, null]);
  });
});
