import { type BudgetReport, reportOf, type LedgerRow } from '../ledger-report.ts';
import { LedgerImage, isDoubtful, parsed } from './ledger-image.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { z } from 'zod';
import { NAMED_FIELD, PAST_FIELD, STOP_FIELD } from './ledger-draft.ts';
import { LOCKOUT_FIELD } from '../lockouts.ts';
import { BUDGET_FIELD } from '../slot-rows.ts';
import { isLeaseholder } from './cancel-lease.ts';

/**
 * Reads every budget of a ledger in Redis without changing it. `nowMs`: time of the report; default: the
 * server's. Throws errors of Redis, and `DATA_UNUSABLE` for a field that does not belong to a ledger.
 */
export async function readRedisLedger(
  { client, key }: RedisConnection,
  nowMs?: number,
): Promise<readonly BudgetReport[]> {
  const [fields, [seconds, microseconds]] = await Promise.all([client.hgetall(key), client.time()]);
  const image = new LedgerImage(new Map(Object.entries(fields)));
  return reportOfImage(image, nowMs ?? Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000));
}

/** Returns the report of every budget in an image, at a time of the server. */
export function reportOfImage(image: LedgerImage, nowMs: number): readonly BudgetReport[] {
  const read = <Shape extends z.ZodType>(field: string, shape: Shape): z.output<Shape> | null => {
    const text = image.fields.get(field);
    return text === undefined ? null : parsed(field, text, shape);
  };
  const past = read('past', PAST_FIELD);
  const rows = image
    .names('budget')
    .toSorted()
    .map((field): LedgerRow => {
      const [, subject = '', ...name] = field.split(':');
      const budget = name.join(':');
      const row = parsed(field, image.fields.get(field) ?? '', BUDGET_FIELD);
      const slots = image.slots(`slots:${subject}:${budget}`);
      const named = read(`named:${subject}:${budget}`, NAMED_FIELD);
      const lockout = read(`lockout:${subject}:${budget}`, LOCKOUT_FIELD);
      return {
        subject,
        budget,
        request_limit: row.requestLimit,
        stated_limit: row.statedLimit,
        window_ms: row.windowMs,
        reserve: row.reserve,
        assumed: row.assumed,
        grown_since_ms: row.fullSinceMs,
        full_since_ms: past?.sinceMs ?? null,
        heard_at_ms: past?.heardAtMs ?? null,
        on_the_way: slots.filter(
          (slot) => slot.stampedAtMs === null && !isDoubtful(slot) && !isLeaseholder(slot.owner),
        ).length,
        in_use: slots.filter(({ stampedAtMs }) => (stampedAtMs ?? nowMs) + row.windowMs >= nowMs).length,
        named_limit: named?.limit ?? null,
        named_at_ms: named?.atMs ?? null,
        kind: lockout?.kind ?? null,
        at_ms: lockout?.atMs ?? null,
        probe_at_ms: read(`stop:${subject}`, STOP_FIELD)?.probeAtMs ?? null,
      };
    });
  // No request leaves before the windows are over, so no answer can shorten them.
  return rows.map((row) => reportOf(row, { nowMs, canBeHeard: false }));
}
