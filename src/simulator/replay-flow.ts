import { type Market, floorAmount, roundPrice } from '../domain/market.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { Side } from '../domain/order.ts';
import type { SimulatedExchange } from './exchange.ts';
import type { MarketState } from './market-state.ts';
import {
  candlePath,
  type PathPoint,
  type StepBar,
  ReplayBook,
  type StepLevel,
  ReplayShape,
} from './flow/replay-book.ts';
import { Chance, FlowTrader } from './flow-trader.ts';
import { orientBook, type BookLevel } from '../domain/order-book.ts';
import { invalidOptions } from '../domain/errors.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe, type BarValues } from '../domain/candle.ts';
import { type DecimalText, decimalText, fractionDigits } from '../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf, type Units } from '../domain/money.ts';

/** First id of the replay's two users, far from the ids of configured users. */
const REPLAY_USER_IDS = 9_100_000;

interface ReplayFlowOptions {
  readonly exchange: SimulatedExchange;
  /** Market of the rows. */
  readonly market: MarketSymbol;
  /** Rows in the order of time. At most one row is read ahead. */
  readonly rows: Iterator<ReplayRow>;
  /** Seed of the sizes in the made-up ladder. */
  readonly seed: number;
  readonly firstUserId?: number;
}

/**
 * Drives one market's book from recorded rows, at their times.
 *
 * Rules: a candle becomes the trades of `candlePath`; a trade is taken from the book at its price, by its
 * side; a book replaces the levels shown. Until a book was recorded, a ladder of 24 levels on each side is
 * kept around the price, as wide and deep as the past rows suggest. Orders of others at better prices than a
 * trade are filled before it, at their own prices; those at its price are filled by its amount if they were
 * there before the ladder's. The flow's own two users are exempt from the price band and the minimum value,
 * and their money never runs out. Rows while the market is closed are skipped.
 *
 * Unlike a real market: the recorded market does not react to others; a user's large order has no effect
 * after the next row; within a candle the price takes the shortest path; between two rows the book stands
 * still.
 */
export class ReplayFlow {
  /** Number of rows begun, including the running one. */
  rowsRead = 0;
  private readonly exchange: SimulatedExchange;
  private readonly market: MarketState;
  private readonly rows: Iterator<ReplayRow>;
  private readonly grid = new RowGrid();
  private readonly shape = new ReplayShape();
  private readonly book: ReplayBook;
  private row: ReplayRow | null = null;
  /** The running candle in steps of `rules`, and its path. */
  private bar: StepBar | null = null;
  private path: readonly PathPoint[] = [];
  private pathIndex = 0;
  private rules: Market;
  private dueMs = 0;
  private lastPrice: number;
  private lastSide: Side = 'buy';

  /** Throws `INVALID_OPTIONS` if the exchange lacks the market. */
  constructor(options: ReplayFlowOptions) {
    const { exchange } = options;
    this.exchange = exchange;
    this.market = replayedMarket(exchange, options.market);
    this.rows = options.rows;
    this.rules = this.market.rules;
    this.lastPrice = this.market.lastPrice / this.market.priceFactor;
    const firstUserId = options.firstUserId ?? REPLAY_USER_IDS;
    const trader = (userId: number): FlowTrader =>
      new FlowTrader({ exchange, userId, timeMs: 0, isUnrestricted: true });
    this.book = new ReplayBook({
      market: this.market,
      maker: trader(firstUserId),
      taker: trader(firstUserId + 1),
      chance: new Chance(options.seed),
      shape: this.shape,
    });
    this.readRow();
  }

  /** True if every row has been replayed. */
  get isDone(): boolean {
    return this.row === null;
  }

  /** Number of recorded prices that were rounded to the market's grid. */
  get offGridPrices(): number {
    return this.grid.offGridPrices;
  }

  /** Does everything that is due by `timeMs`, before others act at that time; time never goes back. */
  advance(timeMs: number): void {
    while (this.dueMs <= timeMs && this.row !== null) this.step();
  }

