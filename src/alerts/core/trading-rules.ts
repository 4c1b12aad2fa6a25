import { z } from 'zod';
import { formatUnits } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { AlertCondition, RuleSettings } from './alert-facts.ts';
import type { AlertSnapshot, JournalRow } from './alert-snapshot.ts';
import { storedSentence } from '../../language/stored-sentence.ts';

/**
 * Returns what stops trading or leaves money open: orders, books, halts, strategies, positions and large
 * trades.
 */
export function tradingConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  return [
    ...unknownOrders(snapshot, rules),
    ...breaks(snapshot, rules),
    ...noOrders(snapshot, rules),
    ...riskLimits(snapshot, rules),
    ...refusedOrders(snapshot, rules),
    ...standstills(snapshot, rules),
    ...halts(snapshot, rules),
    ...strategies(snapshot, rules),
    ...unclear(snapshot, rules),
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
const limitRow = z.object({ strategy: z.string(), reason: storedSentence });
const refusedRow = z.object({ strategy: z.string(), market: z.string(), side: z.string(), code: z.string() });
const haltRow = z.object({ reason: storedSentence });
const strategyRow = z.object({ status: z.enum(['paused', 'stopped']), reason: storedSentence });

function readRow<Value>(schema: z.ZodType<Value>, { json }: JournalRow): Value | null {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns when the first row of a kind was written, and the value of the last one; undefined if that is
 * unreadable.
 */
function toldOf<Value>(
  rows: readonly JournalRow[],
  which: { readonly kind: string; readonly subject: string },
  schema: z.ZodType<Value>,
): { readonly sinceMs: number; readonly value: Value } | undefined {
  const own = rows.filter(({ kind, subject }) => kind === which.kind && subject === which.subject);
  const [first, last] = [own.at(0), own.at(-1)];
  const value = last === undefined ? null : readRow(schema, last);
  return first === undefined || value === null ? undefined : { sinceMs: first.atMs, value };
}

/**
 * Returns the earlier time. A condition that ended and began again since the last poll is one alert, from the
 * first moment on.
 */
const earlier = (oneMs: number | undefined, otherMs: number | undefined): number | undefined =>
  oneMs === undefined ? otherMs : Math.min(oneMs, otherMs ?? oneMs);

function breaks(snapshot: AlertSnapshot, { break: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const found = snapshot.break;
  const told = toldOf(snapshot.rows, { kind: 'reconciliation', subject: 'break' }, breakRow);
  const rows = found?.rows ?? told?.value.rows;
  if (rows === undefined) return [];
  const sinceMs = earlier(told?.sinceMs, found?.sinceMs) ?? snapshot.atMs;
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

/** One that began and was over since the last look is said all the same. */
function riskLimits(snapshot: AlertSnapshot, { riskLimit }: RuleSettings): readonly AlertCondition[] {
  if (riskLimit === null) return [];
  const { severity } = riskLimit;
  const begun = snapshot.rows.flatMap((row) => {
    const read = row.kind === 'control' && row.subject === 'limit begun' ? readRow(limitRow, row) : null;
    return read === null ? [] : [{ ...read, sinceMs: row.atMs }];
  });
  const byStrategy = new Map([...begun, ...snapshot.lossLimits].map((each) => [each.strategy, each]));
  return [...byStrategy.values()].map(({ strategy, reason, sinceMs }) => ({
    key: `risk-limit ${strategy}`,
    severity,
    facts: { rule: 'risk-limit', strategy, reason },
    sinceMs,
  }));
}

function refusedOrders({ rows }: AlertSnapshot, { refused }: RuleSettings): readonly AlertCondition[] {
  if (refused === null) return [];
  const { severity } = refused;
  return rows.flatMap((row): readonly AlertCondition[] => {
    const read = row.kind === 'notice' && row.subject === 'refused' ? readRow(refusedRow, row) : null;
    if (read === null) return [];
    const { strategy, market, side, code } = read;
    return [
      {
        key: `refused ${strategy} ${market} ${side} ${code}`,
        severity,
        facts: { rule: 'refused', strategy, market, code },
        sinceMs: row.atMs,
        isMoment: true,
      },
    ];
  });
}

function standstills(
  { standstills, atMs }: AlertSnapshot,
  { standstill: rule }: RuleSettings,
): readonly AlertCondition[] {
  if (rule === null) return [];
  const { severity, afterMs: forMs } = rule;
  return standstills.map(({ market, reason }) => ({
    key: `standstill ${market}`,
    severity,
    facts: { rule: 'standstill', market, reason },
    sinceMs: atMs,
    forMs,
  }));
}

function halts({ halt, rows, atMs }: AlertSnapshot, { halted }: RuleSettings): readonly AlertCondition[] {
  if (halted === null) return [];
  const told = toldOf(rows, { kind: 'control', subject: 'halt' }, haltRow);
  const reason = halt?.reason ?? told?.value.reason;
  if (reason === undefined) return [];
  const sinceMs = earlier(told?.sinceMs, halt?.sinceMs) ?? atMs;
  return [{ key: 'halted', severity: halted.severity, facts: { rule: 'halted', reason }, sinceMs }];
}

function strategies(snapshot: AlertSnapshot, { strategy: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const { severity } = rule;
  const conditions = new Map<string, AlertCondition>();
  const note = (
    strategy: string,
    of: { readonly status: 'paused' | 'stopped'; readonly reason: Sentence; readonly sinceMs: number },
  ): void => {
    const { sinceMs: ofMs, ...rest } = of;
    const key = `strategy ${strategy}`;
    const sinceMs = earlier(conditions.get(key)?.sinceMs, ofMs) ?? ofMs;
    conditions.set(key, { key, severity, facts: { rule: 'strategy', strategy, ...rest }, sinceMs });
  };
  // One that failed and goes on again since the last look is said all the same.
  for (const row of snapshot.rows) {
    const read = row.kind === 'strategy' ? readRow(strategyRow, row) : null;
    if (read !== null) note(row.subject, { ...read, sinceMs: row.atMs });
  }
  for (const { name, status, reason, atMs } of snapshot.strategies) {
    // Its owner took it out of the configuration, and it has left no coins.
    if (reason === sentence('strategy-left')) continue;
    if (status !== 'running' && reason !== null) note(name, { status, reason, sinceMs: atMs });
  }
  return [...conditions.values()];
}

function unclear(snapshot: AlertSnapshot, { unclear: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  return snapshot.unclear.map(({ sinceMs, ...facts }) => ({
    key: `unclear ${facts.of === null ? facts.asset : `${facts.of.strategy} ${facts.of.market}`}`,
    severity: rule.severity,
    facts: { rule: 'unclear', ...facts },
    sinceMs,
  }));
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
