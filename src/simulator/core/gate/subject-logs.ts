import { SlidingLog } from './sliding-log.ts';

export type SubjectLogsState = Readonly<Record<string, readonly number[]>>;

/** Callers counted at once for one limit. Beyond, idle ones are forgotten, then the tenth that came first. */
const SUBJECTS_KEPT = 20_000;

/** One limit, counted for each caller apart. */
export class SubjectLogs {
  readonly limit: number;
  readonly windowMs: number;
  private readonly logs = new Map<string, SlidingLog>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** `limit`: a lower one than its own. */
  tryAdd(subject: string, timeMs: number, limit = this.limit): boolean {
    return (this.logs.get(subject) ?? this.begin(subject, timeMs)).tryAdd(timeMs, limit);
  }

  waitMs(subject: string, timeMs: number, limit = this.limit): number {
    return this.logs.get(subject)?.waitMs(timeMs, limit) ?? 0;
  }

  forget(subject: string): void {
    this.logs.delete(subject);
  }

  snapshot(): SubjectLogsState {
    return Object.fromEntries([...this.logs].map(([subject, log]) => [subject, log.entries()]));
  }

  restore(state: SubjectLogsState): void {
    this.logs.clear();
    for (const [subject, times] of Object.entries(state)) {
      const log = new SlidingLog(this.limit, this.windowMs);
      for (const timeMs of times) log.tryAdd(timeMs);
      this.logs.set(subject, log);
    }
  }

  private begin(subject: string, timeMs: number): SlidingLog {
    if (this.logs.size >= SUBJECTS_KEPT) this.makeRoom(timeMs);
    const log = new SlidingLog(this.limit, this.windowMs);
    this.logs.set(subject, log);
    return log;
  }

  private makeRoom(timeMs: number): void {
    for (const [subject, log] of this.logs) if (log.isIdle(timeMs)) this.logs.delete(subject);
    for (const subject of this.logs.keys()) {
      if (this.logs.size < SUBJECTS_KEPT * 0.9) return;
      this.logs.delete(subject);
    }
  }
}