  private step(): void {
    const { row, dueMs } = this;
    if (row === null) return;
    this.exchange.trading.advance(dueMs);
    this.applyRules();
    if (row.kind === 'candle') this.stepCandle(row);
    else {
      if (row.kind === 'trade') {
        const { rules } = this.market;
        const amount = this.grid.amount(rules, row.amount);
        this.shape.onTrade(amount);
        this.trade({ timeMs: dueMs, price: this.grid.price(rules, row.price), amount }, row.side);
      } else if (!this.market.isClosed)
        this.book.show(levelsOnGrid(row, this.market.rules, this.grid), dueMs);
      this.readRow();
    }
  }

  /** Trades one point of the candle's path; the path is made when the candle begins. */
  private stepCandle(row: CandleRow): void {
    if (this.bar === null) this.begin(row);
    const point = this.path[this.pathIndex];
    if (point !== undefined) {
      const isSame = point.price === this.lastPrice;
      const isBuy = isSame ? this.lastSide === 'sell' : point.price > this.lastPrice;
      const side = isBuy ? 'buy' : 'sell';
      this.trade(point, side);
    }
    this.pathIndex += 1;
    const next = this.path[this.pathIndex];
    if (next !== undefined) {
      this.dueMs = Math.max(this.dueMs, next.timeMs);
      return;
    }
    // Only now is the whole bar the past.
    if (this.bar !== null) this.shape.onBar(this.bar);
    this.readRow();
  }

  private trade(point: PathPoint, side: Side): void {
    this.lastPrice = point.price;
    this.lastSide = side;
    if (!this.market.isClosed)
      this.book.trade({ price: point.price, amount: point.amount, side }, this.dueMs);
  }

  private begin(row: CandleRow): void {
    const { rules } = this.market;
    this.bar = {
      openTimeMs: row.openTimeMs,
      lengthMs: row.lengthMs,
      open: this.grid.price(rules, row.open),
      high: this.grid.price(rules, row.high),
      low: this.grid.price(rules, row.low),
      close: this.grid.price(rules, row.close),
      volume: this.grid.amount(rules, row.volume),
    };
    this.path = candlePath(this.bar);
  }

  private readRow(): void {
    const next = this.rows.next();
    this.bar = null;
    this.path = [];
    this.pathIndex = 0;
    if (next.done === true) {
      this.row = null;
      this.dueMs = Number.POSITIVE_INFINITY;
      return;
    }
    this.row = next.value;
    this.rowsRead += 1;
    this.dueMs = Math.max(this.dueMs, rowTimeMs(next.value));
  }

  /** Converts figures in the old public steps to the new ones if the steps have changed. */
  private applyRules(): void {
    const { rules } = this.market;
    if (rules === this.rules) return;
    const inNew = Number(this.rules.priceStep) / Number(rules.priceStep);
    this.rules = rules;
    this.shape.forget();
    this.lastPrice *= inNew;
    const { row } = this;
    if (row?.kind === 'candle' && this.bar !== null) this.begin(row);
  }
}

/** Levels of a recorded book that are repeated; those further back are left out. */
const LEVELS_REPEATED = 200;

/** Returns a recorded book on the market's grid: levels of one step are summed, bids before asks. */
function levelsOnGrid(
  row: BookRow,
  rules: Market,
  grid: RowGrid,
): { readonly bids: readonly StepLevel[]; readonly asks: readonly StepLevel[] } {
  const book = orientBook({ named: row, updatedAtMs: row.timeMs, buysAre: 'bids' });
  const bids = onGrid(book.bids, rules, grid);
  const best = bids[0]?.price ?? 0;
  return { bids, asks: onGrid(book.asks, rules, grid).filter(({ price }) => price > best) };
}

function onGrid(levels: readonly BookLevel[], rules: Market, grid: RowGrid): StepLevel[] {
  const amounts = new Map<number, number>();
  for (const [priceText, amountText] of levels.slice(0, LEVELS_REPEATED)) {
    const price = grid.price(rules, priceText);
    const amount = grid.amount(rules, amountText);
    if (amount > 0) amounts.set(price, (amounts.get(price) ?? 0) + amount);
  }
  return [...amounts].map(([price, amount]) => ({ price, amount }));
}

