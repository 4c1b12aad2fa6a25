import { groupedText } from '../../domain/money-text.ts';
import { formatUnits } from '../../domain/money.ts';
import { COST_METHODS, type CostMethod } from '../../portfolio/statement/profit-books.ts';
import { MOVEMENT_KINDS } from '../../portfolio/statement/statement-line.ts';
import type {
  BalanceTotals,
  RealisedTotals,
  StatementTotals,
} from '../../portfolio/statement/statement-totals.ts';
import type { Statement } from '../../portfolio/statement/make-statement.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { unitOf } from './statement-columns.ts';
import type { StatementNote } from './statement-notes.ts';
import type { ReadPeriod } from './statement-period.ts';

export interface ShownStatement {
  readonly statement: Statement;
  readonly period: ReadPeriod;
  readonly methods: readonly CostMethod[];
  readonly notes: readonly StatementNote[];
}

const CALENDAR_NAMES = { jalali: 'Jalali', gregorian: 'Gregorian' } as const;
const METHOD_NAMES = { average: 'average cost', fifo: 'first in, first out' } as const;

const right = (title: string): TableColumn => ({ title, align: 'right' });
/** Nothing is left empty: a column that is nothing in every row is not shown. */
const money = (units: bigint): string => (units === 0n ? '' : groupedText(formatUnits(units)));
const amount = (units: bigint): string => groupedText(formatUnits(units));

/** A statement for people: balances, profit, and both by month. */
export function statementText({ statement, period, methods, notes }: ShownStatement): readonly string[] {
  const months = [...statement.months];
  return [
    `Statement of the account, ${period.title} (days of Tehran, ${CALENDAR_NAMES[period.calendar]} calendar)`,
    'Every digit is shown. rls is rial, not toman.',
    ...notes.map(({ isGrave, text }) => `${isGrave ? 'ATTENTION: ' : ''}${text}`),
    '',
    'Balances',
    ...tableLines(balanceColumns([]), statement.totals.balances().map(balanceRow)),
    ...profitLines(statement.totals, methods),
    '',
    ...(months.length === 0 ? ['Nothing moved.'] : ['By month']),
    ...(months.length === 0 ? [] : monthLines(months)),
    ...monthProfitLines(months, methods),
  ];
}

function balanceColumns(before: readonly TableColumn[]): readonly TableColumn[] {
  const kinds = MOVEMENT_KINDS.map((kind) => right(kind === 'trade' ? 'trades' : kind));
  return [...before, { title: 'currency' }, right('opening'), ...kinds, right('closing')];
}

function balanceRow({ currency, opening, closing, movements }: BalanceTotals): readonly string[] {
  const moved = MOVEMENT_KINDS.map((kind) => money(movements[kind]));
  return [nameOf(currency), amount(opening), ...moved, amount(closing)];
}

function nameOf(currency: string): string {
  const unit = unitOf(currency);
  return unit === currency ? currency : `${currency} (${unit})`;
}

function monthLines(months: readonly (readonly [string, StatementTotals])[]): readonly string[] {
  const rows = months.flatMap(([month, totals]) =>
    totals.balances().map((one, place) => [place === 0 ? month : '', ...balanceRow(one)]),
  );
  return tableLines(balanceColumns([{ title: 'month' }]), rows);
}

function profitLines(totals: StatementTotals, methods: readonly CostMethod[]): readonly string[] {
  const realised = totals.realised();
  if (realised.length === 0) return ['', 'No coin was sold.'];
  return methods.flatMap((method) => [
    '',
    `Realised profit by ${METHOD_NAMES[method]}`,
    ...tableLines(
      [
        { title: 'coin' },
        { title: 'in' },
        right('sold'),
        right('proceeds'),
        right('cost'),
        right('profit'),
        right('proceeds without a cost'),
      ],
      realised.map((one) => profitRow(one, method)),
    ),
  ]);
}

function profitRow(
  { coin, in: currency, amount: sold, proceeds, parts }: RealisedTotals,
  method: CostMethod,
): string[] {
  const { cost, profit, uncosted } = parts[method];
  return [
    coin,
    nameOf(currency),
    amount(sold),
    amount(proceeds),
    amount(cost),
    amount(profit),
    money(uncosted),
  ];
}

function monthProfitLines(
  months: readonly (readonly [string, StatementTotals])[],
  methods: readonly CostMethod[],
): readonly string[] {
  const rows = months.flatMap(([month, totals]) => {
    const byCurrency = Map.groupBy(totals.realised(), (one) => one.in);
    return [...byCurrency].map(([currency, all]) => [
      month,
      nameOf(currency),
      ...methods.map((method) => amount(all.reduce((sum, { parts }) => sum + parts[method].profit, 0n))),
    ]);
  });
  if (rows.length === 0) return [];
  const columns = COST_METHODS.filter((method) => methods.includes(method));
  return [
    '',
    'Realised profit by month',
    ...tableLines(
      [{ title: 'month' }, { title: 'in' }, ...columns.map((method) => right(METHOD_NAMES[method]))],
      rows,
    ),
  ];
}
