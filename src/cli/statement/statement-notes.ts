import { countText, formatUnits } from '../../domain/money.ts';
import { isoText } from '../../domain/time-text.ts';
import type { StatementRows } from '../../mirror/read-statement-rows.ts';
import type { Statement } from '../../portfolio/make-statement.ts';
import { type ReadPeriod, type ReadSource, dayText, type Calendar } from './statement-period.ts';
import { tehranDay } from '../../domain/zone-time.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { COST_METHODS, type CostMethod, type RealisedPart } from '../../portfolio/profit-books.ts';
import type { StatementLine, StatementMove } from '../../portfolio/statement-line.ts';
import { SQL_TYPES } from '../../recording/table-shape.ts';

/** A note: a limitation of a statement, or a grave error in it. */
export interface StatementNote {
  readonly code: string;
  readonly isGrave: boolean;
  readonly text: string;
}

interface NotedStatement {
  readonly statement: Statement;
  readonly source: ReadSource;
  readonly rows: Pick<StatementRows, 'deletedFills' | 'deletedLines' | 'aliveUntilMs'>;
  /** Requested period; below, the actual start of the statement. */
  readonly period: ReadPeriod;
  readonly beginsAtMs: number;
}

/** Returns all notes that a reader needs, the grave ones first. */
export function statementNotes(noted: NotedStatement): readonly StatementNote[] {
  return [...balanceNotes(noted), ...deletedNotes(noted), ...rangeNotes(noted), ...costNotes(noted)].toSorted(
    (left, right) => Number(right.isGrave) - Number(left.isGrave),
  );
}

const grave = (code: string, text: string): StatementNote => ({ code, isGrave: true, text });
const plain = (code: string, text: string): StatementNote => ({ code, isGrave: false, text });

const BETWEEN_WHY =
  'a deposit that was not read, a trade that the list never showed, or balances that were accepted after a break';

function balanceNotes({ statement, source }: NotedStatement): readonly StatementNote[] {
  const { unexplained, below, balances } = statement;
  const single = statement.totals
    .balances()
    .map(({ currency }) => currency)
    .filter((currency) => (balances.records.get(currency) ?? 0) < 2);
  const outside = statement.totals
    .balances()
    .map(({ currency }) => currency)
    .filter((currency) => !source.followed.has(currency));
  return [
    ...unexplained.map(({ currency, amount, sinceMs, seenAtMs }) =>
      grave(
        'unexplained',
        `${currency} does not balance: ${formatUnits(amount)} ${unitOf(currency)} between ${isoText(sinceMs)} and ${isoText(seenAtMs)} is explained by no movement (${BETWEEN_WHY})`,
      ),
    ),
    ...[...below].map(([currency, { balance, atMs }]) =>
      grave(
        'below-zero',
        `${currency} does not balance: by the movements that are known it was ${formatUnits(balance)} ${unitOf(currency)} at ${isoText(atMs)}, so at least as much came in that is not known`,
      ),
    ),
    ...(statement.unknownTrades === 0
      ? []
      : [
          grave(
            'unknown-trade',
            `${countText(statement.unknownTrades, 'line')} of wallets are of trades that the list of trades never showed: they are unexplained (a trade of the last minutes may still come)`,
          ),
        ]),
    ...source.differences.map(({ currency, expected, found }) =>
      grave(
        'break',
        `the bot found a break that nobody has accepted yet: expected ${expected} ${currency}, the exchange has ${found}; see "sarraf reconcile --explain"`,
      ),
    ),
    ...(single.length === 0
      ? []
      : [
          plain(
            'one-record',
            `only one balance is recorded of ${single.join(', ')}: the others follow from the movements, and nothing checks them`,
          ),
        ]),
    ...(outside.length === 0
      ? []
      : [
          plain(
            'not-followed',
            `the bot reads no wallet history of ${outside.join(', ')}: only trades show, a deposit or withdrawal is in the opening balance`,
          ),
        ]),
  ];
}

