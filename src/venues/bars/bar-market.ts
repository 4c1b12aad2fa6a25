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

/** A price, in units, that a bar reaches between its open and its close, and its moment on the path. */
export interface ReachedPrice {
  readonly at: bigint;
  readonly moment: number;
}

/**
 * One market: its current bar, and the orders that wait in it. Three numbers decide whether a bar concerns
 * any order, so that most bars cost two comparisons, however many orders wait. The account's money bounds the
 * number of orders.
 */
export class BarMarket {
  /** Rules and last price, for the exchange's own checks of an order. */
  readonly state: MarketState;
  /** Names of the market without its steps, for records. */
  readonly name: MarketName;
  readonly wallets: WalletPair;
  readonly working: WorkingOrder[] = [];
  /** The bar in progress, or the last closed one. */
  columns: CandleColumns | null = null;
  index = -1;
  isInProgress = false;
  /** The price reached on the path through the bar at the last event; null before the first. */
  passing: ReachedPrice | null = null;
  /** True if the whole path has been processed. */
  hasTraded = false;
  /** Index of the bar before it in the same columns; -1 if there is none. */
  private previousIndex = -1;
  /** Open time of the last bar of the previous columns. */
  private otherOpenMs = Number.NEGATIVE_INFINITY;
  private readonly rules: BarRules;
  /** Grid of the starts and ends of bars of these columns; null before the first. */
  private bars: BarGrid | null = null;
  private scale = 0n;
  /** Price steps of one cell; NaN if that is not a whole number. */
  private stepsPerCell = Number.NaN;
  /** Value of one cell of a price in the quote currency. */
  private cellValue = 1;
  /** Amount steps of the bar's volume that the account may still take; null until first needed. */
  private volumeLeft: number | null = null;
  /** The last closed bar, whose prices are the known ones while another bar is in progress. */
  private closed: CandleColumns | null = null;
  private closedIndex = -1;
  private closedCellValue = 1;
  private closedBars: BarGrid | null = null;
  /** Open time of the bar for which the waiting orders were prepared. */
  private readyMs = Number.NaN;
  /**
   * Bounds of the waiting orders: a bar concerns none if its low is above the first and its high is below the
   * second. If an order waits for an open, every bar concerns it.
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

  /** Begins a bar; returns true if its open may concern an order. */
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

  /** True if the path of the bar may concern an order. Most bars cost no more than this and `open`. */
  get mayConcern(): boolean {
    const { columns, index } = this;
    return columns !== null && this.isReachedIn(columns, index);
  }

  /** True if a bar may concern an order that waits now. */
  isReachedIn({ low, high }: CandleColumns, index: number): boolean {
    if (this.working.length === 0) return false;
    return (low[index] ?? 0) <= this.highestBelow || (high[index] ?? 0) >= this.lowestAbove;
  }

  /** Ends the bar in progress. */
  close(): void {
    const { columns, index } = this;
    if (columns === null || !this.isInProgress)
      throw new SarrafError('INVARIANT', `expected a bar of ${this.name.symbol} in progress, was none`);
    this.isInProgress = false;
    this.passing = null;
    this.closedIndex = index;
    if (columns === this.closed) return;
    this.closed = columns;
    this.closedCellValue = this.cellValue;
    this.closedBars = this.bars;
  }

  /** Prepares the waiting orders for the bar, once. An order that came after its open takes no part in it. */
  makeReady(): void {
    if (this.readyMs === this.openMs) return;
    this.readyMs = this.openMs;
    for (const working of this.working) {
      working.since = 0;
      working.isServed = working.order.createdAtMs > this.openMs;
    }
  }

  /** Returns a price of the bar in units. */
  unitsOf(cell: number): Units {
    return cellUnits(cell, this.scale);
  }

  /** Open time of the bar in progress, or of the last one; minus infinity before the first. */
  get openMs(): number {
    const { columns, index } = this;
    return columns === null ? Number.NEGATIVE_INFINITY : (columns.openTimeMs[index] ?? Number.NaN);
  }

  /** Open time of the bar before that one; minus infinity if there is none. */
  get previousOpenMs(): number {
    const { columns, previousIndex } = this;
    if (columns === null || previousIndex === -1) return this.otherOpenMs;
    return columns.openTimeMs[previousIndex] ?? Number.NaN;
  }

  get hasClosed(): boolean {
    return this.closed !== null;
  }

  /** The last close in units. Read it only after the first bar. */
  get closeUnits(): Units {
    const { closed, closedIndex } = this;
    return cellUnits(closed?.close[closedIndex] ?? Number.NaN, columnScale(closed?.priceDecimals ?? 0));
  }

  /** The last close as a number, for curves; 0 before the first bar. */
  get closeNumber(): number {
    return (this.closed?.close[this.closedIndex] ?? 0) * this.closedCellValue;
  }

  /** End of the last closed bar; minus infinity before the first. */
  get closedMs(): number {
    const { closed, closedIndex, closedBars } = this;
    if (closed === null || closedBars === null) return Number.NEGATIVE_INFINITY;
    return closedBars.endOf(closed.openTimeMs[closedIndex] ?? Number.NaN);
  }

  /** Last ms that belongs to the bar. */
  get lastMs(): number {
    return (this.bars?.endOf(this.openMs) ?? Number.NaN) - 1;
  }

  /**
   * Gives the exchange's checks their last price: that of the last fill inside the bar in progress, else its
   * open, or the last close. Returns false before the first bar.
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

  /** Returns a price of the bar in price steps, rounded half-even. */
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

  /** Adds an open order, which must be newer than all others. Call it only after the first bar. */
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

  /** Updates the bounds; call it after an order begins to wait for another price. */
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

/** An open order, with the price in cells of its market's columns at which a bar concerns it. */
export interface WorkingOrder {
  readonly order: SimulatedOrder;
  waiting: WaitsFor;
  /** True if prices of `reach` and below fill or trigger it; false if those of `reach` and above do. */
  isBelow: boolean;
  /** Price in whole cells. Unused while the order waits for an open. */
  reach: number;
  /** Moment of the bar from which the order waits; 0 for the open. */
  since: number;
  /** True if the order has had its share of the bar, or came too late for it. */
  isServed: boolean;
  /** Open time of the bar in which it last took liquidity, or would have with more volume; NaN before. */
  enteredMs: number;
}

function createWorkingOrder(order: SimulatedOrder): WorkingOrder {
  const waiting = order.status === 'Inactive' ? 'stop' : order.isMarket ? 'open' : 'limit';
  return { order, waiting, isBelow: false, reach: 0, since: 0, isServed: false, enteredMs: Number.NaN };
}

/**
 * Sets the cell that a bar must reach: at or beyond a stop price; beyond a limit price, or also at it, by the
 * rules. It is a whole cell, so that the comparison is exact for any decimals of the column.
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

/** Returns true if a price, in cells, is one that the order waits for. */
export const isReached = ({ isBelow, reach }: WorkingOrder, cell: number): boolean =>
  isBelow ? cell <= reach : cell >= reach;
