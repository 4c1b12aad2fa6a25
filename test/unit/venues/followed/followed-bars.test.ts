import { describe, expect, it } from 'vitest';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import { createPollRules } from '../../../../src/venues/fill-rules.ts';
import { createTrack, RecordedFeed } from '../../../../src/backtest/poll/recorded-feed.ts';
import { columnsOf, type CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { Candle, Timeframe } from '../../../../src/domain/candle.ts';
import type { RecordedTrade, TimeRange } from '../../../../src/recording/records.ts';
import { bookChunks, FROM_MS, TETHER, tradeChunks } from '../recorded/recorded-run.ts';
import fc from 'fast-check';
import { StepReader } from '../../../../src/venues/followed/queue-places.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { RowGrid } from '../../../../src/simulator/replay-flow.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MINUTE_MS = 60_000;

/** Volumes have more decimals than the market's step; they are shown as they are. */
const BARS = Array.from({ length: 6 }, (_, index): Candle => {
  const [low, high] = [decimalText(`${30_000 + index}.01`), decimalText(`${30_100 + index}`)];
  const openTimeMs = FROM_MS + index * MINUTE_MS;
  return { openTimeMs, open: low, high, low, close: high, volume: decimalText('1.50000001') };
});

function tradeAt(timeMs: number): RecordedTrade {
  const trade = { price: decimalText('40000'), amount: decimalText('1'), side: 'buy' } as const;
  return { ...trade, timeMs, seenMs: timeMs, id: null };
}

/** Returns the bars of minutes that the exchange answers with at a time. */
async function barsAt(
  timeMs: number,
  of: {
    readonly bars: readonly Candle[];
    readonly trades: readonly RecordedTrade[];
    readonly more?: readonly CandleColumns[];
    readonly timeframe?: Timeframe;
    readonly covered?: readonly TimeRange[];
  },
): Promise<readonly Candle[]> {
  const exchange = new FollowedExchange({
    markets: [{ market: TETHER, hasTrades: true }],
    fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
    balances: {},
    limits: {},
    startMs: FROM_MS,
    rules: createPollRules(),
  });
  const feed = new RecordedFeed(
    exchange.markets.map((market) =>
      createTrack(market, {
        books: bookChunks([]),
        trades: tradeChunks(of.trades),
        bars: [
          {
            columns: columnsOf({ market: TETHER.symbol, timeframe: '1m' }, of.bars),
            covered: of.covered ?? [],
          },
          ...(of.more ?? []).map((columns) => ({ columns, covered: [] })),
        ],
      }),
    ),
  );
  await feed.readTo(timeMs);
  feed.advance(timeMs);
  const { timeframe = '1m' } = of;
  const asked = { market: 'BTCUSDT', timeframe, toMs: FROM_MS + 60 * MINUTE_MS, count: 100 } as const;
  const answer = exchange.answer({ kind: 'candles', ...asked }, timeMs);
  return answer.outcome === 'value' ? (answer.value as readonly Candle[]) : [];
}

describe('recorded bars', () => {
  it('are shown as they are from the moment at which they close', async () => {
    const closeMs = FROM_MS + 4 * MINUTE_MS;
    expect(await barsAt(closeMs - 1, { bars: BARS, trades: [] })).toEqual(BARS.slice(0, 3));
    expect(await barsAt(closeMs, { bars: BARS, trades: [] })).toEqual(BARS.slice(0, 4));
  });

  it('take the place of those that are made of trades, and leave those that they do not know', async () => {
    const trades = [2, 3, 4].map((minute) => tradeAt(FROM_MS + minute * MINUTE_MS + 100));
    const shown = await barsAt(FROM_MS + 5 * MINUTE_MS, { bars: BARS.slice(0, 4), trades });
    expect(shown.slice(0, 4)).toEqual(BARS.slice(0, 4));
    expect(shown.slice(4).map(({ openTimeMs, close }) => [openTimeMs, close])).toEqual([
      [FROM_MS + 4 * MINUTE_MS, '40000'],
    ]);
  });

  it('of the past make the coarser ones that were not recorded: the finest, so that nothing counts twice', async () => {
    const five = columnsOf({ market: TETHER.symbol, timeframe: '5m' }, BARS.slice(0, 1));
    const of = { bars: BARS, trades: [], more: [five], timeframe: '15m' } as const;
    const [bar] = await barsAt(FROM_MS + 7 * MINUTE_MS, of);
    expect(bar).toMatchObject({ openTimeMs: FROM_MS, open: '30000.01', close: '30105', volume: '9' });
  });

  it('leave no bar made of trades where it is known that there was none, once it has closed', async () => {
    const trades = [2, 3].map((minute) => tradeAt(FROM_MS + minute * MINUTE_MS + 100));
    const covered = [{ fromMs: FROM_MS, toMs: FROM_MS + 60 * MINUTE_MS }];
    const of = { bars: BARS.slice(0, 2), trades, covered };
    const openTimes = async (timeMs: number): Promise<readonly number[]> =>
      (await barsAt(timeMs, of)).map(({ openTimeMs }) => (openTimeMs - FROM_MS) / MINUTE_MS);
    expect(await openTimes(FROM_MS + 3 * MINUTE_MS - 1)).toEqual([0, 1, 2]);
    expect(await openTimes(FROM_MS + 3 * MINUTE_MS + 200)).toEqual([0, 1, 3]);
  });
});

const STEPS = fc.constantFrom('10', '1', '0.5', '0.25', '0.03', '0.01', '0.000001', '0.0000000001', '3000');

describe('recorded numbers in steps', () => {
  it('are the steps of the market', () => {
    const steps = new StepReader(
      createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' }),
    );
    expect(steps.price(decimalText('60000000010'))).toBe(6_000_000_001);
    expect(steps.amount(decimalText('1.000001'))).toBe(1_000_001);
  });

  it('are rounded where they lie between: prices to the nearest, amounts down', () => {
    const steps = new StepReader(
      createMarket({ market: parseMarket('BTCUSDT'), priceStep: '0.01', amountStep: '0.001' }),
    );
    expect(steps.price(decimalText('1.016'))).toBe(102);
    expect(steps.amount(decimalText('0.0019'))).toBe(1);
    expect(steps.price(decimalText('0.001'))).toBe(1);
  });

  it('are what exact arithmetic says, for any step and number', () => {
    fc.assert(
      fc.property(
        STEPS,
        fc.bigInt({ min: 0n, max: 10n ** 17n }),
        fc.integer({ min: 0, max: 12 }),
        (step, digits, decimals) => {
          const padded = String(digits).padStart(decimals + 1, '0');
          const at = padded.length - decimals;
          const text = decimalText(decimals === 0 ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`);
          const market = createMarket({ market: parseMarket('BTCUSDT'), priceStep: step, amountStep: step });
          expect(outcomeOf(() => new StepReader(market).price(text))).toBe(
            outcomeOf(() => new RowGrid().price(market, text)),
          );
          expect(outcomeOf(() => new StepReader(market).amount(text))).toBe(
            outcomeOf(() => new RowGrid().amount(market, text)),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function outcomeOf(work: () => number): number | string {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error.name : 'error';
  }
}
