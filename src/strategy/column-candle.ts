import { cellText, type CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { ClosedCandle } from './definition.ts';
import type { Span } from './subscriptions.ts';

/**
 * A bar that is still in its columns: its texts are made when they are looked at, and its numbers need none. A backtest makes millions, of which most
 * are only fed to averages.
 */
export class ColumnCandle implements ClosedCandle {
  readonly market: string;
  readonly span: Span;
  readonly seenAtMs: number;
  readonly missedBefore: number;
  private readonly columns: CandleColumns;
  private readonly index: number;

  constructor(
    columns: CandleColumns,
    index: number,
    seen: { readonly span: Span; readonly seenAtMs: number; readonly missedBefore: number },
  ) {
    this.columns = columns;
    this.index = index;
    this.market = columns.market;
    this.span = seen.span;
    this.seenAtMs = seen.seenAtMs;
    this.missedBefore = seen.missedBefore;
  }

  get openTimeMs(): number {
    return this.columns.openTimeMs[this.index] ?? Number.NaN;
  }

  get open(): DecimalText {
    return this.price(this.columns.open);
  }

  get high(): DecimalText {
    return this.price(this.columns.high);
  }

  get low(): DecimalText {
    return this.price(this.columns.low);
  }

  get close(): DecimalText {
    return this.price(this.columns.close);
  }

  get volume(): DecimalText {
    return cellText(this.columns.volume[this.index] ?? Number.NaN, this.columns.volumeDecimals);
  }

  /** The number that `Number(close)` is: both are the float nearest to the decimal. */
  get closeNumber(): number {
    const { close, priceDecimals } = this.columns;
    return (close[this.index] ?? Number.NaN) / (POWERS[priceDecimals] ?? 1);
  }

  private price(column: Float64Array): DecimalText {
    return cellText(column[this.index] ?? Number.NaN, this.columns.priceDecimals);
  }
}

/** Exact as floats, so that a whole number divided by one is rounded once. */
const POWERS: readonly number[] = Array.from({ length: 11 }, (_, power) => 10 ** power);

/** The close of a bar as a number, for averages. */
export function closeNumber(candle: { readonly close: DecimalText }): number {
  return candle instanceof ColumnCandle ? candle.closeNumber : Number(candle.close);
}

const FIELDS = [
  'openTimeMs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'market',
  'span',
  'seenAtMs',
  'missedBefore',
] as const;

const NAMES: ReadonlySet<string | symbol> = new Set(FIELDS);

/** By names that are written out, since looking a field up by any name takes longer than making its text. */
function fieldOf(candle: ColumnCandle, name: string | symbol): unknown {
  switch (name) {
    case 'close':
      return candle.close;
    case 'open':
      return candle.open;
    case 'high':
      return candle.high;
    case 'low':
      return candle.low;
    default:
      return Reflect.get(NAMES.has(name) ? candle : Object.prototype, name) as unknown;
  }
}

/** Shows a bar as a plain object that can not be changed. */
const PLAINLY: ProxyHandler<ColumnCandle> = {
  get: (candle, name) => fieldOf(candle, name),
  has: (_, name) => NAMES.has(name) || name in Object.prototype,
  ownKeys: () => [...FIELDS],
  getOwnPropertyDescriptor: (candle, name) =>
    NAMES.has(name)
      ? { value: Reflect.get(candle, name) as unknown, enumerable: true, configurable: true, writable: false }
      : undefined,
  getPrototypeOf: () => Object.prototype,
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
};

/** The bar as authors expect it: an object that can be spread, copied and stored, whose texts are made when they are looked at. */
export function plainCandle(candle: ClosedCandle): ClosedCandle {
  return candle instanceof ColumnCandle ? new Proxy(candle, PLAINLY) : candle;
}
