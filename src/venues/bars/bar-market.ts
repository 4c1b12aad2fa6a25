import type { BarGrid } from '../../domain/candle.ts';
import { cellUnits, columnScale, type CandleColumns, gridOfColumns } from '../../domain/candle-columns.ts';
import { roundPrice, type Market } from '../../domain/market.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import { marketOfCurrencies } from '../../exchange/market-names.ts';
import { type Units, divideDown } from '../../domain/money.ts';
import { MarketState, type SimulatedOrder, type WalletPair } from '../../simulator/market-state.ts';
import type { BarRules } from '../fill-rules.ts';

const MILLION = 1_000_000n;

/** A price in units that a bar comes to between its open and its close, and the moment of its path. */
export interface ReachedPrice {
  readonly at: bigint;
  readonly moment: number;
}

/**
 * One market: the bar it is at, and the orders that wait there. What decides whether a bar concerns any of
 * them is kept as three numbers, so that the others cost two comparisons, however many orders wait. There are
 * as many orders as the account's money covers.
 */
export class BarMarket {
  /** Rules and last price, which the exchange's own checks of an order read. */
  readonly state: MarketState;
  /** Its spellings alone, for records. */
  readonly name: MarketName;
  readonly wallets: WalletPair;
  readonly working: WorkingOrder[] = [];
  /** The bar that is in progress, or that has closed last where none is. */
  columns: CandleColumns | null = null;
  index = -1;
  isInProgress = false;
  /** Place of the price on its path through the bar at the last event; null before. */
  passing: ReachedPrice | null = null;
  /** True if the whole path is done. */
  hasTraded = false;
  /** The bar before it, of the same columns; -1 where it is the first of them. */
  private previousIndex = -1;
  /** Start of the last bar of other columns. */
  private otherOpenMs = Number.NEGATIVE_INFINITY;
  private readonly rules: BarRules;
  /** Grid of the starts and ends of bars of these columns; null before the first. */
  private bars: BarGrid | null = null;
  private scale = 0n;
  /** Price steps of one cell; NaN where a cell is no whole number of them. */
  private stepsPerCell = Number.NaN;
  /** One cell of a price in the quote currency. */
  private cellValue = 1;
  /** Amount steps of the bar's volume that may still be taken; null until it is asked for. */
  private volumeLeft: number | null = null;
  /** The bar that has closed last: what is known of the market while another is in progress. */
  private closed: CandleColumns | null = null;
  private closedIndex = -1;
  private closedCellValue = 1;
  private closedBars: BarGrid | null = null;
  /** Start of the bar for which the waiting orders were made ready. */
  private readyMs = Number.NaN;
  /**
   * A bar concerns nobody while its low is above the first and its high below the second. With an order that
   * waits for an open every bar does.
   */
  private highestBelow = Number.NEGATIVE_INFINITY;
  private lowestAbove = Number.POSITIVE_INFINITY;

  constructor(market: Market, wallets: WalletPair, rules: BarRules) {
    const house = { fees: 0n, outside: 0n, rounding: 0n };
    this.state = new MarketState({
      market,
      lastPrice: 1,
      baseName: market.base,
      quoteName: market.quote,
      baseHouse: house,
      quoteHouse: house,
    });
    this.name = marketOfCurrencies(market.base, market.quote);
    this.wallets = wallets;
    this.rules = rules;
  }

  get grid(): Market {
    return this.state.grid;
  }

  /** Lets a bar begin; answers whether its open may concern an order. */
  open(columns: CandleColumns, index: number): boolean {
    if (columns !== this.columns) this.apply(columns);
    this.previousIndex = this.index;
    this.index = index;
    this.volumeLeft = null;
    this.isInProgress = true;
    this.hasTraded = false;
    if (this.working.length === 0) return false;
    const open = columns.open[index] ?? 0;
    return open <= this.highestBelow || open >= this.lowestAbove;
  }

  /**
   * True if the bar between its open and its close may concern an order. With `open` this is all that most
   * bars cost.
   */
  get mayConcern(): boolean {
    const { columns, index } = this;
    if (columns === null || this.working.length === 0) return false;
    return (columns.low[index] ?? 0) <= this.highestBelow || (columns.high[index] ?? 0) >= this.lowestAbove;
  }

