import { cellUnits, columnScale, type CandleColumns } from '../../domain/candle-columns.ts';
import { resolutionMs } from '../../domain/candle.ts';
import { roundPrice, type Market } from '../../domain/market.ts';
import { marketOfCurrencies, type MarketName } from '../../domain/market-symbol.ts';
import type { Units } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { MarketState } from '../../simulator/core/market/market-state.ts';
import type { SimulatedOrder } from '../../simulator/core/trading/order.ts';
import type { WalletPair } from '../../simulator/core/trading/trader.ts';
import type { CandleRules } from './candle-rules.ts';
import { createWorkingOrder, setReach, type WorkingOrder } from './working-order.ts';

const MILLION = 1_000_000n;

/**
 * One market: the bar it is at, and the orders that wait there. What decides whether a bar concerns any of them is kept as three numbers, so that the
 * others cost two comparisons, however many orders wait. There are as many orders as the account's money covers.
 */
export class CandleMarket {
  /** What the exchange's own checks of an order look at: rules and last price. */
  readonly state: MarketState;
  /** Its spellings alone, for records. */
  readonly name: MarketName;
  readonly wallets: WalletPair;
  readonly working: WorkingOrder[] = [];
  columns: CandleColumns | null = null;
  index = -1;
  openMs = Number.NEGATIVE_INFINITY;
  previousOpenMs = Number.NEGATIVE_INFINITY;
  private readonly rules: CandleRules;
  private scale = 0n;
  /** One cell of a price in the quote currency. */
  private cellValue = 1;
  /** Amount steps of the bar's volume that may still be taken; null until it is asked for. */
  private volumeLeft: number | null = null;
  /** A bar concerns nobody while its low is above the first and its high below the second. With an order that waits for an open every bar does. */
  private highestBelow = Number.NEGATIVE_INFINITY;
  private lowestAbove = Number.POSITIVE_INFINITY;

  constructor(market: Market, wallets: WalletPair, rules: CandleRules) {
    const house = { fees: 0n, outside: 0n, rounding: 0n };
    this.state = new MarketState({
      market,
      lastPrice: 1,
      srcName: market.src,
      dstName: market.dst,
      srcHouse: house,
      dstHouse: house,
    });
    this.name = marketOfCurrencies(market.src, market.dst);
    this.wallets = wallets;
    this.rules = rules;
  }

  get grid(): Market {
    return this.state.grid;
  }

  /** Moves on to a bar; answers whether it may concern an order. This is all that most bars cost. */
  begin(columns: CandleColumns, index: number): boolean {
    if (columns !== this.columns) this.take(columns);
    this.index = index;
    this.previousOpenMs = this.openMs;
    this.openMs = columns.openTimeMs[index] ?? Number.NaN;
    this.volumeLeft = null;
    return (columns.low[index] ?? 0) <= this.highestBelow || (columns.high[index] ?? 0) >= this.lowestAbove;
  }

  /** A price of the bar in units. */
  unitsOf(cell: number): Units {
    return cellUnits(cell, this.scale);
  }

  /** The close of the bar in units. Only after the first bar. */
  get closeUnits(): Units {
    return this.unitsOf(this.columns?.close[this.index] ?? Number.NaN);
  }

  /** The same as a number, for curves; 0 before the first bar. */
  get closeNumber(): number {
    return (this.columns?.close[this.index] ?? 0) * this.cellValue;
  }

  /** The last moment that is inside the bar. */
  get lastMs(): number {
    const { columns } = this;
    return columns === null ? Number.NaN : this.openMs + resolutionMs(columns.resolution) - 1;
  }

  /** Shows the close to the checks of the exchange as its last price. False before the first bar. */
  showClose(): boolean {
    if (this.columns === null) return false;
    this.state.lastPrice = Math.max(1, roundPrice(this.grid, this.closeUnits));
    return true;
  }

  /** How many amount steps of the bar are left to be taken by the account. */
  get volume(): number {
    this.volumeLeft ??= this.share();
    return this.volumeLeft;
  }

  takeVolume(steps: number): void {
    this.volumeLeft = this.volume - steps;
  }

  /** Takes in an open order, which must be younger than all that are in. Only after the first bar. */
  add(order: SimulatedOrder): WorkingOrder {
    const working = createWorkingOrder(order);
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

  /** To be told when what an order waits for has changed. */
  changed(working: WorkingOrder): void {
    setReach(working, this.scale, this.rules);
    this.watchAll();
  }

  private take(columns: CandleColumns): void {
    const scale = columnScale(columns.priceDecimals);
    this.columns = columns;
    if (scale === this.scale) return;
    this.scale = scale;
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
