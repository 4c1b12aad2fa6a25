/** A stretch of time in which a process did nothing: it stood still, or there was none. */
export interface Absence {
  readonly fromMs: number;
  /** Infinity while it goes on with no end that is known. */
  toMs: number;
  /** True if the process had announced its end. */
  isWanted: boolean;
  /** True if a new life of the process has ended it. */
  isOver: boolean;
}

/** Whoever only stood still, and goes on for no longer, cannot have shown itself. */
const A_MOMENT_MS = 1;

/** Follows when a process was there, by what is done to it, in ms of the true time. */
export class Presence {
  readonly absences: Absence[];

  constructor(nowMs: number) {
    this.absences = [{ fromMs: nowMs, toMs: Number.POSITIVE_INFINITY, isWanted: false, isOver: false }];
  }

  begins(nowMs: number): void {
    const last = this.absences.at(-1);
    if (last?.toMs !== Number.POSITIVE_INFINITY) return;
    last.toMs = nowMs;
    last.isOver = true;
  }

  /** It stands still, if it is there, or for longer than it did anyway. */
  stands(nowMs: number, forMs: number): void {
    const absence = this.absent(nowMs);
    absence.toMs = Math.max(absence.toMs, nowMs + forMs);
  }

  /** `isWanted`: it says so before. */
  ends(nowMs: number, isWanted = false): void {
    const absence = this.absent(nowMs);
    absence.toMs = Number.POSITIVE_INFINITY;
    absence.isWanted ||= isWanted;
  }

  /** The absence that a time lies in, with the moment at which it ends; null where the process was there. */
  at(timeMs: number): Absence | null {
    const last = this.absences.findLast(({ fromMs }) => fromMs <= timeMs);
    return last !== undefined && timeMs <= last.toMs + A_MOMENT_MS ? last : null;
  }

  /** True if it was there from one time to another without a break. */
  isThere(fromMs: number, toMs: number): boolean {
    return this.absences.every((absence) => absence.toMs < fromMs || absence.fromMs > toMs);
  }

  private absent(nowMs: number): Absence {
    const going = this.at(nowMs);
    if (going?.isOver === false) return going;
    const absence = { fromMs: nowMs, toMs: nowMs, isWanted: false, isOver: false };
    this.absences.push(absence);
    return absence;
  }
}
