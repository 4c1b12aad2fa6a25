import { timeframeMs } from '../domain/candle.ts';
import { inputText } from './decimal-input.ts';
import { isFields } from './fields.ts';
import type { Subscription } from './subscriptions.ts';

/** Number of a strategy's stops that follow the price, and their pace: their requests are planned by it. */
export interface Trailing {
  /** Brackets and protections with a `trail` at once, 1 to 1,000; more are refused. */
  readonly most: number;
  /**
   * The stop of one of them moves at most once in so long, in ms, from 1,000 to a day. Left out: as long as
   * the shortest bars that the strategy declares, or a minute without bars.
   */
  readonly everyMs?: number;
}

/** The same with its pace worked out. */
export type TrailPace = Required<Trailing>;

const MOST_TRAILS = 1_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 86_400_000;
const WITHOUT_BARS_MS = 60_000;
const FIELDS: ReadonlySet<string> = new Set(['most', 'everyMs']);

/** Reason a value cannot be the `trailing` of a strategy; null if it can. */
export function wrongTrailing(trailing: unknown): string | null {
  if (trailing === undefined) return null;
  if (!isFields(trailing)) return `expected trailing to be like { most: 1 }, was ${typeof trailing}`;
  const stray = Object.keys(trailing).find((name) => !FIELDS.has(name));
  if (stray !== undefined) return `expected trailing to have most and everyMs, was "${stray}"`;
  const { most, everyMs } = trailing;
  if (!isWhole(most, 1, MOST_TRAILS))
    return `expected trailing.most to be a whole number from 1 to ${MOST_TRAILS}, was ${inputText(most)}`;
  if (everyMs !== undefined && !isWhole(everyMs, SHORTEST_MS, LONGEST_MS))
    return `expected trailing.everyMs to be from ${SHORTEST_MS} to ${LONGEST_MS} ms, was ${inputText(everyMs)}`;
  return null;
}

/** Returns the number of stops that follow the price, and their pace; null if a strategy does not set it. */
export function paceOf(
  trailing: Trailing | undefined,
  subscriptions: readonly Subscription[],
): TrailPace | null {
  if (trailing === undefined) return null;
  const bars = subscriptions.flatMap((wanted) =>
    wanted.kind === 'candles' ? [timeframeMs(wanted.timeframe)] : [],
  );
  const { most, everyMs = bars.length === 0 ? WITHOUT_BARS_MS : Math.min(...bars) } = trailing;
  return { most, everyMs };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
