import { writeFileSync } from 'node:fs';
import { generateBars } from '../../../src/backtest/scripted-market.ts';
import { columnsOf, type CandleColumns } from '../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 0, 20);

interface Wanted {
  readonly count: number;
  readonly seed?: number;
  readonly startMs?: number;
}

function rowsOf({ count, seed = 1, startMs = START_MS }: Wanted) {
  const wave = { percent: 4, bars: 60 };
  return generateBars({ count, seed, from: 40_000, wave, noise: 0.6 }).map((bar, index) => {
    if (typeof bar === 'number') throw new TypeError('expected a whole bar, was a price');
    const { open = bar.close, high = bar.close, low = bar.close, close } = bar;
    return { openTimeMs: startMs + index * HOUR_MS, open, high, low, close, volume: 1_000 };
  });
}

/** Makes hourly candles of BTCUSDT that swing; one seed always makes the same. */
export function generatedCandles(wanted: Wanted): CandleColumns {
  const { symbol } = parseMarket('BTCUSDT');
  return columnsOf(
    { market: symbol, timeframe: '1h' },
    rowsOf(wanted).map(({ openTimeMs, open, high, low, close, volume }) => ({
      openTimeMs,
      open: decimalText(open),
      high: decimalText(high),
      low: decimalText(low),
      close: decimalText(close),
      volume: decimalText(volume),
    })),
  );
}

/** Writes candles as `generatedCandles` makes them to a CSV file. */
export function writeCandles(path: string, wanted: Wanted): string {
  const lines = rowsOf(wanted).map(({ openTimeMs, open, high, low, close, volume }) =>
    [openTimeMs, open, high, low, close, volume].join(','),
  );
  writeFileSync(path, ['time,open,high,low,close,volume', ...lines, ''].join('\n'));
  return path;
}
