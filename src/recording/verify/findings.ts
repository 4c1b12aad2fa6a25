/** Kinds of verification issue. */
type FindingKind =
  /** A file that is missing, damaged, or that no manifest names. */
  | 'file'
  | 'order'
  | 'duplicate'
  | 'gap'
  /** Bars that are there once more, shifted by hours: parts of different time zones. */
  | 'zone-slip'
  /** Prices that can not be: not low <= open, close <= high, not positive, a book that crosses. */
  | 'shape'
  | 'negative'
  | 'off-step';

/** One thing that is wrong, or looks so. */
interface Finding {
  readonly kind: FindingKind;
  /** Null where it is not of a time. */
  readonly atMs: number | null;
  /** A sentence without its full stop. */
  readonly text: string;
}

/** Findings of one kind that are listed; beyond that they are only counted. */
const MOST_OF_A_KIND = 1_000;

/** Findings of one folder, by kind and in the order of time. */
export class Findings {
  readonly listed: Finding[] = [];
  private readonly counts = new Map<FindingKind, number>();

  add(kind: FindingKind, atMs: number | null, text: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count <= MOST_OF_A_KIND) this.listed.push({ kind, atMs, text });
  }

  /** Counts of each kind, including findings that are not listed. */
  byKind(): Readonly<Partial<Record<FindingKind, number>>> {
    return Object.fromEntries(this.counts);
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
