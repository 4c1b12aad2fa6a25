import type { Side } from '../../domain/order.ts';
import type { BookOrder, PriceLevel } from '../../simulator/matching-book.ts';
import type { QueuePlace } from '../fill-rules.ts';
import type { Candle, Timeframe } from '../../domain/candle.ts';
import type { TimeRange } from '../../recording/records.ts';
import { BoundedList } from '../../simulator/accounts.ts';
import type { SimulatedBar } from '../../simulator/candle-series.ts';
import type { MarketState } from '../../simulator/market-state.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { Market } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';
import { RowGrid } from '../../simulator/replay-flow.ts';

/** Amount of others, in steps, ahead of each own order. Infinite if no book showed its price. */
export class QueuePlaces {
  private readonly rule: QueuePlace;
  private readonly ahead = new WeakMap<BookOrder, number>();
  /** True for a side until a book has shown that no one is ahead of any own order. */
  private readonly waiting = { buy: true, sell: true };

  constructor(rule: QueuePlace) {
    this.rule = rule;
  }

  /** Gives every order of a level a place, if it has none. `shown`: amount of others; null if unknown. */
  enlist(level: PriceLevel, shown: number | null): void {
    for (let order = level.head; order !== null; order = order.next) {
      if (this.ahead.has(order)) continue;
      this.ahead.set(order, this.placeBehind(shown ?? Number.POSITIVE_INFINITY));
      this.waiting[order.side] = true;
    }
  }

  /** Returns true if others may be ahead of own orders on a side, which then must be checked. */
  mayWait(side: Side): boolean {
    return this.waiting[side];
  }

  /** Records that a fill may have triggered other own orders, whose places are unknown. */
  onFill(): void {
    this.waiting.buy = true;
    this.waiting.sell = true;
  }

  /** Records that no one is ahead of our orders on a side. */
  clear(side: Side): void {
    this.waiting[side] = false;
  }

  /** True if others are ahead of any order of a level. */
  hasAhead(level: PriceLevel): boolean {
    for (let order = level.head; order !== null; order = order.next) if (this.aheadOf(order) > 0) return true;
    return false;
  }

  /** Applies the amount of others that a new book shows at a level: no more than that can be ahead of us. */
  onBook(level: PriceLevel, shown: number | null): void {
    if (shown === null) return;
    for (let order = level.head; order !== null; order = order.next)
      this.ahead.set(order, Math.min(this.aheadOf(order), shown));
  }

  /**
   * Applies a trade of others at the price of a level: the amount ahead of us is served first. Returns the
   * amount left for us, which the level's orders get in their own order.
   */
  onTrade(level: PriceLevel, amount: number): number {
    let ours = 0;
    for (let order = level.head; order !== null; order = order.next) {
      const left = amount - this.aheadOf(order) - ours;
      ours += Math.max(0, Math.min(order.remaining, left));
    }
    for (let order = level.head; order !== null; order = order.next)
      this.ahead.set(order, Math.max(0, this.aheadOf(order) - (amount - ours)));
    return ours;
  }

  aheadOf(order: BookOrder): number {
    return this.ahead.get(order) ?? Number.POSITIVE_INFINITY;
  }

  private placeBehind(shown: number): number {
    const { rule } = this;
    if (rule.kind === 'back') return shown;
    if (rule.kind === 'front' || rule.millionths === 0) return 0;
    return Math.ceil(shown * (rule.millionths / 1_000_000));
  }
}

/** Most bars stored for each timeframe: as many as the simulator keeps of those it makes. */
const BARS_RETAINED = 10_080;

/** The recorded bars of one market that have closed so far, unchanged. */
export class FollowedBars {
  private readonly state: MarketState;
  private readonly steps: StepReader;
  private readonly known = new Map<Timeframe, BoundedList<Candle>>();
  private readonly covered = new Map<Timeframe, readonly TimeRange[]>();

  constructor(state: MarketState, steps: StepReader) {
    this.state = state;
    this.steps = steps;
  }

  /** Sets the time ranges in which all bars of a timeframe were recorded. */
  cover(timeframe: Timeframe, ranges: readonly TimeRange[]): void {
    this.covered.set(timeframe, ranges);
  }

