import { formatUnits } from '../../domain/money.ts';
import { isoText } from '../../domain/time-text.ts';
import type { CostMethod } from '../../portfolio/statement/profit-books.ts';
import type { StatementTotals } from '../../portfolio/statement/statement-totals.ts';
import { unitOf } from './statement-columns.ts';
import type { ShownStatement } from './statement-summary.ts';

/** A statement for programs: money is decimal text with every digit. */
export function statementJson({ statement, period, methods, notes }: ShownStatement): object {
  return {
    calendar: period.calendar,
    from: isoText(period.fromMs),
    to: isoText(period.toMs),
    isBalanced: isBalanced(statement),
    notes,
    ...totalsJson(statement.totals, methods),
    months: [...statement.months].map(([month, totals]) => ({ month, ...totalsJson(totals, methods) })),
  };
}

function isBalanced({ unexplained, below, unknownTrades }: ShownStatement['statement']): boolean {
  return unexplained.length === 0 && below.size === 0 && unknownTrades === 0;
}

function totalsJson(totals: StatementTotals, methods: readonly CostMethod[]): object {
  return {
    movements: totals.lines,
    balances: totals.balances().map(({ currency, opening, closing, movements }) => ({
      currency,
      unit: unitOf(currency),
      opening: formatUnits(opening),
      ...texts(movements),
      closing: formatUnits(closing),
    })),
    realised: totals.realised().map(({ coin, in: currency, amount, proceeds, parts, unrated }) => ({
      coin,
      in: currency,
      unit: unitOf(currency),
      amount: formatUnits(amount),
      proceeds: formatUnits(proceeds),
      ...Object.fromEntries(methods.map((method) => [method, texts({ ...parts[method] })])),
      unrated: formatUnits(unrated),
    })),
  };
}

function texts(units: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(Object.entries(units).map(([name, value]) => [name, formatUnits(value)]));
}