  /** Lets the bar end that is in progress. */
  close(): void {
    const { columns, index } = this;
    if (columns === null || !this.isInProgress) {
      throw new SarrafError('INVARIANT', `expected a bar of ${this.name.symbol} in progress, was none`);
    }
    this.isInProgress = false;
    this.passing = null;
    this.closedIndex = index;
    if (columns === this.closed) return;
    this.closed = columns;
    this.closedCellValue = this.cellValue;
    this.closedBars = this.bars;
  }

  /** Has the orders that wait begin the bar, once. One that came after its open has no part in it. */
  makeReady(): void {
    if (this.readyMs === this.openMs) return;
    this.readyMs = this.openMs;
    for (const working of this.working) {
      working.since = 0;
      working.isServed = working.order.createdAtMs > this.openMs;
    }
  }

  /** A price of the bar in units. */
  unitsOf(cell: number): Units {
    return cellUnits(cell, this.scale);
  }

  /** Start of the bar in progress, or of the last one; minus infinity before the first. */
  get openMs(): number {
    const { columns, index } = this;
    return columns === null ? Number.NEGATIVE_INFINITY : (columns.openTimeMs[index] ?? Number.NaN);
  }

  /** The same of the bar before it. */
  get previousOpenMs(): number {
    const { columns, previousIndex } = this;
    if (columns === null || previousIndex === -1) return this.otherOpenMs;
    return columns.openTimeMs[previousIndex] ?? Number.NaN;
  }

  get hasClosed(): boolean {
    return this.closed !== null;
  }

  /** The last close in units. Only after the first bar. */
  get closeUnits(): Units {
    const { closed, closedIndex } = this;
    return cellUnits(closed?.close[closedIndex] ?? Number.NaN, columnScale(closed?.priceDecimals ?? 0));
  }

  /** The same as a number, for curves; 0 before the first bar. */
  get closeNumber(): number {
    return (this.closed?.close[this.closedIndex] ?? 0) * this.closedCellValue;
  }

  /** End of the last closed bar; minus infinity before the first. */
  get closedMs(): number {
    const { closed, closedIndex, closedBars } = this;
    if (closed === null || closedBars === null) return Number.NEGATIVE_INFINITY;
    return closedBars.endOf(closed.openTimeMs[closedIndex] ?? Number.NaN);
  }

  /** The last moment that is inside the bar. */
  get lastMs(): number {
    return (this.bars?.endOf(this.openMs) ?? Number.NaN) - 1;
  }

  /**
   * Shows the checks of the exchange its last price: that of the last fill inside the bar in progress, else
   * its open, or the last close. False before the first bar.
   */
  showPrice(): boolean {
    const { columns, index, isInProgress, closed, passing } = this;
    if (columns === null || (!isInProgress && closed === null)) return false;
    if (passing !== null) this.state.lastPrice = Math.max(1, roundPrice(this.grid, passing.at));
    else if (isInProgress)
      this.state.lastPrice = Math.max(1, this.stepsOf(columns.open[index] ?? Number.NaN));
    else if (closed === columns)
      this.state.lastPrice = Math.max(1, this.stepsOf(columns.close[this.closedIndex] ?? Number.NaN));
    else this.state.lastPrice = Math.max(1, roundPrice(this.grid, this.closeUnits));
    return true;
  }

  /** A price of the bar in price steps, half-even. */
  private stepsOf(cell: number): number {
    const steps = cell * this.stepsPerCell;
    return steps <= Number.MAX_SAFE_INTEGER ? steps : roundPrice(this.grid, this.unitsOf(cell));
  }

  /** Volume of the bar that is left for the account, in amount steps. */
  get volume(): number {
    this.volumeLeft ??= this.share();
    return this.volumeLeft;
  }

  consumeVolume(steps: number): void {
    this.volumeLeft = this.volume - steps;
  }

  /** Takes in an open order, which must be younger than all that are in. Only after the first bar. */
  add(order: SimulatedOrder): WorkingOrder {
    const working = createWorkingOrder(order);
    working.isServed = this.isInProgress && order.createdAtMs > this.openMs;
    setReach(working, this.scale, this.rules);
    this.working.push(working);
    this.watch(working);
    return working;
  }

