import { gridOf, shownAnchors, type BarAnchors, type Candle } from '../domain/candle.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { CompletionHandler, Limiter } from '../budget/limiter.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import { tripKey } from './fill-rules.ts';
import { exchangeAskedMs, MARKET_CALLS, type VenueAnswer, type VenueCall, type VenueValues } from './port.ts';
import type { VenueCaller, VenueEnd } from './venue-caller.ts';

/** Maximum number of bars that are stored of a series; the oldest are dropped. */
const MOST_BARS = 10_000;

type CandleCall = Extract<VenueCall, { kind: 'candles' }>;
type ValueAnswer = Extract<VenueAnswer, { outcome: 'value' }>;

/** An answer with its number, which rises with each answer. */
interface NumberedAnswer {
  readonly answer: ValueAnswer;
  readonly number: number;
}

/**
 * Answers about markets that one engine got, for other engines in the same process. These make no request of
 * their own: their calls wait for the next answer to the same call of the first engine.
 */
export class SharedAnswers {
  private readonly time: Timeline;
  private readonly anchors: BarAnchors;
  private readonly newest = new Map<string, NumberedAnswer>();
  /** Closed bars, which never change, by call and the time of their beginning. */
  private readonly bars = new Map<string, Map<number, Candle>>();
  private readonly readers = new Set<AnswerReader>();
  private lastNumber = 0;
  private isDue = false;

  /** `anchors`: those of the exchange's bars, as far as they are documented. */
  constructor(time: Timeline, anchors: BarAnchors) {
    this.time = time;
    this.anchors = anchors;
  }

  /** Adds an answer that the first engine gets at this moment. The others get it right after this step. */
  apply(call: VenueCall, answer: VenueAnswer, { askedAtMs }: { readonly askedAtMs: number }): void {
    if (answer.outcome !== 'value' || !MARKET_CALLS.has(call.kind)) return;
    if (call.kind === 'candles') {
      const atMs = this.time.now();
      const closedByMs = exchangeAskedMs(answer.saidAtMs, { askedAtMs, atMs });
      const candles = answer.value as VenueValues['candles'];
      const grid = gridOf(call.timeframe, shownAnchors(call.timeframe, candles, this.anchors));
      this.addBars(
        call,
        candles.filter(({ openTimeMs }) => grid.endOf(openTimeMs) <= closedByMs),
      );
    } else {
      this.lastNumber += 1;
      const number = this.lastNumber;
      // The age of a book of another venue counts from the first engine's request.
      this.newest.set(tripKey(call), { answer: { ...answer, saidAtMs: askedAtMs }, number });
      if (call.kind === 'books')
        for (const [market, value] of Object.entries(answer.value as VenueValues['books']))
          this.newest.set(tripKey({ kind: 'book', market }), { answer: { outcome: 'value', value }, number });
    }
    this.deliver();
  }

  /** Adds closed bars of a series, such as those that a mirror has stored. */
  addBars(of: Pick<CandleCall, 'kind' | 'market' | 'timeframe'>, closed: readonly Candle[]): void {
    const key = tripKey({ ...of, toMs: 0, count: 0 });
    const known = this.bars.get(key) ?? new Map<number, Candle>();
    for (const candle of closed) known.set(candle.openTimeMs, candle);
    const sorted = [...known].toSorted(([left], [right]) => left - right);
    this.bars.set(key, new Map(sorted.slice(-MOST_BARS)));
  }

  /** Returns the newest book of a market; null before the first. */
  book(market: string): OrderBook | null {
    const known = this.newest.get(tripKey({ kind: 'book', market }));
    return known === undefined ? null : (known.answer.value as OrderBook);
  }

  /** Returns the newest answer to a call; null if there is none. */
  newestOf(call: VenueCall): NumberedAnswer | null {
    return this.newest.get(tripKey(call)) ?? (call.kind === 'books' ? this.allBooks() : null);
  }

  /** Returns the known closed bars of a series, oldest first. */
  barsOf(call: CandleCall): readonly Candle[] {
    return [...(this.bars.get(tripKey(call))?.values() ?? [])];
  }

