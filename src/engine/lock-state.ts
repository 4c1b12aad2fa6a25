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

/** Equity highs that a drawdown rule remembers, of one strategy or of all (null). */
const storedPeaks = z.object({
  strategy: z.string().nullable(),
  /** Equity less results at the first sample: money that is added later does not count. */
  base: storedUnits,
  /** Highs of parts of the rule's window, oldest first; each is higher than all later ones. */
  highs: z.array(z.object({ fromMs: storedTimeMs, equity: storedUnits })),
});

export type Peaks = Readonly<z.output<typeof storedPeaks>>;

/**
 * Returns the interval of equity samples in ms, in whole minutes: about 500 samples in a window, fewer in
 * short ones.
 */
function samplePeriodMs({ withinMs }: Pick<DrawdownRule, 'withinMs'>): number {
  return Math.max(1, Math.ceil(withinMs / 500 / MINUTE_MS)) * MINUTE_MS;
}

/** Returns the time of the next equity sample: whole intervals since 1970, the same in every run. */
export function nextSampleMs(rule: Pick<DrawdownRule, 'withinMs'>, nowMs: number): number {
  const periodMs = samplePeriodMs(rule);
  return (Math.floor(nowMs / periodMs) + 1) * periodMs;
}

/** Returns the highs after a new sample, without those that are too old or lower than the sample. */
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

/** Version of the stored form. Other versions are refused, as their meaning is unknown. */
const VERSION = 1;

/** Counts of one lock rule. */
const storedCounts = z.object({
  rule: z.string(),
  stops: z.array(storedStop),
  earnings: z.array(storedEarning),
  peaks: z.array(storedPeaks),
});

/** Stored state of locks and of what their rules have counted. */
export const storedLocks = z.object({
  version: z.literal(VERSION, {
    error: `expected version ${VERSION} of what is kept of locks: it is of another sarraf; run that one, or move the mirror away`,
  }),
  locks: z.array(storedLock),
  counts: z.array(storedCounts),
  /** Time of the next known change by the clock, for readers while no bot runs; null if none is known. */
  nextChangeAtMs: storedTimeMs.nullable(),
});

export type StoredLocks = z.output<typeof storedLocks>;
export interface RuleCounts {
  readonly rule: string;
  readonly stops: readonly Stop[];
  readonly earnings: readonly Earning[];
  readonly peaks: readonly Peaks[];
}

/** State without any locks or counts. */
export const NO_LOCKS: StoredLocks = { version: VERSION, locks: [], counts: [], nextChangeAtMs: null };

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** Returns the state as JSON to store; units are decimal texts. */
export function locksToJson(state: StoredLocks): unknown {
  return JSON.parse(JSON.stringify(state, plain));
}
