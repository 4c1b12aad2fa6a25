import { describe, expect, it } from 'vitest';
import { PollExchange } from '../../../../src/backtest/poll/poll-exchange.ts';
import { createPollRules } from '../../../../src/backtest/poll/poll-rules.ts';
import { seedPast } from '../../../../src/backtest/poll/seed-past.ts';
import { columnsOf } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { Candle } from '../../../../src/domain/candle.ts';
import { FROM_MS, TETHER } from './recorded-run.ts';

const MINUTE_MS = 60_000;

describe('bars of the time before a recording', () => {
  it('are told as they are, and none that closes after the recording has begun', () => {
    const bars = Array.from({ length: 6 }, (_, index): Candle => {
      const [low, high] = [decimalText(`${30_000 + index}.01`), decimalText(`${30_100 + index}`)];
      const openTimeMs = FROM_MS + index * MINUTE_MS;
      return { openTimeMs, open: low, high, low, close: high, volume: decimalText('1.5') };
    });
    const exchange = new PollExchange({
      markets: [{ market: TETHER, hasTrades: true }],
      fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
      balances: {},
      limits: {},
      startMs: FROM_MS,
      rules: createPollRules(),
    });
    const [market] = exchange.markets;
    if (market !== undefined) {
      const columns = columnsOf({ market: TETHER.symbol, resolution: '1' }, bars);
      seedPast(market, columns, FROM_MS + 4 * MINUTE_MS - 1);
    }
    const asked = { market: 'BTCUSDT', resolution: '1', toMs: FROM_MS + 60 * MINUTE_MS, count: 100 } as const;
    const answer = exchange.answer({ kind: 'candles', ...asked }, FROM_MS + 4 * MINUTE_MS);
    expect(answer).toEqual({ outcome: 'value', value: bars.slice(0, 3) });
  });
});
