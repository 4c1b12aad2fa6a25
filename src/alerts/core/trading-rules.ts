import { z } from 'zod';
import { formatUnits } from '../../domain/money.ts';
import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot, JournalRow } from './alert-snapshot.ts';
import type { RuleSettings } from './rule-settings.ts';

/** What stops trading or leaves money open: orders, books, halts, strategies, positions and large trades. */
export function tradingConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  return [
    ...unknownOrders(snapshot, rules),
    ...breaks(snapshot, rules),
    ...noOrders(snapshot, rules),
    ...halts(snapshot, rules),
    ...strategies(snapshot, rules),
    ...unprotected(snapshot, rules),
    ...bigFills(snapshot, rules),
  ];
}

function unknownOrders(
  { unknownOrders, atMs }: AlertSnapshot,
  { unknownOrder }: RuleSettings,
): readonly AlertCondition[] {
  if (unknownOrder === null) return [];
  const { severity, afterMs } = unknownOrder;
  return unknownOrders
    .filter(({ sinceMs }) => atMs - sinceMs >= afterMs)
    .map(({ key, strategy, market, sinceMs }) => ({
      key: `unknown-order ${key}`,
      severity,
      facts: { rule: 'unknown-order', order: key, strategy, market, sinceMs },
      sinceMs,
    }));
}

/** Rows of the journal that say why something began, in the shapes in which the engine writes them. */
const breakRow = z.object({
  rows: z.array(z.object({ currency: z.string(), expected: z.string(), found: z.string() })),
});
const haltRow = z.object({ reason: z.string() });
const strategyRow = z.object({ status: z.enum(['paused', 'stopped']), reason: z.string() });

function readRow<Value>(schema: z.ZodType<Value>, { json }: JournalRow): Value | null {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** What the last row of a kind says; undefined where there is none that can be read. */
function lastOf<Value>(
  rows: readonly JournalRow[],
  which: { readonly kind: string; readonly subject: string },
  schema: z.ZodType<Value>,
): { readonly atMs: number; readonly value: Value } | undefined {
  const row = rows.findLast(({ kind, subject }) => kind === which.kind && subject === which.subject);
  const value = row === undefined ? null : readRow(schema, row);
  return row === undefined || value === null ? undefined : { atMs: row.atMs, value };
}

function breaks(snapshot: AlertSnapshot, { break: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const found = snapshot.break;
  const gone = lastOf(snapshot.rows, { kind: 'reconciliation', subject: 'break' }, breakRow);
  const rows = found?.rows ?? gone?.value.rows;
  if (rows === undefined) return [];
  const sinceMs = found?.sinceMs ?? gone?.atMs ?? snapshot.atMs;
  return [{ key: 'break', severity: rule.severity, facts: { rule: 'break', rows }, sinceMs }];
}

function noOrders(
  { noOrders: reason, atMs }: AlertSnapshot,
  { noOrders: rule }: RuleSettings,
): readonly AlertCondition[] {
  if (rule === null || reason === null) return [];
  const { severity, afterMs: forMs } = rule;
  return [{ key: 'no-orders', severity, facts: { rule: 'no-orders', reason }, sinceMs: atMs, forMs }];
}

function halts({ halt, rows, atMs }: AlertSnapshot, { halted }: RuleSettings): readonly AlertCondition[] {
  if (halted === null) return [];
  const gone = lastOf(rows, { kind: 'control', subject: 'halt' }, haltRow);
  const reason = halt?.reason ?? gone?.value.reason;
  if (reason === undefined) return [];
  const sinceMs = halt?.sinceMs ?? gone?.atMs ?? atMs;
  return [{ key: 'halted', severity: halted.severity, facts: { rule: 'halted', reason }, sinceMs }];
}

function strategies(snapshot: AlertSnapshot, { strategy: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const { severity } = rule;
  const conditions = new Map<string, AlertCondition>();
  const note = (
    strategy: string,
    of: { readonly status: 'paused' | 'stopped'; readonly reason: string; readonly sinceMs: number },
  ): void => {
    const { sinceMs, ...rest } = of;
    const key = `strategy ${strategy}`;
    conditions.set(key, { key, severity, facts: { rule: 'strategy', strategy, ...rest }, sinceMs });
  };
  // One that failed and goes on again since the last look is said all the same.
  for (const row of snapshot.rows) {
    const read = row.kind === 'strategy' ? readRow(strategyRow, row) : null;
    if (read !== null) note(row.subject, { ...read, sinceMs: row.atMs });
  }
  for (const { name, status, reason, atMs } of snapshot.strategies) {
    if (status !== 'running' && reason !== null) note(name, { status, reason, sinceMs: atMs });
  }
  return [...conditions.values()];
}

function unprotected(
  { unprotected, atMs }: AlertSnapshot,
  { unprotected: rule }: RuleSettings,
): readonly AlertCondition[] {
  if (rule === null) return [];
  return unprotected.map(({ strategy, market, asset, amount, reason }) => ({
    key: `unprotected ${strategy} ${market}`,
    severity: rule.severity,
    facts: { rule: 'unprotected', strategy, market, asset, amount, reason },
    sinceMs: atMs,
    forMs: rule.afterMs,
  }));
}

function bigFills({ fills }: AlertSnapshot, { bigFill }: RuleSettings): readonly AlertCondition[] {
  if (bigFill === null) return [];
  return fills.flatMap((fill): readonly AlertCondition[] => {
    const { tradeId, strategy, market, side, currency, total, amount, price, atMs } = fill;
    const least = bigFill.least[currency];
    if (least === undefined || total < least) return [];
    return [
      {
        key: `big-fill ${tradeId} ${side}`,
        severity: bigFill.severity,
        facts: {
          rule: 'big-fill',
          strategy,
          market,
          side,
          amount: formatUnits(amount),
          price: formatUnits(price),
          value: formatUnits(total),
          currency,
        },
        sinceMs: atMs,
        isMoment: true,
      },
    ];
  });
}
