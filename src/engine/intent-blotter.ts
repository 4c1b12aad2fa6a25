import type { Intent } from '../strategy/intents.ts';
import type { IntentRecord } from './mirror-change.ts';
import type { Outbox } from './outbox.ts';

/**
 * Intents at work that are remembered, to be ended in the mirror. Bounded by the orders and algorithms that
 * can be live.
 */
export class IntentBlotter {
  private readonly outbox: Outbox;
  private readonly working = new Map<string, IntentRecord>();

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  begin(id: string, strategy: string, intent: Intent): void {
    const record: IntentRecord = {
      id,
      strategy,
      atMs: this.outbox.nowMs,
      kind: intent.kind,
      market: 'market' in intent ? (intent.market ?? null) : null,
      // What is not kept for a restart is read by nobody.
      json: this.outbox.isRestartable ? JSON.stringify(intent) : '',
      status: 'working',
      reason: null,
    };
    this.working.set(id, record);
    this.write(record);
    this.outbox.journal('intent', id, { strategy, kind: intent.kind });
  }

  end(id: string, status: 'done' | 'refused', reason: string): void {
    const record = this.working.get(id);
    if (record === undefined) return;
    this.working.delete(id);
    this.write({ ...record, status, reason });
    this.outbox.journal('intent', id, { status, reason });
  }

  /** Takes over what was at work before a restart. */
  restore(records: readonly IntentRecord[]): void {
    for (const record of records) this.working.set(record.id, record);
  }

  isWorking(id: string): boolean {
    return this.working.has(id);
  }

  private write(intent: IntentRecord): void {
    if (this.outbox.isRestartable) this.outbox.change({ kind: 'intent', intent });
  }
}
