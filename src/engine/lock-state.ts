import { z } from 'zod';
import { formatUnits, type Units } from '../domain/money.ts';
import { storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import { storedLock, type DrawdownRule } from './lock.ts';
import {
  storedEarning,
  storedStop,
  type Earning,
  type Stop,
  millionthsText,
  WINDOW_PARTS,
} from './locks/trade-counts.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import { sentence, type Sentence } from '../language/sentence.ts';

/** The equity of one strategy, or of all (null), as a drawdown rule sees it. */
const storedPeaks = z.object({
  strategy: z.string().nullable(),
  /** Equity less results when it was first looked at: what was put in later does not count. */
  base: storedUnits,
  /** The highest of parts of the window, oldest first; each is higher than those after it. */
  highs: z.array(z.object({ fromMs: storedTimeMs, equity: storedUnits })),
});

export type Peaks = Readonly<z.output<typeof storedPeaks>>;

/**
 * Returns the sampling period of equity, in whole minutes: at least 500 samples per window, except for short
 * ones.
 */
function samplePeriodMs({ withinMs }: Pick<DrawdownRule, 'withinMs'>): number {
  return Math.max(1, Math.ceil(withinMs / 500 / MINUTE_MS)) * MINUTE_MS;
}

/**
 * Returns the time of the next equity sample: at whole periods since 1970, so that every run has the same.
 */
export function nextSampleMs(rule: Pick<DrawdownRule, 'withinMs'>, nowMs: number): number {
  const periodMs = samplePeriodMs(rule);
  return (Math.floor(nowMs / periodMs) + 1) * periodMs;
}

/** The highs with a new look at the equity. Those that are over, or lower than it, are gone. */
export function withEquity(
  peaks: Peaks,
  equity: Units,
  { withinMs, nowMs }: { readonly withinMs: number; readonly nowMs: number },
): Peaks {
  const partMs = Math.max(1, Math.floor(withinMs / WINDOW_PARTS));
  const fromMs = Math.floor(nowMs / partMs) * partMs;
  const isYoung = (high: Peaks['highs'][number]): boolean => high.fromMs + partMs > nowMs - withinMs;
  const { highs } = peaks;
  const last = highs.at(-1);
  const isKnown = last !== undefined && last.equity >= equity && last.fromMs === fromMs;
  if (isKnown && highs.every(isYoung)) return peaks;
  const higher = highs.filter(
    (high) => isYoung(high) && (high.equity > equity || (isKnown && high === last)),
  );
  return { ...peaks, highs: isKnown ? higher : [...higher, { fromMs, equity }] };
}

/** Returns the reason the equity has fallen too far; null if it has not. */
export function fallenTooFar(
  { highs }: Peaks,
  equity: Units,
  { rule, quote, within }: { readonly rule: DrawdownRule; readonly quote: string; readonly within: string },
): Sentence | null {
  const peak = highs[0]?.equity;
  if (peak === undefined || peak <= 0n) return null;
  const fall = peak - equity;
  if (fall * 1_000_000n < peak * BigInt(rule.fallMillionths)) return null;
  const share = millionthsText(Number((fall * 1_000_000n) / peak));
  return sentence('lock-equity', {
    equity: `${formatUnits(equity)} ${quote.toUpperCase()}`,
    fall: share,
    peak: formatUnits(peak),
    within,
    limit: millionthsText(rule.fallMillionths),
  });
}

/** Of the stored form; another one is refused, as what it means is not known. */
const VERSION = 1;

/** Counts of one rule. */
const storedCounts = z.object({
  rule: z.string(),
  stops: z.array(storedStop),
  earnings: z.array(storedEarning),
  peaks: z.array(storedPeaks),
});

/** Lock data stored across restarts. */
export const storedLocks = z.object({
  version: z.literal(VERSION, {
    error: `expected version ${VERSION} of what is kept of locks: it is of another sarraf; run that one, or move the mirror away`,
  }),
  locks: z.array(storedLock),
  counts: z.array(storedCounts),
  /** The next change by the clock that is known, for people who look while no bot runs. */
  nextChangeAtMs: storedTimeMs.nullable(),
});

export type StoredLocks = z.output<typeof storedLocks>;
export interface RuleCounts {
  readonly rule: string;
  readonly stops: readonly Stop[];
  readonly earnings: readonly Earning[];
  readonly peaks: readonly Peaks[];
}

/** Nothing locked, nothing counted. */
export const NO_LOCKS: StoredLocks = { version: VERSION, locks: [], counts: [], nextChangeAtMs: null };

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** As it is written: units are decimal texts. */
export function locksToJson(state: StoredLocks): unknown {
  return JSON.parse(JSON.stringify(state, plain));
}
