import fc from 'fast-check';
import { expect } from 'vitest';
import {
  runOnBooks,
  runStrategy,
  type ScriptedAccount,
  type ScriptedBook,
  type ScriptedRun,
  type ScriptedTerms,
} from '../../src/testing.ts';
import type { StrategyDefinition } from '../../src/strategy/definition.ts';

export const MINUTE_MS = 60_000;
/** Time between two prices of a minute, in ms. */
export const STEP_MS = 10_000;
const PRICE_STEP = 0.01;

/** Six prices of a minute; the first two are its open, the last two its close. */
export type MinutePrices = readonly number[];

/** Moves of a price inside a minute, in tenths. */
export type MinuteMoves = readonly [number, number, number];

/** Draws the moves of minutes: each up to `reach` tenths up or down. */
export function movesOf(of: {
  readonly reach: number;
  readonly minutes: readonly [least: number, most: number];
}): fc.Arbitrary<readonly MinuteMoves[]> {
  const move = fc.integer({ min: -of.reach, max: of.reach });
  const [minLength, maxLength] = of.minutes;
  return fc.array(fc.tuple(move, move, move), { minLength, maxLength, size: 'max' });
}

/** Minutes whose prices are whole tenths, beginning at `firstTenths`. */
export function minutesOf(moves: readonly MinuteMoves[], firstTenths = 1_000): readonly MinutePrices[] {
  let tenths = firstTenths;
  return moves.map((steps) => {
    const first = tenths;
    const inside = steps.map((move) => (tenths += move) / 10);
    return [first / 10, first / 10, ...inside, tenths / 10];
  });
}

/** Turns the prices of a minute into a bar. */
export function barOf(prices: MinutePrices): { open: number; high: number; low: number; close: number } {
  return {
    open: prices[0]!,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1)!,
  };
}

/** Returns the bid below an ask at this price: one price step lower. */
export function bidUnder(price: number, priceStep = PRICE_STEP): number {
  const stepsPerOne = Math.round(1 / priceStep);
  return (Math.round(price * stepsPerOne) - 1) / stepsPerOne;
}

/** Another market of a run, with as many minutes as the first. */
export interface OtherMarket extends ScriptedTerms {
  readonly market: string;
  readonly minutes: readonly MinutePrices[];
}

/** Runs a strategy on minutes as bars, and on the same minutes as books that a bot polls. */
export async function onBarsAndBooks(
  strategy: StrategyDefinition,
  minutes: readonly MinutePrices[],
  options: ScriptedTerms & ScriptedAccount & { readonly others?: readonly OtherMarket[] } = {},
): Promise<{ readonly onBars: ScriptedRun; readonly onBooks: ScriptedRun }> {
  const { others = [], ...first } = options;
  const onBars = runStrategy(strategy, {
    ...first,
    timeframe: '1m',
    bars: minutes.map(barOf),
    others: others.map((other) => ({ ...other, bars: other.minutes.map(barOf) })),
  });
  const onBooks = await runOnBooks(strategy, {
    ...first,
    stepMs: STEP_MS,
    books: booksOf(minutes, first.priceStep),
    others: others.map((other) => ({ ...other, books: booksOf(other.minutes, other.priceStep) })),
  });
  return { onBars, onBooks };
}

/** Makes a book for each price, with a trade at it. */
function booksOf(minutes: readonly MinutePrices[], priceStep?: number): readonly ScriptedBook[] {
  return minutes.flat().map((price) => ({
    bid: bidUnder(price, priceStep),
    ask: price,
    trades: [{ side: 'buy', price }],
  }));
}

/**
 * Expects the same lines of both runs, but for the last `inProgress` lines of each: a bot that polls acts
 * some seconds later, so its last lines may fall after the end of its data.
 */
export function expectAlike<Line>(
  runs: { readonly onBars: ScriptedRun; readonly onBooks: ScriptedRun },
  linesOf: (run: ScriptedRun) => readonly Line[],
  inProgress: number,
  expectedOf: (line: Line) => unknown = (line) => line,
): void {
  const [bars, books] = [linesOf(runs.onBars), linesOf(runs.onBooks)];
  const sure = Math.max(0, Math.min(bars.length, books.length) - inProgress);
  expect(books.slice(0, sure)).toEqual(bars.slice(0, sure).map(expectedOf));
  expect(Math.abs(bars.length - books.length)).toBeLessThanOrEqual(inProgress);
}