  /**
   * Creates a caller for another engine. Only calls about markets may be sent with it. `onError`: called with
   * an error of that engine, which must reach neither the first one nor the others.
   */
  callerLike(
    caller: VenueCaller,
    onError: (error: unknown) => void,
  ): VenueCaller & { readonly end: () => void } {
    const reader = new AnswerReader(this, onError);
    this.readers.add(reader);
    return {
      ...caller,
      send: (call, _signal, handler) => reader.send(call, handler),
      end: () => void this.readers.delete(reader),
    };
  }

  /** Joins books that were read one by one: one engine may poll all at once, the other each. */
  private allBooks(): NumberedAnswer | null {
    const books = [...this.newest].filter(([key]) => key.startsWith('book ') && !key.includes(':'));
    if (books.length === 0) return null;
    const value = Object.fromEntries(
      books.map(([key, { answer }]) => [key.slice('book '.length), answer.value as OrderBook]),
    );
    return {
      answer: { outcome: 'value', value },
      number: Math.max(...books.map(([, { number }]) => number)),
    };
  }

  private deliver(): void {
    if (this.isDue || this.readers.size === 0) return;
    this.isDue = true;
    this.time.at(this.time.now(), () => {
      this.isDue = false;
      for (const reader of this.readers) reader.poll();
    });
  }
}

interface WaitingRead {
  readonly call: VenueCall;
  readonly handler: CompletionHandler<VenueEnd>;
}

/** Calls of one engine. Each gets an answer that it did not get before, or waits for one. */
class AnswerReader {
  private readonly shared: SharedAnswers;
  private readonly onError: (error: unknown) => void;
  /** Number of the last answer, or the beginning of the last bar, that each call got. */
  private readonly got = new Map<string, number>();
  private waiting: readonly WaitingRead[] = [];

  constructor(shared: SharedAnswers, onError: (error: unknown) => void) {
    this.shared = shared;
    this.onError = onError;
  }

  send(call: VenueCall, handler: CompletionHandler<VenueEnd>): void {
    const answer = this.next(call);
    if (answer === null) this.waiting = [...this.waiting, { call, handler }];
    else handler.onEnd({ answer, error: null });
  }

  poll(): void {
    const { waiting } = this;
    this.waiting = [];
    // An engine may send its next call from within the end of this one.
    try {
      for (const { call, handler } of waiting) this.send(call, handler);
    } catch (error) {
      this.onError(error);
    }
  }

  private next(call: VenueCall): ValueAnswer | null {
    if (call.kind === 'candles') return this.nextBars(call);
    const newest = this.shared.newestOf(call);
    if (newest === null || !this.isNew(call, newest.number)) return null;
    return newest.answer;
  }

  private nextBars(call: CandleCall): ValueAnswer | null {
    const all = this.shared.barsOf(call);
    const lastMs = all.at(-1)?.openTimeMs;
    if (lastMs === undefined) return null;
    // A call for a page of the past is answered at once.
    if (call.toMs > lastMs && !this.isNew(call, lastMs)) return null;
    const before = all.filter(({ openTimeMs }) => openTimeMs < call.toMs);
    return { outcome: 'value', value: before.slice(-call.count) };
  }

  private isNew(call: VenueCall, number: number): boolean {
    const key = tripKey(call);
    if (number <= (this.got.get(key) ?? Number.NEGATIVE_INFINITY)) return false;
    this.got.set(key, number);
    return true;
  }
}

/** Returns a limiter that sends public calls at once, as nothing leaves the process, and others by `own`. */
export function limiterOfShared(own: Limiter): Limiter {
  return {
    submit(call) {
      if (call.credential !== 'none') {
        own.submit(call);
        return;
      }
      const { onEnd, onError } = call.handler;
      call.send(new AbortController().signal, {
        onEnd: (value) => onEnd({ sent: true, value }),
        onError,
      });
    },
    close: async () => own.close(),
  };
}
