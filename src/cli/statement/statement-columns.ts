import { formatUnits } from '../../domain/money.ts';
import { tehranDay } from '../../domain/zone-time.ts';
import { isoText } from '../../domain/time-text.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { COST_METHODS, type CostMethod, type RealisedPart } from '../../portfolio/profit-books.ts';
import type { StatementLine, StatementMove } from '../../portfolio/statement-line.ts';
import { SQL_TYPES } from '../../recording/table-shape.ts';
import { dayText, type Calendar } from './statement-period.ts';

/** A column of the files: money is a decimal with every digit, times are UTC, null is nothing. */
export interface StatementColumn {
  readonly name: string;
  readonly sqlType: string;
  readonly value: (line: StatementLine) => string | null;
  /** The same of money, as a whole number of units; null for other columns. */
  readonly units: ((line: StatementLine) => bigint | null) | null;
}

/** Returns a currency's counting unit: `rial` for `rls`, never toman. */
export function unitOf(currency: string): string {
  return MARKET_NAMES.quotes.find((rule) => rule.currency === currency)?.name ?? currency;
}

const text = (name: string, value: StatementColumn['value']): StatementColumn => ({
  name,
  sqlType: 'VARCHAR',
  value,
  units: null,
});
const money = (name: string, unitsOf: (line: StatementLine) => bigint | null): StatementColumn => ({
  name,
  sqlType: SQL_TYPES.money,
  value: (line) => {
    const units = unitsOf(line);
    return units === null ? null : formatUnits(units);
  },
  units: unitsOf,
});
const time = (name: string, value: (line: StatementLine) => number | null): StatementColumn => ({
  name,
  sqlType: 'TIMESTAMP',
  value: (line) => {
    const atMs = value(line);
    return atMs === null ? null : isoText(atMs);
  },
  units: null,
});

/** The columns, with the day by a calendar and the profit by some methods. */
export function statementColumns(
  calendar: Calendar,
  methods: readonly CostMethod[],
): readonly StatementColumn[] {
  return [
    time('time', ({ atMs }) => atMs),
    text('tehran_day', ({ atMs }) => dayText(tehranDay(atMs), calendar)),
    text('kind', ({ kind }) => kind),
    text('currency', ({ currency }) => currency),
    text('unit', ({ currency }) => unitOf(currency)),
    money('amount', ({ amount }) => amount),
    money('balance', ({ balance }) => balance),
    text('market', ({ trade, move }) => trade?.market.symbol ?? move?.market ?? null),
    text('side', ({ trade }) => trade?.side ?? null),
    money('price', ({ trade, move }) => trade?.price ?? move?.price ?? null),
    text('trade_id', ({ trade }) => trade?.tradeId ?? null),
    text('order_key', ({ trade }) => trade?.orderKey ?? null),
    text('strategy', ({ trade, move }) => trade?.strategy ?? move?.from ?? move?.to ?? null),
    text('wallet_line', ({ line }) => line?.id ?? null),
    text('description', descriptionOf),
    text('realised_in', ({ realised }) => realised?.in ?? null),
    money('proceeds', ({ realised }) => realised?.proceeds ?? null),
    ...COST_METHODS.flatMap((method) => methodColumns(method, methods.includes(method))),
    money('rate', ({ rate }) => rate?.rate ?? null),
    time('rate_time', ({ rate }) => rate?.atMs ?? null),
    text('rate_from', ({ rate }) => rate?.from ?? null),
  ];
}

/** The profit of what was sold without proceeds in a recorded currency is not known. */
function methodColumns(method: CostMethod, isWanted: boolean): readonly StatementColumn[] {
  const part = (field: keyof RealisedPart): StatementColumn =>
    money(`${method}_${field}`, ({ realised }) => {
      if (!isWanted || realised === null) return null;
      return realised.proceeds === null && field !== 'cost' ? null : realised.parts[method][field];
    });
  return [part('cost'), part('profit'), part('uncosted')];
}

function descriptionOf({ line, unexplained, move }: StatementLine): string | null {
  if (line !== null) return line.description;
  if (move !== null) return moveText(move);
  if (unexplained === null) return null;
  return `no movement is known that explains it; it came between ${isoText(unexplained.sinceMs)} and ${isoText(unexplained.seenAtMs)}`;
}

function moveText({ from, to, asset, amount }: StatementMove): string {
  const coins = `${formatUnits(amount)} ${asset}`;
  if (from === null) return `by hand: ${to ?? ''} adopted ${coins}`;
  return to === null
    ? `by hand: ${coins} written off from ${from}`
    : `by hand: ${coins} moved from ${from} to ${to}`;
}
