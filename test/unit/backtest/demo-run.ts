import { type BacktestRun, type EquityCurve, runWarning } from '../../../src/backtest/backtest-run.ts';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { createMarket, type Market } from '../../../src/domain/market.ts';
import { parseUnits, type Units } from '../../../src/domain/money.ts';
import { createRandom, type RandomSource } from '../../../src/domain/random.ts';
import { timeframeMs, type Timeframe } from '../../../src/domain/candle.ts';
import { valueAt } from '../../../src/portfolio/round-trips.ts';
import { EMPTY_FILL, type FillRecord } from '../../../src/records/fill.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { plannedOrder } from '../../support/order-value.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { describeBarRules } from '../../../src/backtest/describe-rules.ts';
import { DEFAULT_CANDLE_RULES } from '../../../src/venues/fill-rules.ts';

/** Options of a made-up run: a random walk with random buys and sells, and exact books. */
export interface DemoRunOptions {
  readonly seed?: number;
  readonly bars?: number;
  readonly timeframe?: Timeframe;
  /** Chance that it trades at a bar, 0 to 1. */
  readonly tradeChance?: number;
  readonly fromMs?: number;
  readonly cash?: string;
  /** Fee rate in millionths. */
  readonly feeRate?: bigint;
  readonly warnings?: readonly string[];
  readonly strategy?: string;
  /** Number of requests to the exchange; a run on candles sends none. */
  readonly requests?: number;
}

const START_MS = Date.UTC(2023, 0, 1);

const MARKET: Market = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
});

/** Makes up a run, for tests of metrics and reports. */
export function demoRun(options: DemoRunOptions = {}): BacktestRun {
  const {
    bars = 2_000,
    timeframe = '1h',
    fromMs = START_MS,
    cash = '10000',
    strategy = 'ma-cross',
  } = options;
  const random = createRandom(options.seed ?? 1);
  const barMs = timeframeMs(timeframe);
  const candles = randomWalk({ bars, timeframe, fromMs, random });
  const account = new DemoAccount({ cash: parseUnits(cash), feeRate: options.feeRate ?? 1_000n, strategy });
  const curve = {
    timeMs: new Float64Array(bars),
    equity: new Float64Array(bars),
    isExposed: new Uint8Array(bars),
  };
  for (let bar = 0; bar < bars; bar += 1) {
    const atMs = fromMs + bar * barMs;
    if (random.next() < (options.tradeChance ?? 0.02)) account.trade(cellPrice(candles.open[bar] ?? 0), atMs);
    curve.timeMs[bar] = atMs + barMs;
    curve.equity[bar] = Number(account.equityAt(cellPrice(candles.close[bar] ?? 0))) / 1e10;
    curve.isExposed[bar] = account.holds ? 1 : 0;
  }
  const lastPrice = cellPrice(candles.close[bars - 1] ?? 0);
  return {
    locks: { records: [], more: 0 },
    members: { records: [], more: 0 },
    requests: options.requests ?? null,
    fidelity: describeBarRules(DEFAULT_CANDLE_RULES),
    quote: 'usdt',
    fromMs,
    toMs: fromMs + bars * barMs,
    barMs,
    initialEquity: parseUnits(cash),
    finalEquity: account.equityAt(lastPrice),
    curve: { length: bars, ...curve } satisfies EquityCurve,
    markets: [{ market: MARKET, firstPrice: cellPrice(candles.open[0] ?? 0), lastPrice, candles }],
    strategies: [
      { name: strategy, market: 'BTCUSDT', params: { fast: 10, slow: 30 }, failure: null, log: [] },
    ],
    plots: [],
    intents: [{ strategy, count: account.orders.length, refusals: [] }],
    orders: account.orders,
    fills: account.fills,
    warnings: (options.warnings ?? []).map((text) => runWarning('warning.words', { text })),
    config: {
      strategies: [{ file: 'strategies/ma-cross.ts', market: 'BTCUSDT', params: { fast: 10, slow: 30 } }],
    },
    timing: { loadMs: 12.5, fromCache: false, runMs: 340.25, events: bars },
  };
}

const cellPrice = (cell: number): Units => (BigInt(cell) * 100_000_000n) as Units;