  /** Adds a closed bar. Call it in the order of time. */
  add(timeframe: Timeframe, candle: Candle): void {
    const bars = this.known.get(timeframe) ?? new BoundedList<Candle>(BARS_RETAINED);
    this.known.set(timeframe, bars);
    bars.push(candle);
  }

  /** Builds coarser bars, and the last price, from a past bar, before any other change of the market. */
  seed(timeframe: Timeframe, candle: Candle): void {
    const { state, steps } = this;
    const close = steps.price(candle.close);
    const volume = steps.amount(candle.volume);
    const bar: SimulatedBar = {
      openTimeMs: candle.openTimeMs,
      open: steps.price(candle.open),
      high: steps.price(candle.high),
      low: steps.price(candle.low),
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    };
    state.candles.seed(timeframe, [bar]);
    state.lastPrice = close;
  }

  /**
   * Returns the last bars of a timeframe that begin before a time, oldest first: recorded ones, and `made`
   * ones if none was recorded. A made bar that has closed is left out where all bars were recorded.
   */
  over(
    made: readonly Candle[],
    of: {
      readonly timeframe: Timeframe;
      readonly toMs: number;
      readonly count: number;
      readonly nowMs: number;
    },
  ): readonly Candle[] {
    const { timeframe, toMs, count, nowMs } = of;
    const all = this.known.get(timeframe)?.values() ?? [];
    const ranges = this.covered.get(timeframe) ?? [];
    if (all.length === 0 && ranges.length === 0) return made;
    let end = all.length;
    while (end > 0 && (all[end - 1]?.openTimeMs ?? 0) >= toMs) end -= 1;
    const recorded = all.slice(Math.max(0, end - count), end);
    const times = new Set(recorded.map(({ openTimeMs }) => openTimeMs));
    const grid = this.state.candles.grid(timeframe);
    const isMissing = ({ openTimeMs }: Candle): boolean =>
      !times.has(openTimeMs) &&
      (grid.endOf(openTimeMs) > nowMs ||
        !ranges.some((range) => openTimeMs >= range.fromMs && openTimeMs < range.toMs));
    return [...made.filter(isMissing), ...recorded]
      .toSorted((left, right) => left.openTimeMs - right.openTimeMs)
      .slice(-count);
  }
}

/** A step as `digits` times 10^-decimals. */
interface Step {
  readonly digits: number;
  readonly decimals: number;
}

const POINT = 46;
const ZERO = 48;
const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power);

/** Length of a text up to which a float holds its number exactly. */
const LONGEST_EXACT = 16;

/** Converts recorded prices and amounts to steps of a market, without bigints for numbers on the grid. */
export class StepReader {
  private readonly market: Market;
  private readonly grid = new RowGrid();
  private readonly priceStep: Step;
  private readonly amountStep: Step;

  constructor(market: Market) {
    this.market = market;
    this.priceStep = stepOf(formatUnits(market.priceStep));
    this.amountStep = stepOf(formatUnits(market.amountStep));
  }

  /** Rounds a price to the nearest step, at least one. Throws `TOO_LARGE`. */
  price(text: DecimalText): number {
    const steps = exactSteps(text, this.priceStep);
    return steps > 0 ? steps : this.grid.price(this.market, text);
  }

  /** Rounds an amount down to steps. Throws `TOO_LARGE`. */
  amount(text: DecimalText): number {
    const steps = exactSteps(text, this.amountStep);
    return steps >= 0 ? steps : this.grid.amount(this.market, text);
  }
}

function stepOf(text: DecimalText): Step {
  const point = text.indexOf('.');
  return { digits: Number(text.replace('.', '')), decimals: point === -1 ? 0 : text.length - point - 1 };
}

/** Returns the number of steps in a text; -1 if it is not whole, or too large without a bigint. */
function exactSteps(text: string, step: Step): number {
  const { length } = text;
  if (length > LONGEST_EXACT) return -1;
  let value = 0;
  let point = length - 1;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === POINT) point = index;
    else value = value * 10 + code - ZERO;
  }
  const power = POWERS[step.decimals - (length - 1 - point)];
  if (power === undefined) return -1;
  const scaled = value * power;
  return Number.isSafeInteger(scaled) && scaled % step.digits === 0 ? scaled / step.digits : -1;
}
