import type { Intent } from '../../strategy/intents.ts';
import { emptyOf } from '../../records/field.ts';
import { APPROVAL_FIELDS, INTENT, type IntentRecord } from '../../records/rows.ts';
import { OutboxPart } from '../outbox.ts';
import type { Sentence } from '../../language/sentence.ts';
import { restored, type StoredTexts } from '../stored-records.ts';

/** Part of an intent's record about its approval. */
export type Approval = Pick<IntentRecord, (typeof APPROVAL_FIELDS)[number]>;

const NO_APPROVAL: Approval = emptyOf(INTENT);

/** Approval of an entry that needs none. */
export const EXEMPT: Approval = { ...NO_APPROVAL, approval: 'exempt' };

/**
 * Intents at work, kept so that they can be ended in the mirror. Bounded by the orders and algorithms that
 * can be live.
 */
export class IntentBlotter extends OutboxPart {
  /** Intents at work, by id; null if an intent is not stored for a restart. */
  private readonly working = new Map<string, IntentRecord | null>();

  /** Begins an intent. One that has waited for its approval has begun before. */
  begin(id: string, strategy: string, intent: Intent, approval: Approval = NO_APPROVAL): void {
    const { outbox } = this;
    if ((!outbox.isRestartable && !outbox.isJournaled) || this.working.has(id)) return;
    // Without a restart nobody reads the record.
    const record = outbox.isRestartable
      ? {
          ...approval,
          id,
          strategy,
          atMs: outbox.nowMs,
          kind: intent.kind,
          market: 'market' in intent ? (intent.market ?? null) : null,
          json: JSON.stringify(intent),
          status: 'working' as const,
          reason: null,
        }
      : null;
    this.working.set(id, record);
    if (record !== null) outbox.change({ kind: 'intent', intent: record });
    if (outbox.isJournaled) outbox.journal('intent', id, { strategy, kind: intent.kind });
  }

  /** Records why an intent at work does not end, or what became of its approval. */
  note(id: string, news: Partial<IntentRecord>): void {
    const record = this.working.get(id);
    if (record === undefined || record === null) return;
    const noted = { ...record, ...news };
    this.working.set(id, noted);
    this.outbox.change({ kind: 'intent', intent: noted });
  }

  end(id: string, status: 'done' | 'refused', reason: Sentence): void {
    const record = this.working.get(id);
    if (record === undefined) return;
    this.working.delete(id);
    if (record !== null) this.outbox.change({ kind: 'intent', intent: { ...record, status, reason } });
    if (this.outbox.isJournaled) this.outbox.journal('intent', id, { status, reason });
  }

  /** True if an intent at work may buy though the entries of its strategy need an approval. */
  mayEnter(id: string): boolean {
    const approval = this.working.get(id)?.approval ?? null;
    return approval === 'approved' || approval === 'exempt';
  }

  /** Restores the intents that were at work before a restart. */
  restore(records: readonly IntentRecord[]): void {
    for (const record of records) this.working.set(record.id, record);
  }
}

/** Counts orders and intents, which are named by it, over all lives of the bot: no number comes twice. */
export class RowCounter extends OutboxPart {
  last = 0;
  /** True if it has counted since the last `store`. */
  isChanged = false;

  next(): number {
    this.last += 1;
    this.isChanged = true;
    return this.last;
  }

  store(): void {
    this.isChanged = false;
    this.outbox.persist('row', this.last);
  }

  restore(stored: StoredTexts): void {
    this.last = restored(stored, 'row') ?? 0;
  }
}
