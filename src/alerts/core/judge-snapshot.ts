import { z } from 'zod';
import { formatUnits } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { storedSentence } from '../../records/field.ts';
import { drawdownOf, profitOfTehranDay, type ValueAt } from '../../portfolio/value-series.ts';
import {
  type AlertCondition,
  type RuleSettings,
  type AlertSnapshot,
  type JournalRow,
  isAhead,
} from './alert-facts.ts';

/** Maximum number of conditions from one poll; beyond it the last ones are left out until others end. */
const MOST_CONDITIONS = 500;
const MEGABYTE = 1_000_000;
const FAULT_FOR_MS = 10_000;
const BASIS_POINTS = 10_000;

type RuleName = keyof RuleSettings;
type Found = Omit<AlertCondition, 'severity'>;

/** Returns all conditions that are worth an alert at a moment, each key once. */
export function judgeSnapshot(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  const conditions = new Map<string, AlertCondition>();
  for (const name of Object.keys(RULES) as RuleName[]) {
    const rule = rules[name];
    if (rule === null) continue;
    const judge = RULES[name] as (snapshot: AlertSnapshot, rule: object) => readonly Found[];
    for (const found of judge(snapshot, rule))
      conditions.set(found.key, { ...found, severity: rule.severity });
  }
  return [...conditions.values()].slice(0, MOST_CONDITIONS);
}