  remove(order: SimulatedOrder): void {
    const place = this.working.findIndex((working) => working.order === order);
    if (place === -1) return;
    this.working.splice(place, 1);
    this.watchAll();
  }

  /** Called when what an order waits for has changed. */
  changed(working: WorkingOrder): void {
    setReach(working, this.scale, this.rules);
    this.watchAll();
  }

  private apply(columns: CandleColumns): void {
    const scale = columnScale(columns.priceDecimals);
    this.otherOpenMs = this.openMs;
    this.columns = columns;
    this.index = -1;
    this.bars = gridOfColumns(columns);
    if (scale === this.scale) return;
    this.scale = scale;
    const { priceStep } = this.grid;
    this.stepsPerCell = scale % priceStep === 0n ? Number(scale / priceStep) : Number.NaN;
    this.cellValue = 10 ** -columns.priceDecimals;
    for (const working of this.working) setReach(working, scale, this.rules);
    this.watchAll();
  }

  private watchAll(): void {
    this.highestBelow = Number.NEGATIVE_INFINITY;
    this.lowestAbove = Number.POSITIVE_INFINITY;
    for (const working of this.working) this.watch(working);
  }

  private watch({ waiting, isBelow, reach }: WorkingOrder): void {
    if (waiting === 'open') this.highestBelow = Number.POSITIVE_INFINITY;
    else if (isBelow) this.highestBelow = Math.max(this.highestBelow, reach);
    else this.lowestAbove = Math.min(this.lowestAbove, reach);
  }

  private share(): number {
    const { volumeShareMillionths } = this.rules;
    const { columns } = this;
    if (volumeShareMillionths === null || columns === null) return Number.MAX_SAFE_INTEGER;
    const volume = cellUnits(columns.volume[this.index] ?? 0, columnScale(columns.volumeDecimals));
    const steps = divideDown(volume * BigInt(volumeShareMillionths), MILLION * this.grid.amountStep);
    return Math.min(Number(steps), Number.MAX_SAFE_INTEGER);
  }
}

/** Price that an open order waits for: an open to fill at, its limit price, or its stop price. */
type WaitsFor = 'open' | 'limit' | 'stop';

/** An open order, and the cell of its market's columns that decides whether a bar concerns it. */
export interface WorkingOrder {
  readonly order: SimulatedOrder;
  waiting: WaitsFor;
  /** True if prices at `reach` or below reach it; false if those at `reach` or above do. */
  isBelow: boolean;
  /** A whole cell. Without meaning while it waits for an open. */
  reach: number;
  /** From which moment of the bar on it waits; 0 for its open. */
  since: number;
  /** True if it had its share of the bar, or came too late for it. */
  isServed: boolean;
  /**
   * Start of the bar in which it last took, or would have with more volume: at the open after that one it
   * goes on taking. NaN before.
   */
  enteredMs: number;
}

function createWorkingOrder(order: SimulatedOrder): WorkingOrder {
  const waiting = order.status === 'Inactive' ? 'stop' : order.isMarket ? 'open' : 'limit';
  return { order, waiting, isBelow: false, reach: 0, since: 0, isServed: false, enteredMs: Number.NaN };
}

/**
 * Sets the cell that a bar must come to: at a stop price or beyond it, and beyond a limit price, or at it by
 * the rules. Whole cells, so that a bar is held against it exactly whatever the decimals of its column.
 */
function setReach(working: WorkingOrder, scale: bigint, { limitFill }: Pick<BarRules, 'limitFill'>): void {
  const { order, waiting } = working;
  const { grid, side } = order;
  const isStop = waiting === 'stop';
  working.isBelow = (side === 'buy') !== isStop;
  const units = BigInt(isStop ? order.stopPrice : order.price) * grid.priceStep;
  const below = units / scale;
  const isOnCell = below * scale === units;
  if (isStop || limitFill === 'touch') {
    working.reach = Number(working.isBelow || isOnCell ? below : below + 1n);
  } else if (working.isBelow) working.reach = Number(isOnCell ? below - 1n : below);
  else working.reach = Number(below + 1n);
}

/** True if a price, as a cell, is one that the order waits for. */
export function isReached({ isBelow, reach }: WorkingOrder, cell: number): boolean {
  return isBelow ? cell <= reach : cell >= reach;
}
