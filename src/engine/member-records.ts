import type { Ranking } from '../strategy/universe-rules.ts';
import type { MemberChange } from './universe/tracked-universe.ts';

/** A market that entered or left a universe, as reported to its strategy; shown in a backtest's report. */
export interface MemberRecord extends MemberChange {
  readonly atMs: number;
  readonly strategy: string;
  /** Name of the universe, as the strategy declares it. */
  readonly universe: string;
  readonly rankBy: Ranking;
}

/** Remembered changes of universes in a run, and the number of further ones. */
export interface MemberHistory {
  /** Changes in the order in which strategies were notified. */
  readonly records: readonly MemberRecord[];
  readonly more: number;
}

/** Maximum number of changes that are remembered; later ones are only counted. */
const MOST_RECORDS = 20_000;

/** Remembers the markets that entered and left universes in this process. */
export class MemberRecords {
  private readonly records: MemberRecord[] = [];
  private more = 0;

  note(changes: readonly MemberChange[], of: Omit<MemberRecord, keyof MemberChange>): void {
    for (const change of changes) {
      if (this.records.length < MOST_RECORDS) this.records.push({ ...of, ...change });
      else this.more += 1;
    }
  }

  history(): MemberHistory {
    return { records: this.records, more: this.more };
  }
}
