import { describe, expect, test } from 'vitest';
import { marketOfCurrencies, parseMarket } from '../../../src/domain/market-symbol.ts';

describe('a market name', () => {
  test.each(['BTCIRT', 'btcirt', 'BTC-RLS', 'btc-rls', 'btc/rls', 'BTC-IRT'])(
    'is the same read from %s',
    (spelling) => {
      expect(parseMarket(spelling)).toEqual({
        symbol: 'BTCIRT',
        src: 'btc',
        dst: 'rls',
        pair: 'BTC-RLS',
        statsKey: 'btc-rls',
      });
    },
  );

  test('keeps tether as a source apart from tether as a quote', () => {
    expect(parseMarket('USDTIRT')).toMatchObject({ src: 'usdt', dst: 'rls' });
    expect(parseMarket('BTCUSDT')).toMatchObject({ src: 'btc', dst: 'usdt' });
    expect(parseMarket('1B_BABYDOGEIRT')).toMatchObject({ src: '1b_babydoge', dst: 'rls' });
  });

  test.each(['', 'BTC', 'IRT', 'BTCEUR', 'BTC IRT', 'USDTUSDT', 'btc-', '-rls'])('is not read from %j', (spelling) => {
    expect(() => parseMarket(spelling)).toThrow('expected a market such as "BTCIRT" or "btc-rls"');
  });

  test('is refused for a quote currency that is not one', () => {
    expect(() => marketOfCurrencies('btc', 'eur')).toThrow(
      'expected a source currency such as "btc" and "rls" or "usdt"',
    );
  });
});
