import type { LockRecord } from '../../../engine/lock-records.ts';
import { outText } from '../../../strategy/rank-markets.ts';
import type { BacktestRun } from '../../backtest-run.ts';
import { lockEndMs, lockScope } from '../time-bands.ts';
import type { ReportVoice } from '../../report-voice.ts';
import { tableSection } from '../../table-section.ts';

/** Rows of each table; its CSV file has all. */
const MOST_ROWS = 100;

/** Number of bands of a kind, and of those in the chart. */
interface Drawn {
  readonly all: number;
  readonly drawn: number;
}

/** Each lock, and what it refused; nothing where none held. */
export function locksSection({ locks, toMs }: BacktestRun, bands: Drawn, voice: ReportVoice): string {
  const { say, second, count, foreign, said } = voice;
  const { records } = locks;
  if (records.length === 0) return '';
  const shown = foremost(records, toMs);
  const rows = shown.map((record) => {
    const { lock, endedAtMs, refused } = record;
    const until = endedAtMs === null ? say('locks.endOfRun') : second(lockEndMs(record, toMs));
    return [
      foreign(lock.name),
      lockScope(lock, voice),
      second(lock.beganAtMs),
      until,
      count(refused),
      said(lock.reason),
    ];
  });
  const titles = [
    say('locks.name'),
    say('locks.scope'),
    say('column.from'),
    say('column.until'),
    say('locks.refused'),
    say('column.reason'),
  ];
  return tableSection({
    id: 'locks',
    title: say('locks.title'),
    note: `${countNote({ shown: shown.length, all: records.length, kept: 'locks.kept', file: 'locks.csv' }, voice)}${drawnNote(bands, voice)}`,
    titles,
    rows,
  });
}

/** Returns the section on who entered and left universes; empty if nobody did. */
export function membersSection({ members }: BacktestRun, bands: Drawn, voice: ReportVoice): string {
  const { say, second, digits, foreign } = voice;
  const { records } = members;
  if (records.length === 0) return '';
  const shown = records.slice(-MOST_ROWS);
  const rows = shown.map(({ atMs, strategy, universe, market, kind, rank, reason, rankBy }) => [
    second(atMs),
    foreign(`${strategy}/${universe}`),
    foreign(market),
    say(`members.${kind}`),
    rank === null ? '' : digits(String(rank)),
    foreign(outText(reason, rankBy)),
  ]);
  const titles = [
    say('members.at'),
    say('members.universe'),
    say('column.market'),
    say('members.change'),
    say('members.rank'),
    say('column.reason'),
  ];
  return tableSection({
    id: 'members',
    title: say('members.title'),
    note: `${countNote({ shown: shown.length, all: records.length, kept: 'members.kept', file: 'members.csv' }, voice)}${drawnNote(bands, voice)}`,
    titles,
    rows,
  });
}

/** The locks that mattered most, in the order in which they began. */
function foremost(records: readonly LockRecord[], toMs: number): readonly LockRecord[] {
  if (records.length <= MOST_ROWS) return records;
  const lengthMs = (record: LockRecord): number => lockEndMs(record, toMs) - record.lock.beganAtMs;
  return records
    .toSorted((left, right) => right.refused - left.refused || lengthMs(right) - lengthMs(left))
    .slice(0, MOST_ROWS)
    .toSorted((left, right) => left.lock.beganAtMs - right.lock.beganAtMs);
}

interface Counted {
  readonly shown: number;
  readonly all: number;
  readonly kept: 'locks.kept' | 'members.kept';
  readonly file: string;
}

function countNote({ shown, all, kept, file }: Counted, { say, count, digits }: ReportVoice): string {
  if (shown === all) return say('times');
  const some = { all: count(all), shown: digits(String(shown)), kept: say(kept), file };
  return `${say('bands.some', some)} ${say('times')}`;
}

function drawnNote({ all, drawn }: Drawn, { say, count }: ReportVoice): string {
  return drawn === all ? '' : ` ${say('bands.drawn', { all: count(all), drawn: count(drawn) })}`;
}