function deletedNotes({ rows, source, period, beginsAtMs }: NotedStatement): readonly StatementNote[] {
  const isCut = beginsAtMs > period.fromMs;
  const { deletedFills, deletedLines } = rows;
  const notes: StatementNote[] = [];
  const since = `The statement begins at ${isoText(beginsAtMs)}`;
  if (deletedFills.count > 0) {
    const text = `retention has DELETED ${countText(deletedFills.count, 'trade')}: all trades are there only since ${isoText(deletedFills.sinceMs ?? 0)}, and what coins cost before is not known`;
    notes.push(
      isCut && source.begins === 'deleted-trades'
        ? grave('deleted-trades', `${text}. ${since}. Raise data.retention.fills`)
        : plain('deleted-trades', text),
    );
  }
  for (const { currency, sinceMs } of deletedLines) {
    const text = `retention may have DELETED old lines of the wallet of ${currency}: they are there since ${isoText(sinceMs)}`;
    notes.push(
      isCut && source.begins === 'deleted-lines'
        ? grave('deleted-lines', `${text}. ${since}. Raise data.retention.fills`)
        : plain('deleted-lines', text),
    );
  }
  return notes;
}

function rangeNotes({
  rows,
  source,
  period,
  beginsAtMs,
  statement,
}: NotedStatement): readonly StatementNote[] {
  const untilMs = rows.aliveUntilMs ?? 0;
  return [
    ...(beginsAtMs > period.fromMs && source.begins === 'mirror'
      ? [
          plain(
            'began-later',
            `the mirror begins at ${isoText(beginsAtMs)}, and so does the statement: what came before is in the opening balances`,
          ),
        ]
      : []),
    ...(untilMs < period.toMs
      ? [plain('not-over', `the mirror ends at ${isoText(untilMs)}: what came later is not in it`)]
      : []),
    ...(statement.earlierTrades > 0
      ? [
          plain(
            'earlier-trades',
            `${countText(statement.earlierTrades, 'trade')} of before the beginning of the mirror only say what coins cost`,
          ),
        ]
      : []),
    ...(source.unknownMarkets > 0
      ? [
          grave(
            'unknown-market',
            `${countText(source.unknownMarkets, 'trade')} of a market that the bot does not know are left out`,
          ),
        ]
      : []),
  ];
}

const ROUNDING =
  'amounts and balances are exact; at each sale, cost, profit, proceeds without a cost and what goes over at a recorded rate are rounded to 10 decimals, half to even, and still proceeds = cost + profit + proceeds without a cost, to the last digit';

function costNotes({ statement }: NotedStatement): readonly StatementNote[] {
  const realised = statement.totals.realised();
  const uncosted = realised.filter(
    ({ parts }) => parts.fifo.uncosted !== 0n || parts.average.uncosted !== 0n,
  );
  const unrated = realised.filter(({ unrated: amount }) => amount !== 0n);
  return [
    ...(realised.length === 0 ? [] : [plain('rounding', ROUNDING)]),
    ...uncosted.map(({ coin, in: currency }) =>
      plain(
        'no-cost',
        `some ${coin} that was sold for ${unitOf(currency)} has no recorded cost (it was there before, was deposited, or was bought for another currency without a recorded rate): its proceeds stand apart, and are in no profit`,
      ),
    ),
    ...unrated.map(({ coin, unrated: amount }) =>
      plain(
        'no-rate',
        `${formatUnits(amount)} ${coin} was spent with no rate recorded within the day before: it is in no profit`,
      ),
    ),
  ];
}

/** A column of the files: money is a decimal with every digit, times are UTC, and null is an empty field. */
export interface StatementColumn {
  readonly name: string;
  readonly sqlType: string;
  readonly value: (line: StatementLine) => string | null;
  /** Returns the value of a column of money as a whole number of units; null for other columns. */
  readonly units: ((line: StatementLine) => bigint | null) | null;
}

/** Returns a currency's counting unit: `rial` for `rls`, never toman. */
export const unitOf = (currency: string): string =>
  MARKET_NAMES.quotes.find((rule) => rule.currency === currency)?.name ?? currency;

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

/** Returns the columns, with the day by a calendar and the profit by some methods. */
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

/** Returns a method's columns. The profit of a sale without proceeds in a recorded currency is unknown. */
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