/** Rules, each with the function that finds its conditions: the machine, the account, trading, equity. */
const RULES: {
  readonly [Name in RuleName]: (
    snapshot: AlertSnapshot,
    rule: NonNullable<RuleSettings[Name]>,
  ) => readonly Found[];
} = {
  silent(snapshot, { afterMs }) {
    if (silenceMs(snapshot) < afterMs) return [];
    const { lastSignMs, watchedSinceMs } = snapshot;
    return [{ key: 'silent', facts: { rule: 'silent', lastSignMs }, sinceMs: lastSignMs ?? watchedSinceMs }];
  },

  /** Finds that nothing was read for too long, or that single feeds are too old according to health. */
  noData({ atMs, lastReadMs, watchedSinceMs, staleFeeds }, { afterMs }) {
    const sinceMs = Math.max(lastReadMs ?? 0, watchedSinceMs);
    if (atMs - sinceMs >= afterMs)
      return [{ key: 'no-data', facts: { rule: 'no-data', feed: null, readAtMs: lastReadMs }, sinceMs }];
    return staleFeeds
      .filter(({ readAtMs }) => atMs - Math.max(readAtMs ?? 0, watchedSinceMs) >= afterMs)
      .map(({ feed, readAtMs }) => ({
        key: `no-data ${feed}`,
        facts: { rule: 'no-data', feed, readAtMs },
        sinceMs: readAtMs ?? watchedSinceMs,
      }));
  },

  disk({ freeBytes, diskFault: fault, atMs }, { leastMegabytes }) {
    const isLow = freeBytes !== null && freeBytes < leastMegabytes * MEGABYTE;
    if (!isLow && fault === null) return [];
    // While a mirror is created, its reserve is missing for a moment.
    const forMs = isLow ? {} : { forMs: FAULT_FOR_MS };
    return [{ key: 'disk', facts: { rule: 'disk', freeBytes, fault }, sinceMs: atMs, ...forMs }];
  },

  clock({ clockAheadMs: aheadMs, atMs }) {
    return aheadMs === null ? [] : [{ key: 'clock', facts: { rule: 'clock', aheadMs }, sinceMs: atMs }];
  },

  lockout({ lockouts, atMs }) {
    return lockouts.map(({ budget, endsAtMs }) => ({
      key: `lockout ${budget}`,
      facts: { rule: 'lockout', budget, endsAtMs },
      sinceMs: atMs,
    }));
  },

  credential({ credential: refused, rows }) {
    // A refusal since the last poll is reported even if it is over.
    const row = rows.find(
      ({ kind, subject, json }) =>
        kind === 'notice' && subject === 'credential' && json.includes('"refused":true'),
    );
    const found = refused ?? (row === undefined ? null : { name: '', advice: '', sinceMs: row.atMs });
    if (found === null) return [];
    const { name, advice, sinceMs } = found;
    return [{ key: 'credential', facts: { rule: 'credential', name, advice }, sinceMs }];
  },

  newDevice({ device, deviceBefore, atMs }) {
    if (device === null || deviceBefore === null || device === deviceBefore) return [];
    const facts = { rule: 'new-device' } as const;
    return [{ key: `new-device ${device}`, facts, sinceMs: atMs, isMoment: true }];
  },

  unknownOrder({ unknownOrders, atMs }, { afterMs }) {
    return unknownOrders
      .filter(({ sinceMs }) => atMs - sinceMs >= afterMs)
      .map(({ key, strategy, market, sinceMs }) => ({
        key: `unknown-order ${key}`,
        facts: { rule: 'unknown-order', order: key, strategy, market, sinceMs },
        sinceMs,
      }));
  },

  break({ break: found, rows: journal, atMs }) {
    const told = rowOrKnown(journal, { kind: 'reconciliation', subject: 'break' }, breakRow);
    const rows = found?.rows ?? told?.value.rows;
    if (rows === undefined) return [];
    const sinceMs = earlier(told?.sinceMs, found?.sinceMs) ?? atMs;
    return [{ key: 'break', facts: { rule: 'break', rows }, sinceMs }];
  },

  noOrders({ noOrders: reason, atMs }, { afterMs: forMs }) {
    if (reason === null) return [];
    return [{ key: 'no-orders', facts: { rule: 'no-orders', reason }, sinceMs: atMs, forMs }];
  },

  /** Finds limits on losses. One that began and ended since the last poll is reported too. */
  riskLimit({ rows, lossLimits }) {
    const begun = rows.flatMap((row) => {
      const read = row.kind === 'control' && row.subject === 'limit begun' ? readRow(limitRow, row) : null;
      return read === null ? [] : [{ ...read, sinceMs: row.atMs }];
    });
    const byStrategy = new Map([...begun, ...lossLimits].map((each) => [each.strategy, each]));
    return [...byStrategy.values()].map(({ strategy, reason, sinceMs }) => ({
      key: `risk-limit ${strategy}`,
      facts: { rule: 'risk-limit', strategy, reason },
      sinceMs,
    }));
  },

  refused({ rows }) {
    return rows.flatMap((row): readonly Found[] => {
      const read = row.kind === 'notice' && row.subject === 'refused' ? readRow(refusedRow, row) : null;
      if (read === null) return [];
      const { strategy, market, side, code } = read;
      const key = `refused ${strategy} ${market} ${side} ${code}`;
      const facts = { rule: 'refused', strategy, market, code } as const;
      return [{ key, facts, sinceMs: row.atMs, isMoment: true }];
    });
  },

  standstill({ standstills, atMs }, { afterMs: forMs }) {
    return standstills.map(({ market, reason }) => ({
      key: `standstill ${market}`,
      facts: { rule: 'standstill', market, reason },
      sinceMs: atMs,
      forMs,
    }));
  },

  halted({ halt, rows, atMs }) {
    const told = rowOrKnown(rows, { kind: 'control', subject: 'halt' }, haltRow);
    const reason = halt?.reason ?? told?.value.reason;
    if (reason === undefined) return [];
    const sinceMs = earlier(told?.sinceMs, halt?.sinceMs) ?? atMs;
    return [{ key: 'halted', facts: { rule: 'halted', reason }, sinceMs }];
  },

  approval({ approvals, atMs }) {
    return approvals.map((entry) => ({
      key: `approval ${entry.id}`,
      facts: { rule: 'approval', ...entry },
      sinceMs: atMs,
      ...((entry.outcome ?? null) === null ? {} : { isOver: true }),
    }));
  },

  strategy(snapshot) {
    const conditions = new Map<string, Found>();
    const note = (
      strategy: string,
      of: { readonly status: 'paused' | 'stopped'; readonly reason: Sentence; readonly sinceMs: number },
    ): void => {
      const { sinceMs: ofMs, ...rest } = of;
      const key = `strategy ${strategy}`;
      const sinceMs = earlier(conditions.get(key)?.sinceMs, ofMs) ?? ofMs;
      conditions.set(key, { key, facts: { rule: 'strategy', strategy, ...rest }, sinceMs });
    };
    // A strategy that failed and resumed since the last poll is reported all the same.
    for (const row of snapshot.rows) {
      const read = row.kind === 'strategy' ? readRow(strategyRow, row) : null;
      if (read !== null) note(row.subject, { ...read, sinceMs: row.atMs });
    }
    for (const { name, status, reason, atMs } of snapshot.strategies) {
      // The owner removed it from the configuration, and it has left no coins.
      if (reason === sentence('strategy-left')) continue;
      if (status !== 'running' && reason !== null) note(name, { status, reason, sinceMs: atMs });
    }
    return [...conditions.values()];
  },

  unclear({ unclear }) {
    return unclear.map(({ sinceMs, ...facts }) => ({
      key: `unclear ${facts.of === null ? facts.asset : `${facts.of.strategy} ${facts.of.market}`}`,
      facts: { rule: 'unclear', ...facts },
      sinceMs,
    }));
  },

  unprotected({ unprotected, atMs }, { afterMs: forMs }) {
    return unprotected.map((position) => ({
      key: `unprotected ${position.strategy} ${position.market}`,
      facts: { rule: 'unprotected', ...position },
      sinceMs: atMs,
      forMs,
    }));
  },

  bigFill({ fills }, { least }) {
    return fills.flatMap((fill): readonly Found[] => {
      const { tradeId, strategy, market, side, currency, total, amount, price, atMs } = fill;
      const leastValue = least[currency];
      if (leastValue === undefined || total < leastValue) return [];
      const texts = { amount: formatUnits(amount), price: formatUnits(price), value: formatUnits(total) };
      const facts = { rule: 'big-fill', strategy, market, side, currency, ...texts } as const;
      return [{ key: `big-fill ${tradeId} ${side}`, facts, sinceMs: atMs, isMoment: true }];
    });
  },

  shadow({ shadows, atMs }, { least }) {
    return shadows.flatMap(({ ahead, ...of }): readonly Found[] => {
      const leastMoney = least[of.currency];
      if (leastMoney === undefined || (ahead < leastMoney && ahead > 0n - leastMoney)) return [];
      const facts = { rule: 'shadow', ...of, ahead: formatUnits(ahead) } as const;
      return [{ key: `shadow ${of.shadow}`, facts, sinceMs: atMs }];
    });
  },

  /** Finds falls of equity. They are statistics, so shares are floats. */
  drawdown({ equity, atMs }, { percent }) {
    return equity.flatMap(({ currency, values }): readonly Found[] => {
      const share = (drawdownOf(values)?.now.depthBps ?? 0) / BASIS_POINTS;
      const facts = { rule: 'drawdown', currency, share, limit: percent / 100 } as const;
      return share * 100 >= percent ? [{ key: `drawdown ${currency}`, facts, sinceMs: atMs }] : [];
    });
  },

  dailyLoss({ equity, atMs }, { percent }) {
    return equity.flatMap(({ currency, values }): readonly Found[] => {
      const share = lossOfDay(values, atMs);
      const facts = { rule: 'daily-loss', currency, share, limit: percent / 100 } as const;
      return share * 100 >= percent ? [{ key: `daily-loss ${currency}`, facts, sinceMs: atMs }] : [];
    });
  },
};

/**
 * Returns the time since the bot last wrote, in ms. Signs of life before the clock was set back are ignored.
 */
function silenceMs({ atMs, lastSignMs, watchedSinceMs }: AlertSnapshot): number {
  const signMs = lastSignMs === null || isAhead(lastSignMs, atMs) ? 0 : lastSignMs;
  return atMs - Math.max(signMs, watchedSinceMs);
}

/** Returns the loss of the current Tehran day, as a share of the value at its start. */
function lossOfDay(values: readonly ValueAt[], atMs: number): number {
  const day = profitOfTehranDay(values, atMs);
  const last = values.at(-1);
  if (day === null || last === undefined) return 0;
  const start = last.value - day.profit;
  return start <= 0n ? 0 : -Number(day.profit) / Number(start);
}

/** Shapes of the journal rows that say why something began, as the engine writes them. */
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
 * Returns the time of the first row of a kind and the value of the last; undefined without one, or if that is
 * unreadable.
 */
function rowOrKnown<Value>(
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
