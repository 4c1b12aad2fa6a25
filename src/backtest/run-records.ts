import type { MirrorChange } from '../engine/mirror-change.ts';
import type { FillRecord } from '../records/fill.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import type { EquityValuer } from '../venues/equity-valuer.ts';
import type { EquityCurve } from './backtest-run.ts';

/** The orders and fills of a run, taken from what the engine would write to its mirror. */
export class RunRecords {
  /** In the order in which they were planned, each as it was last. */
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  /** Indices in the list of the orders that have not ended, except the newest. */
  private readonly places = new Map<string, number>();
  /** The one that was planned last and has not ended: mostly it is the next that does. Empty without one. */
  private newestKey = '';
  private newestPlace = -1;

  note(changes: readonly MirrorChange[]): void {
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Keeps an order as it is now, at the place of its plan. */
  noteOrder(order: OrderRecord): void {
    const { key } = order;
    const place = this.placeOf(key);
    if (place !== undefined) this.orders[place] = order;
    else if (isFinal(order)) this.orders.push(order);
    else this.begin(key, this.orders.push(order) - 1);
    if (place !== undefined && isFinal(order)) this.end(key);
  }

  private placeOf(key: string): number | undefined {
    if (key === this.newestKey) return this.newestPlace;
    return this.places.size === 0 ? undefined : this.places.get(key);
  }

  private begin(key: string, place: number): void {
    if (this.newestKey !== '') this.places.set(this.newestKey, this.newestPlace);
    this.newestKey = key;
    this.newestPlace = place;
  }

  private end(key: string): void {
    if (key === this.newestKey) this.newestKey = '';
    else this.places.delete(key);
  }
}

type EquityOfNow = Pick<EquityValuer, 'number' | 'isExposed'>;

/**
 * The equity after each moment at which bars close, in columns with room for more: how many moments there
 * are is not known before, since bars of several markets may close at one.
 */
export class EquityRecorder {
  private readonly valuer: EquityOfNow;
  private timeMs: Float64Array;
  private equity: Float64Array;
  private isExposed: Uint8Array;
  private length = 0;

  /** `moments`: how many there will probably be. */
  constructor(moments: number, valuer: EquityOfNow) {
    this.valuer = valuer;
    this.timeMs = new Float64Array(moments);
    this.equity = new Float64Array(moments);
    this.isExposed = new Uint8Array(moments);
  }

  get curve(): EquityCurve {
    const { length, timeMs, equity, isExposed } = this;
    return { length, timeMs, equity, isExposed };
  }

  /** Adds the current value of the account, at the close of a bar. */
  add(closeMs: number): void {
    const { length, valuer } = this;
    if (length === this.timeMs.length) this.grow();
    this.timeMs[length] = closeMs;
    this.equity[length] = valuer.number();
    if (valuer.isExposed()) this.isExposed[length] = 1;
    this.length = length + 1;
  }

  private grow(): void {
    const room = 2 * this.length + 1;
    const [timeMs, equity, isExposed] = [
      new Float64Array(room),
      new Float64Array(room),
      new Uint8Array(room),
    ];
    timeMs.set(this.timeMs);
    equity.set(this.equity);
    isExposed.set(this.isExposed);
    this.timeMs = timeMs;
    this.equity = equity;
    this.isExposed = isExposed;
  }
}
