import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';

test('takes more candles than a call may have arguments', () => {
  const price = decimalText('1.25');
  const bar = { open: price, high: price, low: price, close: price, volume: decimalText('1') };
  const candles = Array.from({ length: 40_000 }, (_, index) => ({ ...bar, openTimeMs: index * 60_000 }));
  const { length, priceDecimals } = columnsOf(
    { market: parseMarket('BTCUSDT').symbol, timeframe: '1m' },
    candles,
  );
  expect({ length, priceDecimals }).toEqual({ length: 40_000, priceDecimals: 2 });
});
