import type { EngineView, StrategyEvent, ClosedCandle } from '../strategy/strategy-event.ts';
import { isQuery } from './strategy-thread.ts';
import { keyOf, eventData, type Query, type WorkerCall } from './worker-messages.ts';
import type { CandleSubscription, Subscription } from '../strategy/subscriptions.ts';

/** Most looks that are remembered for a kind of event; further ones are asked for each time. */
const MOST_READS = 32;

/**
 * Data that the handlers of one strategy read, by the kind of event: it is sent with the next event of that
 * kind, so that a call costs one round trip. An object that has not changed is not sent again.
 */
export class Queries {
  private readonly byKind = new Map<string, Map<string, Query>>();
  private readonly sent = new Map<string, object>();

  /** Returns the data to send with an event. */
  of(event: StrategyEvent, view: EngineView): Pick<WorkerCall, 'reads' | 'same' | 'inEvent'> {
    const reads: (readonly [string, unknown])[] = [];
    const same: string[] = [];
    const inEvent: string[] = [];
    const data = eventData(event);
    for (const [key, read] of this.byKind.get(event.kind) ?? []) {
      const value = valueOf(read, view);
      if (typeof value === 'object' && value !== null) {
        if (this.sent.get(key) === value) same.push(key);
        else {
          this.sent.set(key, value);
          if (value === data) inEvent.push(key);
          else reads.push([key, value]);
        }
      } else reads.push([key, value]);
    }
    return { reads, same, inEvent };
  }

  /** Answers a question of a handler, and remembers it. Null answers what is no question. */
  answer(asked: unknown, kind: string, view: EngineView): unknown {
    if (!isQuery(asked)) return null;
    const known = this.byKind.get(kind) ?? new Map<string, Query>();
    this.byKind.set(kind, known);
    const key = keyOf(asked);
    const value = valueOf(asked, view);
    if (known.size < MOST_READS && value !== undefined) {
      known.set(key, asked);
      if (typeof value === 'object' && value !== null) this.sent.set(key, value);
    }
    return value ?? null;
  }

  /** A new thread begins: nothing has been sent to it. */
  forgetSent(): void {
    this.sent.clear();
  }
}

/** Returns the view's data for a read; undefined for an unknown method. */
function valueOf([method, first = '', second = '']: Query, view: EngineView): unknown {
  switch (method) {
    case 'position':
      return view.position(first);
    case 'inventory':
      return view.inventory(first);
    case 'free':
      return view.free();
    case 'orders':
      return view.orders();
    case 'book':
      return view.book(first);
    case 'stats':
      return view.stats(first);
    case 'margin':
      return view.margin(first);
    case 'rules':
      return view.rules(first);
    case 'locks':
      return view.locks(first);
    case 'universe':
      return view.universe(first);
    case 'equity':
      return view.equity(first);
    case 'ageMs':
      return view.ageMs(first as Parameters<EngineView['ageMs']>[0], second);
    case 'accountAgeMs':
      return view.accountAgeMs(first as Parameters<EngineView['accountAgeMs']>[0]);
    default:
      return undefined;
  }
}

/**
 * The last bars of each candle subscription, as many as warm a strategy up, for a thread that begins anew.
 */
export class RecentCandles {
  private readonly series: {
    readonly market: string;
    readonly timeframe: string;
    readonly most: number;
    /** True if it is needed only while a universe follows the market. */
    readonly isPooled: boolean;
    bars: ClosedCandle[];
  }[];

  constructor(subscriptions: readonly Subscription[], warmUps: readonly number[]) {
    this.series = subscriptions.flatMap((wanted, index) =>
      wanted.kind === 'candles'
        ? [
            {
              market: wanted.market,
              timeframe: wanted.timeframe,
              most: Math.max(warmUps[index] ?? 0, memberWarmUp(subscriptions, wanted)),
              isPooled: wanted.isPooled === true,
              bars: [],
            },
          ]
        : [],
    );
  }

  /** Takes in a bar, unless it has it: those of the past may come once more with a universe. */
  add(candle: ClosedCandle): void {
    const one = this.series.find(
      ({ market, timeframe }) => market === candle.market && timeframe === candle.timeframe,
    );
    if (one === undefined || one.most === 0) return;
    const last = one.bars.at(-1);
    if (last !== undefined && candle.openTimeMs <= last.openTimeMs) return;
    one.bars.push(candle);
    if (one.bars.length > one.most) one.bars.shift();
  }

  /** No universe follows a market any more: its bars go, but for those that are wanted anyway. */
  forget(market: string): void {
    for (const one of this.series) if (one.market === market && one.isPooled) one.bars = [];
  }

  all(): ClosedCandle[] {
    return this.series.flatMap(({ bars }) => bars);
  }
}

/** Returns the most candles that universes need of a market, beside its own subscriptions. */
function memberWarmUp(
  subscriptions: readonly Subscription[],
  { market, timeframe }: CandleSubscription,
): number {
  const templates = subscriptions.flatMap((wanted) =>
    wanted.kind === 'universe' && wanted.candidates.includes(market) ? wanted.templates : [],
  );
  return templates.reduce(
    (most, wanted) =>
      wanted.kind === 'candles' && wanted.timeframe === timeframe ? Math.max(most, wanted.warmUp) : most,
    0,
  );
}
