import type { LockRecord } from '../../engine/lock-records.ts';
import type { MemberRecord } from '../../engine/member-records.ts';
import type { LockScope } from '../../engine/lock.ts';
import type { BandColumns } from '../../page/run-data.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { reportVoice, type ReportVoice } from '../report-voice.ts';

/** Bands of each kind that a page carries. Of more the longest are drawn, and the page says so. */
const MOST_BANDS = 5_000;

/** A stretch of time in one market, or in all. */
interface TimeBand {
  /** Null: all. */
  readonly market: string | null;
  readonly fromMs: number;
  /** Its own moment is not in it. */
  readonly untilMs: number;
  /** In one word or two: the lock, or the strategy and its universe. */
  readonly name: string;
  readonly text: string;
}

/** Locks over the time that they held. */
export function lockBands(
  { locks, toMs }: Pick<BacktestRun, 'locks' | 'toMs'>,
  voice = reportVoice('en'),
): readonly TimeBand[] {
  const { say, foreign, said } = voice;
  return locks.records.map((record) => ({
    market: record.lock.market,
    fromMs: record.lock.beganAtMs,
    untilMs: lockEndMs(record, toMs),
    name: `${foreign(record.lock.name)} (${lockScope(record.lock, voice)})`,
    text: say('bands.refused', { reason: said(record.lock.reason), count: record.refused }),
  }));
}

/** Returns the scope of a lock: `all markets`, `BTCIRT`, `BTCIRT for grid`. */
export function lockScope({ strategy, market }: LockScope, { say, foreign }: ReportVoice): string {
  const markets = market === null ? say('locks.allMarkets') : foreign(market);
  return strategy === null ? markets : say('locks.ofStrategy', { markets, strategy });
}

/** Returns when a lock ended, or the run did. */
export function lockEndMs({ lock, endedAtMs }: LockRecord, toMs: number): number {
  return Math.max(lock.beganAtMs, endedAtMs ?? toMs);
}

/**
 * Markets over the time that they were in a universe. What is not known ends nothing: where changes are
 * missing, a member is one until the last that is listed.
 */
export function memberBands(
  { members, toMs }: Pick<BacktestRun, 'members' | 'toMs'>,
  { say, digits, foreign } = reportVoice('en'),
): readonly TimeBand[] {
  const { records, more } = members;
  const knownUntilMs = more === 0 ? toMs : (records.at(-1)?.atMs ?? toMs);
  const inside = new Map<string, MemberRecord>();
  const bands: TimeBand[] = [];
  const end = (entered: MemberRecord, untilMs: number): void => {
    const { market, strategy, universe, atMs, rank } = entered;
    const name = foreign(`${strategy}/${universe}`);
    const text = say('bands.member', { rank: digits(String(rank)) });
    bands.push({ market, fromMs: atMs, untilMs, name, text });
  };
  for (const record of records) {
    const key = JSON.stringify([record.strategy, record.universe, record.market]);
    const entered = inside.get(key);
    if (record.kind === 'entered') inside.set(key, record);
    else if (entered !== undefined) {
      inside.delete(key);
      end(entered, record.atMs);
    }
  }
  for (const entered of inside.values()) end(entered, Math.max(entered.atMs, knownUntilMs));
  return bands;
}

/** Bands as a page carries them: those of its markets, the longest where there are too many. */
export function bandColumns(
  bands: readonly TimeBand[],
  indexOf: ReadonlyMap<string, number>,
  most = MOST_BANDS,
): BandColumns {
  const known = bands.filter(({ market }) => market === null || indexOf.has(market));
  const longest = known
    .toSorted((left, right) => right.untilMs - right.fromMs - (left.untilMs - left.fromMs))
    .slice(0, most)
    .toSorted((left, right) => left.fromMs - right.fromMs);
  return {
    market: longest.map(({ market }) => (market === null ? -1 : (indexOf.get(market) ?? -1))),
    fromMs: longest.map(({ fromMs }, index) => fromMs - (longest[index - 1]?.fromMs ?? 0)),
    lengthMs: longest.map(({ fromMs, untilMs }) => untilMs - fromMs),
    name: longest.map(({ name }) => name),
    text: longest.map(({ text }) => text),
    all: known.length,
  };
}