function randomWalk(options: {
  readonly bars: number;
  readonly timeframe: Timeframe;
  readonly fromMs: number;
  readonly random: RandomSource;
}): CandleColumns {
  const { bars, timeframe, fromMs, random } = options;
  const column = (): Float64Array => new Float64Array(bars);
  const candles = {
    market: MARKET.symbol,
    timeframe,
    length: bars,
    openTimeMs: column(),
    priceDecimals: 2,
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volumeDecimals: 3,
    volume: column(),
  };
  // The price moves by about one percent an hour, whatever the timeframe is.
  const spread = 0.01 * Math.sqrt(timeframeMs(timeframe) / 3_600_000);
  let price = 2_000_000;
  for (let bar = 0; bar < bars; bar += 1) {
    const step = (): number => Math.round((random.next() - 0.499) * price * spread);
    const open = price;
    const close = Math.max(1_000, open + step());
    candles.openTimeMs[bar] = fromMs + bar * timeframeMs(timeframe);
    candles.open[bar] = open;
    candles.close[bar] = close;
    candles.high[bar] = Math.max(open, close) + Math.abs(step());
    candles.low[bar] = Math.max(500, Math.min(open, close) - Math.abs(step()));
    candles.volume[bar] = Math.floor(random.next() * 1e6);
    price = close;
  }
  return candles;
}

/**
 * An account with cash and coins, and its orders and fills. A buy spends half of the cash; a sale sells half
 * or all of the coins, in whole steps.
 */
class DemoAccount {
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  readonly #feeRate: bigint;
  readonly #strategy: string;
  #cash: bigint;
  #coins = 0n;

  constructor(options: { readonly cash: Units; readonly feeRate: bigint; readonly strategy: string }) {
    this.#cash = options.cash;
    this.#feeRate = options.feeRate;
    this.#strategy = options.strategy;
  }

  get holds(): boolean {
    return this.#coins >= MARKET.amountStep;
  }

  equityAt(price: Units): Units {
    return (this.#cash + valueAt(price, this.#coins)) as Units;
  }

  trade(price: Units, atMs: number): void {
    const isSecond = this.orders.length % 5 === 3;
    if (this.holds && !isSecond) this.#sell(price, atMs);
    else this.#buy(price, atMs);
  }

  #buy(price: Units, atMs: number): void {
    const amount = wholeSteps((this.#cash * 10_000_000_000n) / 2n / price);
    if (amount === 0n) return;
    const total = valueAt(price, amount);
    const fee = (amount * this.#feeRate) / 1_000_000n;
    this.#cash -= total;
    this.#coins += amount - fee;
    this.#record({ side: 'buy', price, amount, total, fee, atMs });
  }

  #sell(price: Units, atMs: number): void {
    const isHalf = this.orders.length % 3 === 2;
    const amount = wholeSteps(isHalf ? this.#coins / 2n : this.#coins);
    if (amount === 0n) return;
    const total = valueAt(price, amount);
    const fee = (total * this.#feeRate) / 1_000_000n;
    this.#cash += total - fee;
    this.#coins -= amount;
    this.#record({ side: 'sell', price, amount, total, fee, atMs });
  }

  #record(of: {
    readonly side: 'buy' | 'sell';
    readonly price: Units;
    readonly amount: bigint;
    readonly total: Units;
    readonly fee: bigint;
    readonly atMs: number;
  }): void {
    const id = this.orders.length + 1;
    const key = `demo-${id}`;
    const amount = of.amount as Units;
    const fee = of.fee as Units;
    this.fills.push({
      ...EMPTY_FILL,
      tradeId: tradeIdOf(id),
      cursor: id,
      venueOrderId: orderIdOf(id),
      orderKey: key,
      strategy: this.#strategy,
      market: 'BTCUSDT',
      side: of.side,
      atMs: of.atMs,
      price: of.price,
      amount,
      total: of.total,
      fee,
    });
    this.orders.push({
      ...demoOrder({ key, strategy: this.#strategy, side: of.side, amount, atMs: of.atMs }),
      venueId: orderIdOf(id),
      matched: amount,
      filled: amount,
      filledTotal: of.total,
      fee,
    });
  }
}

function demoOrder(of: {
  readonly key: string;
  readonly strategy: string;
  readonly side: 'buy' | 'sell';
  readonly amount: Units;
  readonly atMs: number;
}): OrderRecord {
  const { key, strategy, side, amount, atMs } = of;
  return plannedOrder({
    key,
    intentId: `${key}-intent`,
    strategy,
    side,
    execution: 'market',
    price: null,
    amount,
    plannedAtMs: atMs,
    sentAtMs: atMs,
    attempts: 1,
    state: 'filled',
    venueStatus: 'Done',
    matched: amount,
    filled: amount,
    filledTotal: amount,
    fee: amount,
    closedAtMs: atMs,
  });
}

const wholeSteps = (amount: bigint): bigint => amount - (amount % MARKET.amountStep);
