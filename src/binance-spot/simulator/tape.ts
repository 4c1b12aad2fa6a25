import { MINUTE_MS } from '../../domain/time-text.ts';
import { unitsOf } from '../../domain/money.ts';
import type { SpotRules } from './market-rules.ts';

/** Trade that everybody sees. Price in ticks, amount in steps. */
export interface TradeOnTape {
  readonly id: number;
  readonly price: number;
  readonly quantity: number;
  readonly timeMs: number;
  readonly isBuyerMaker: boolean;
  /** Id of the aggregate that it belongs to: fills of one taker at one price and time. */
  readonly aggregateId: number;
}

/** Trades of one minute, or of several in a row. Prices in ticks, amounts in steps. */
export interface SpotBar {
  readonly openMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  value: bigint;
  buyVolume: number;
  buyValue: bigint;
  count: number;
  readonly firstId: number;
  lastId: number;
}

const TRADES_RETAINED = 200_000;
const MINUTES_RETAINED = 43_200;

/** All trades of one market, and their minutes. */
export class SpotTape {
  readonly rules: SpotRules;
  readonly trades: TradeOnTape[] = [];
  readonly minutes: SpotBar[] = [];
  /** Last price in ticks. */
  lastPrice: number;
  private nextTrade: number;
  private nextAggregate: number;
  /** Last trade of the present taker, to which the next one may be added; null before its first. */
  private lastOfTaker: TradeOnTape | null = null;

  constructor(rules: SpotRules) {
    this.rules = rules;
    this.lastPrice = rules.ticksOf(unitsOf(rules.settings.startPrice));
    this.nextTrade = rules.settings.firstTradeId;
    this.nextAggregate = rules.settings.firstTradeId;
  }

  /** Begins a new aggregate: the next trades are of another taker. */
  beginTaker(): void {
    this.lastOfTaker = null;
  }

  /** Records a trade and returns its id. */
  record(trade: { price: number; quantity: number; timeMs: number; isBuyerMaker: boolean }): number {
    const { price, quantity, timeMs } = trade;
    const { lastOfTaker } = this;
    const isSame = lastOfTaker !== null && lastOfTaker.price === price && lastOfTaker.timeMs === timeMs;
    if (!isSame) this.nextAggregate += 1;
    const made = { ...trade, id: this.nextTrade, aggregateId: this.nextAggregate - 1 };
    this.nextTrade += 1;
    this.lastOfTaker = made;
    this.lastPrice = price;
    this.trades.push(made);
    if (this.trades.length > TRADES_RETAINED * 1.1)
      this.trades.splice(0, this.trades.length - TRADES_RETAINED);
    const value = this.rules.value(price, quantity);
    const openMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
    const running = this.minutes.at(-1);
    if (running === undefined || running.openMs < openMs) {
      this.minutes.push(tradeBar(made, openMs, value));
      if (this.minutes.length > MINUTES_RETAINED * 1.1)
        this.minutes.splice(0, this.minutes.length - MINUTES_RETAINED);
    } else addTo(running, tradeBar(made, openMs, value));
    return made.id;
  }

  /** Average price of the last minutes in units; the last price without a trade in them. */
  averagePrice(nowMs: number, minutes = this.rules.settings.avgPriceMins): bigint {
    let value = 0n;
    let quantity = 0n;
    for (let index = this.trades.length - 1; index >= 0; index -= 1) {
      const trade = this.trades[index];
      if (trade === undefined || trade.timeMs <= nowMs - minutes * MINUTE_MS) break;
      value += BigInt(trade.price) * BigInt(trade.quantity);
      quantity += BigInt(trade.quantity);
    }
    return quantity === 0n ? this.rules.price(this.lastPrice) : (value * this.rules.tick) / quantity;
  }
}

export function tradeBar(trade: TradeOnTape, openMs: number, value: bigint): SpotBar {
  const { price, quantity, id, isBuyerMaker } = trade;
  return {
    openMs,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: quantity,
    value,
    buyVolume: isBuyerMaker ? 0 : quantity,
    buyValue: isBuyerMaker ? 0n : value,
    count: 1,
    firstId: id,
    lastId: id,
  };
}

/** Adds what came after it to a bar. */
export function addTo(bar: SpotBar, later: SpotBar): void {
  bar.high = Math.max(bar.high, later.high);
  bar.low = Math.min(bar.low, later.low);
  bar.close = later.close;
  bar.volume += later.volume;
  bar.value += later.value;
  bar.buyVolume += later.buyVolume;
  bar.buyValue += later.buyValue;
  bar.count += later.count;
  bar.lastId = later.lastId;
}
