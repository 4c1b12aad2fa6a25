import { SubjectLogs } from './subject-logs.ts';

/**
 * Refusals within an hour that a caller gets as warnings while a limit is lowered; who goes on beyond them is
 * locked out.
 */
const WARNINGS = 30;
const WARNED_FOR_MS = 3_600_000;

/** Limits that a crowded exchange has lowered for the time being. */
export class Crowding {
  private readonly lowered = new Map<string, { readonly limit: number; readonly warnings: SubjectLogs }>();

  /** Lowers the limit of a budget; null gives it back. */
  set(budget: string, limit: number | null): void {
    if (limit === null) this.lowered.delete(budget);
    else this.lowered.set(budget, { limit, warnings: new SubjectLogs(WARNINGS, WARNED_FOR_MS) });
  }

  /** The limit that a budget is lowered to; null where it is not. */
  limitOf(budget: string): number | null {
    return this.lowered.get(budget)?.limit ?? null;
  }

  /** True if a caller that exceeded a limit may be warned once more; else it is locked out. */
  warns(budget: string, subject: string, timeMs: number): boolean {
    return this.lowered.get(budget)?.warnings.tryAdd(subject, timeMs) ?? false;
  }
}