/**
 * Turns rows into the past of a market: its candles, and its first price. Books are ignored. It must run
 * before any trade. Bars shorter than a minute are merged into minutes; a length without a timeframe goes
 * into the next shorter one.
 * @returns number of prices that were off the market's grid.
 * @throws SarrafError `INVALID_OPTIONS` if the exchange lacks the market.
 */
export function seedReplay(options: {
  readonly exchange: SimulatedExchange;
  readonly market: MarketSymbol;
  readonly rows: Iterable<ReplayRow>;
}): { readonly offGridPrices: number } {
  const market = replayedMarket(options.exchange, options.market);
  const grid = new RowGrid();
  for (const row of options.rows) {
    if (row.kind === 'candle') seedCandle(market, row, grid);
    else if (row.kind === 'trade') {
      const price = grid.price(market.grid, row.price);
      const amount = grid.amount(market.grid, row.amount);
      market.candles.onTrade({ timeMs: row.timeMs, price, amount, steps: BigInt(price) * BigInt(amount) });
      market.lastPrice = price;
    }
  }
  return { offGridPrices: grid.offGridPrices };
}

/** Returns a market of the exchange. Throws `INVALID_OPTIONS` if the exchange lacks it. */
export function replayedMarket(exchange: SimulatedExchange, symbol: MarketSymbol): MarketState {
  const market = exchange.markets.get(symbol);
  if (market === undefined) {
    const known = [...exchange.markets.keys()].join(', ');
    throw invalidOptions(`expected a market of the exchange (${known}) to replay on, was ${symbol}`);
  }
  return market;
}

function seedCandle(market: MarketState, row: CandleRow, grid: RowGrid): void {
  const on = market.grid;
  const close = grid.price(on, row.close);
  const volume = grid.amount(on, row.volume);
  market.candles.seed(row.timeframe ?? timeframeFor(row.lengthMs), [
    {
      openTimeMs: row.openTimeMs,
      open: grid.price(on, row.open),
      high: grid.price(on, row.high),
      low: grid.price(on, row.low),
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    },
  ]);
  market.lastPrice = close;
}

const timeframeFor = (lengthMs: number): Timeframe =>
  TIMEFRAMES.findLast((timeframe) => timeframeMs(timeframe) <= lengthMs) ?? '1m';

/** A recorded bar: low <= open, close <= high; the volume is in the base currency. */
interface CandleRow extends BarValues<DecimalText> {
  readonly kind: 'candle';
  readonly openTimeMs: number;
  /** Timeframe of this length, if the exchange has one; other lengths go into the next shorter one. */
  readonly timeframe?: Timeframe;
  readonly lengthMs: number;
}

/** A recorded trade; `side` is that of the taker. */
interface TradeRow extends PublicTrade {
  readonly kind: 'trade';
}

/** A complete recorded book: levels that it does not list are gone. */
interface BookRow {
  readonly kind: 'book';
  readonly timeMs: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

export type ReplayRow = CandleRow | TradeRow | BookRow;

export const rowTimeMs = (row: ReplayRow): number => (row.kind === 'candle' ? row.openTimeMs : row.timeMs);

/** Rounds recorded numbers to a market's grid, and counts the prices that were off it. */
export class RowGrid {
  offGridPrices = 0;

  /** Returns a price in public steps, rounded to the nearest, at least one. Throws `TOO_LARGE`. */
  price(rules: Market, text: DecimalText): number {
    const units = tenDecimals(text);
    const steps = roundPrice(rules, units);
    if (BigInt(steps) * rules.priceStep !== units || fractionDigits(text) > UNIT_DECIMALS)
      this.offGridPrices += 1;
    return Math.max(1, steps);
  }

  /** Returns an amount in public steps, rounded down. Throws as `price` does. */
  amount(rules: Market, text: DecimalText): number {
    return floorAmount(rules, tenDecimals(text));
  }
}

/** Cuts a number to ten decimals: recorded volumes are often floats, with digits of nobody's money. */
function tenDecimals(text: DecimalText): Units {
  const excess = fractionDigits(text) - UNIT_DECIMALS;
  return unitsOf(excess > 0 ? decimalText(text.slice(0, -excess)) : text);
}
