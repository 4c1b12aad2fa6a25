import { groupedText } from '../../../domain/money-text.ts';
import { secondText } from '../../../domain/time-text.ts';
import type { LockRecord } from '../../../engine/lock-records.ts';
import { scopeText } from '../../../execution/locks/lock.ts';
import { outText } from '../../../strategy/universe/rank-markets.ts';
import type { BacktestRun } from '../../backtest-run.ts';
import { lockEndMs } from '../time-bands.ts';
import { tableSection } from './table-section.ts';

/** Rows of each table; its CSV file has all. */
const MOST_ROWS = 100;

/** How many bands of a kind there were, and how many of them the chart has. */
interface Drawn {
  readonly all: number;
  readonly drawn: number;
}

/** Each lock, and what it refused; nothing where none held. */
export function locksSection({ locks, toMs }: BacktestRun, bands: Drawn): string {
  const { records } = locks;
  if (records.length === 0) return '';
  const shown = foremost(records, toMs);
  const rows = shown.map((record) => {
    const { lock, endedAtMs, refused } = record;
    const until = endedAtMs === null ? 'end of the run' : secondText(lockEndMs(record, toMs));
    return [
      lock.name,
      scopeText(lock),
      secondText(lock.beganAtMs),
      until,
      groupedText(String(refused)),
      lock.reason,
    ];
  });
  const titles = ['Name', 'Scope', 'From', 'Until', 'Orders refused', 'Reason'];
  const kept = shown.length < records.length ? ' that refused most orders, then the longest,' : '';
  return tableSection({
    id: 'locks',
    title: 'Locks',
    note: `${countNote({ shown: shown.length, all: records.length, kept }, 'locks.csv')}${drawnNote(bands)}`,
    titles,
    rows,
  });
}

/** Who entered and left universes; nothing where nobody did. */
export function membersSection({ members }: BacktestRun, bands: Drawn): string {
  const { records } = members;
  if (records.length === 0) return '';
  const shown = records.slice(-MOST_ROWS);
  const rows = shown.map(({ atMs, strategy, universe, market, kind, rank, reason, rankBy }) => [
    secondText(atMs),
    `${strategy}/${universe}`,
    market,
    kind,
    rank === null ? '' : String(rank),
    outText(reason, rankBy),
  ]);
  const titles = ['At', 'Universe', 'Market', 'Change', 'Rank', 'Reason'];
  const kept = shown.length < records.length ? ' that came last' : '';
  return tableSection({
    id: 'members',
    title: 'Members of universes',
    note: `${countNote({ shown: shown.length, all: records.length, kept }, 'members.csv')}${drawnNote(bands)}`,
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

function countNote(
  of: { readonly shown: number; readonly all: number; readonly kept: string },
  file: string,
) {
  const { shown, all, kept } = of;
  if (shown === all) return 'Times are UTC.';
  return `Of ${groupedText(String(all))}, the ${shown}${kept} are here; ${file} has all. Times are UTC.`;
}

function drawnNote({ all, drawn }: Drawn): string {
  return drawn === all
    ? ''
    : ` Of ${groupedText(String(all))} bands the chart has the ${groupedText(String(drawn))} longest.`;
}
