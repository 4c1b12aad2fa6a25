import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { PublicTrade } from '../../../../src/domain/trade.ts';
import {
  ChangeDetector,
  type ChangeDetectorOptions,
} from '../../../../src/recording/recorder/change-detector.ts';
import { bookOf, NOON_MS, numbered, statsAnswer } from './answers.ts';

const detector = (change: Partial<ChangeDetectorOptions> = {}): ChangeDetector =>
  new ChangeDetector({ tape: null, beganMs: null, longestPauseMs: 60_000, ...change });

const tape = (first: number, last: number): PublicTrade[] =>
  Array.from({ length: last - first + 1 }, (_, index) => numbered(first + index));

const kinds = (entries: readonly { readonly what: string }[]): string[] => entries.map(({ what }) => what);

const levels = (count: number, last: string) =>
  Array.from(
    { length: count },
    (_, index) => [decimalText(1_000 - index), decimalText(index === count - 1 ? last : '1')] as const,
  );

const noted = (entries: ReturnType<ChangeDetector['applyPage']>) =>
  entries.flatMap((entry) => (entry.what === 'row' ? [entry.row.price] : []));

const statsOf = (latest: number) => {
  const [, answer] = statsAnswer(latest);
  if (answer.outcome !== 'value') throw new Error('expected a value');
  return (answer.value as Parameters<ChangeDetector['applyStats']>[0][])[0]!;
};

describe('a book', () => {
  test('is noted with both times when it is new, and not again while it stays', () => {
    const of = detector();
    const book = bookOf(100, { updatedAtMs: NOON_MS - 300 });
    expect(of.applyBook(book, NOON_MS)).toEqual([
      { what: 'row', row: { venueTimeMs: NOON_MS - 300, seenMs: NOON_MS, bids: book.bids, asks: book.asks } },
    ]);
    expect(of.applyBook({ ...book, updatedAtMs: NOON_MS }, NOON_MS + 1_000)).toEqual([]);
    expect(kinds(of.applyBook(bookOf(110), NOON_MS + 2_000))).toEqual(['row']);
    expect(kinds(of.applyBook(bookOf(100), NOON_MS + 3_000))).toEqual(['row']);
  });

  test('that stays is known to have been looked at, every ten seconds', () => {
    const of = detector();
    const noted = Array.from({ length: 31 }, (_, second) =>
      of.applyBook(bookOf(100), NOON_MS + second * 1_000),
    );
    expect(noted.flatMap(kinds)).toEqual(['row', 'look', 'look', 'look']);
    expect(noted[10]).toEqual([{ what: 'look', seenMs: NOON_MS + 10_000 }]);
  });

  test('is noted by the 24 levels that are recorded: what lies beyond changes nothing', () => {
    const of = detector();
    const [first] = of.applyBook(bookOf(100, { bids: levels(30, '1') }), NOON_MS);
    expect(first).toMatchObject({ row: { bids: levels(24, '1') } });
    expect(of.applyBook(bookOf(100, { bids: levels(30, '2') }), NOON_MS + 1)).toEqual([]);
    expect(kinds(of.applyBook(bookOf(100, { bids: levels(24, '2') }), NOON_MS + 2))).toEqual(['row']);
  });

  test('that nobody looked at for longer than a minute is a gap', () => {
    const of = detector();
    of.applyBook(bookOf(100), NOON_MS);
    expect(kinds(of.applyBook(bookOf(110), NOON_MS + 60_000))).toEqual(['row']);
    expect(of.applyBook(bookOf(110), NOON_MS + 120_001)).toEqual([
      { what: 'gap', seenMs: NOON_MS + 120_001, gap: { fromMs: NOON_MS + 60_000, toMs: NOON_MS + 120_001 } },
      { what: 'look', seenMs: NOON_MS + 120_001 },
    ]);
  });
});

describe('public trades', () => {
  test('of pages that overlap are noted once each, whichever way round they are listed', () => {
    const of = detector();
    const prices = [
      ...noted(of.applyPage(tape(1, 10), NOON_MS)),
      ...noted(of.applyPage(tape(4, 13).toReversed(), NOON_MS + 1)),
      ...noted(of.applyPage(tape(4, 13), NOON_MS + 2)),
      ...noted(of.applyPage([], NOON_MS + 3)),
      ...noted(of.applyPage(tape(13, 22).toReversed(), NOON_MS + 4)),
    ];
    expect(prices).toEqual(tape(1, 22).map(({ price }) => price));
  });

  test('are noted once each and all, however fast the tape goes and whenever the process is another one', () => {
    const steps = fc.array(fc.record({ advance: fc.nat({ max: 19 }), isRestarted: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (polls) => {
        let of = detector();
        let newest = 20;
        const prices = noted(of.applyPage(tape(1, newest), NOON_MS));
        for (const { advance, isRestarted } of polls) {
          if (isRestarted) of = detector({ tape: of.tape });
          newest += advance;
          const entries = of.applyPage(tape(newest - 19, newest).toReversed(), NOON_MS + newest);
          expect(kinds(entries)).not.toContain('gap');
          prices.push(...noted(entries));
        }
        expect(prices).toEqual(tape(1, newest).map(({ price }) => price));
      }),
    );
  });

  test('carry the time of the trade and the time at which it was seen', () => {
    const [first] = detector().applyPage(tape(1, 2), NOON_MS + 500);
    expect(first).toEqual({ what: 'row', row: { ...numbered(1), seenMs: NOON_MS + 500, id: null } });
  });

  test('of a page that nothing joins to those before are noted after a gap between the two', () => {
    const of = detector();
    of.applyPage(tape(1, 10), NOON_MS);
    const [gap, ...rows] = of.applyPage(tape(30, 39), NOON_MS + 1_000);
    expect(gap).toEqual({
      what: 'gap',
      seenMs: NOON_MS + 1_000,
      gap: { fromMs: numbered(10).timeMs, toMs: numbered(30).timeMs },
    });
    expect(noted(rows)).toEqual(tape(30, 39).map(({ price }) => price));
  });

  test('are joined to those that an earlier process has recorded', () => {
    const of = detector({ tape: tape(1, 10) });
    expect(noted(of.applyPage(tape(6, 12), NOON_MS))).toEqual(tape(11, 12).map(({ price }) => price));
  });

  test('of the past of an exchange that begins anew are left out', () => {
    const beganMs = numbered(6).timeMs;
    const of = detector({ beganMs });
    expect(noted(of.applyPage(tape(1, 8), NOON_MS))).toEqual(
      tape(1, 8)
        .filter(({ timeMs }) => timeMs >= beganMs)
        .map(({ price }) => price),
    );
  });
});

test('statistics are noted when a number changes', () => {
  const of = detector();
  const looks = [100, 100, 101].map((latest, index) =>
    kinds(of.applyStats(statsOf(latest), NOON_MS + index)),
  );
  expect(looks).toEqual([['row'], [], ['row']]);
});
