import type { Ranking } from '../strategy/universe-rules.ts';
import type { MemberChange } from './universe/tracked-universe.ts';

/** A market that entered or left a universe, as its strategy was told: what a backtest reports. */
export interface MemberRecord extends MemberChange {
  readonly atMs: number;
  readonly strategy: string;
  /** The name of the data. */
  readonly universe: string;
  readonly rankBy: Ranking;
}

/** Changes that a run remembers of its universes, and the number of later ones that it only counted. */
export interface MemberHistory {
  /** In the order in which strategies were told. */
  readonly records: readonly MemberRecord[];
  readonly more: number;
}

/** Changes that are remembered; later ones are counted alone. */
const MOST_RECORDS = 20_000;

/** Markets that entered and left universes in this life. */
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
