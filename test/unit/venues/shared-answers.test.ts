import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import type { OrderBook } from '../../../src/domain/order-book.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import type { VenueAnswer, VenueCall } from '../../../src/venues/port.ts';
import { SharedAnswers } from '../../../src/venues/shared-answers.ts';
import type { VenueCaller } from '../../../src/venues/venue-caller.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 5, 12);

const noCaller = {} as VenueCaller;
const never = new AbortController().signal;

function setup() {
  const time = new VirtualTime(START_MS);
  const shared = new SharedAnswers(time, INTERFACE_PROFILE.barAnchors);
  const got: unknown[] = [];
  const caller = shared.callerLike(noCaller, (error) => got.push(error));
  return {
    time,
    shared,
    got,
    /** Sends a call whose value is noted when it ends. */
    send: (call: VenueCall) =>
      caller.send(call, never, {
        onEnd: ({ answer }) => got.push(answer.outcome === 'value' ? answer.value : answer),
        onError: (error) => got.push(error),
      }),
    end: caller.end,
  };
}

const book = (price: string): OrderBook => ({
  bids: [[decimalText(price), decimalText('1')]],
  asks: [],
  updatedAtMs: null,
});
const value = (of: unknown): VenueAnswer => ({ outcome: 'value', value: of }) as VenueAnswer;
const BOOK = { kind: 'book', market: 'BTCIRT' } as const;
const bar = (minute: number): Candle =>
  ({
    openTimeMs: START_MS + minute * MINUTE_MS,
    open: '1',
    high: '1',
    low: '1',
    close: '1',
    volume: '1',
  }) as Candle;
const BARS = { kind: 'candles', market: 'BTCIRT', timeframe: '1m', count: 10 } as const;
const minutesOf = (candles: unknown): readonly number[] =>
  (candles as readonly Candle[]).map(({ openTimeMs }) => (openTimeMs - START_MS) / MINUTE_MS);

describe('a call of a second engine', () => {
  test('waits for the next answer of the first, and gets each once', async () => {
    const { time, shared, got, send } = setup();
    send(BOOK);
    expect(got).toEqual([]);
    shared.apply(BOOK, value(book('10')), { askedAtMs: START_MS });
    // The first engine goes on before the others are called.
    expect(got).toEqual([]);
    await time.run(START_MS + 1);
    expect(got).toEqual([book('10')]);
    send(BOOK);
    await time.run(START_MS + 2);
    expect(got).toHaveLength(1);
    shared.apply(BOOK, value(book('11')), { askedAtMs: START_MS });
    await time.run(START_MS + 3);
    expect(got).toEqual([book('10'), book('11')]);
  });

  test('gets at once what came since its last answer', () => {
    const { shared, got, send } = setup();
    shared.apply(BOOK, value(book('10')), { askedAtMs: START_MS });
    shared.apply(BOOK, value(book('11')), { askedAtMs: START_MS });
    send(BOOK);
    expect(got).toEqual([book('11')]);
  });

  test('that fails is told its own engine, and neither the first one nor the others', async () => {
    const { time, shared, got } = setup();
    const failed: unknown[] = [];
    const broken = shared.callerLike(noCaller, (error) => failed.push(error));
    broken.send(BOOK, never, {
      onEnd() {
        throw new Error('the shadow is broken');
      },
      onError: () => undefined,
    });
    const well = shared.callerLike(noCaller, (error) => failed.push(error));
    well.send(BOOK, never, { onEnd: ({ answer }) => got.push(answer.outcome), onError: () => undefined });
    shared.apply(BOOK, value(book('10')), { askedAtMs: START_MS });
    await time.run(START_MS + 1);
    expect(failed).toEqual([new Error('the shadow is broken')]);
    expect(got).toEqual(['value']);
  });

  test('gets nothing from a failure, or after its end', async () => {
    const { time, shared, got, send, end } = setup();
    send(BOOK);
    const failed = { outcome: 'failed', code: 'TIMED_OUT', message: '', effect: 'none' } as const;
    shared.apply(BOOK, failed, { askedAtMs: START_MS });
    await time.run(START_MS + 1);
    expect(got).toEqual([]);
    end();
    shared.apply(BOOK, value(book('10')), { askedAtMs: START_MS });
    await time.run(START_MS + 2);
    expect(got).toEqual([]);
  });

  test('for one book is answered by all books, and for all by each', async () => {
    const { time, shared, got, send } = setup();
    send(BOOK);
    shared.apply({ kind: 'books' }, value({ BTCIRT: book('10') }), { askedAtMs: START_MS });
    await time.run(START_MS + 1);
    expect(got).toEqual([book('10')]);
    const second = setup();
    second.shared.apply(BOOK, value(book('12')), { askedAtMs: START_MS });
    second.send({ kind: 'books' });
    expect(second.got).toEqual([{ BTCIRT: book('12') }]);
  });

  test('gets a bar only once the exchange has closed it, however late it asks', async () => {
    const { time, shared, got, send } = setup();
    await time.run(START_MS + 2 * MINUTE_MS + 500);
    // Asked before the end of the second bar.
    shared.apply({ ...BARS, toMs: 0 }, value([bar(0), bar(1)]), { askedAtMs: START_MS + 2 * MINUTE_MS - 1 });
    send({ ...BARS, toMs: time.now() });
    expect(got.map(minutesOf)).toEqual([[0]]);
    send({ ...BARS, toMs: time.now() });
    await time.run(START_MS + 3 * MINUTE_MS);
    expect(got).toHaveLength(1);
    shared.apply({ ...BARS, toMs: 0 }, value([bar(0), bar(1), bar(2)]), {
      askedAtMs: START_MS + 2 * MINUTE_MS + 1_000,
    });
    await time.run(time.now() + 1);
    expect(got.map(minutesOf)).toEqual([[0], [0, 1]]);
  });

  test('gets pages of past bars, those of a mirror among them', () => {
    const { shared, got, send } = setup();
    shared.addBars(BARS, [bar(1), bar(0), bar(2)]);
    send({ ...BARS, count: 2, toMs: START_MS + MINUTE_MS * 10 });
    send({ ...BARS, count: 2, toMs: START_MS + MINUTE_MS });
    expect(got.map(minutesOf)).toEqual([[1, 2], [0]]);
  });
});
