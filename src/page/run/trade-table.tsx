import { useSignal } from '@preact/signals';
import { DAY_MS } from '../../domain/time-text.ts';
import { ProfitCalendar, profitColumns } from '../profit-groups.tsx';
import { ENGLISH_PAGE } from '../report-texts.ts';
import type { ProfitKind } from '../run-data.ts';
import {
  fixedText,
  foreignText,
  shownLength,
  shownMonth,
  moneyWithUnit,
  shownNumber,
  pageText,
  shareText,
  shownTime,
  unitAfter,
} from '../report-words.ts';
import { Table, type ShownColumn } from '../table.tsx';
import type { RunPage, TradeRow } from './run-page.ts';

const ROWS_OF_PAGE = 25;

/** Column of the table. `order`: value to sort by, a number or a text. */
type TradeColumn = ShownColumn<TradeRow> & { readonly order: (trade: TradeRow) => number | string };

interface TradeTableProps {
  readonly data: RunPage;
  readonly onChoose: (trade: TradeRow) => void;
}

/** Shows the trades: a click on a title sorts them, in pages; a click or Enter on a row chooses it. */
export function TradeTable({ data, onChoose }: TradeTableProps) {
  const columns = columnsOf(data);
  const page = useSignal(0);
  const sorting = useSignal({ column: 0, direction: 1 });
  const selected = useSignal(-1);
  const { column, direction } = sorting.value;
  const order = columns[column]?.order ?? (() => 0);
  const rows = data.trades.toSorted((left, right) => {
    const [one, other] = [order(left), order(right)];
    return one === other ? 0 : (one < other ? -1 : 1) * direction;
  });
  const pages = Math.ceil(rows.length / ROWS_OF_PAGE);
  const from = page.value * ROWS_OF_PAGE;
  const to = Math.min(from + ROWS_OF_PAGE, rows.length);
  const sortBy = (index: number): void => {
    sorting.value = { column: index, direction: index === column ? -direction : 1 };
    page.value = 0;
  };
  const choose = (trade: TradeRow): void => {
    selected.value = trade.number;
    onChoose(trade);
  };
  return (
    <>
      <div class="scroll">
        <Table
          columns={columns}
          rows={rows.slice(from, to)}
          keyOf={({ number }) => number}
          sorting={{ ...sorting.value, by: sortBy }}
          rowProps={(trade) => ({
            tabIndex: 0,
            'data-trade': trade.number,
            class: trade.number === selected.value ? 'is-chosen' : '',
            onClick: () => choose(trade),
            onKeyDown: ({ key }) => key === 'Enter' && choose(trade),
          })}
        />
      </div>
      <div class="pager" hidden={pages < 2}>
        <button type="button" disabled={page.value === 0} onClick={() => (page.value -= 1)}>
          {pageText('back')}
        </button>
        <span>{pageText('rows', { from: from + 1, to, all: rows.length })}</span>
        <button type="button" disabled={page.value >= pages - 1} onClick={() => (page.value += 1)}>
          {pageText('next')}
        </button>
      </div>
    </>
  );
}

/** Makes a column that is sorted by a field; with null, alphabetically by its text. */
const column = (
  text: Parameters<typeof pageText>[0],
  by: keyof TradeRow | null,
  cell: (trade: TradeRow) => string,
  classOf: (trade: TradeRow) => string = () => '',
): TradeColumn => ({
  head: pageText(text as 'market'),
  order: by === null ? cell : (trade) => trade[by] ?? 0,
  cell,
  classOf,
});

const ofResult = ({ profit }: TradeRow): string => (profit < 0 ? 'loss' : 'gain');

/** Returns the columns, without those that have only one value or none. */
function columnsOf({ markets, trades, quote }: RunPage): readonly TradeColumn[] {
  const marketOf = ({ market }: TradeRow) =>
    markets[market] ?? { name: '', base: '', quote: '', decimals: 2 };
  const priceText = (price: number, trade: TradeRow): string =>
    `${fixedText(price, marketOf(trade).decimals)}${unitAfter(marketOf(trade).quote)}`;
  const amountText = (trade: TradeRow): string =>
    `${shownNumber(trade.amount, { maximumFractionDigits: 10 })}${unitAfter(marketOf(trade).base)}`;
  /** Makes an alphabetically sorted column of texts; none if no trade has one. */
  const words = (name: 'exit' | 'tag' | 'strategy', text: (trade: TradeRow) => string) =>
    trades.every((trade) => trade[name] === '')
      ? []
      : [column(`trade.${name === 'exit' ? 'exitBy' : name}`, null, text)];
  return [
    column('trade.number', 'number', ({ number }) => shownNumber(number, { useGrouping: false })),
    ...(markets.length < 2 ? [] : [column('market', 'market', (trade) => foreignText(marketOf(trade).name))]),
    ...words('strategy', ({ strategy }) => foreignText(strategy)),
    column('trade.opened', 'openedAtMs', ({ openedAtMs }) => shownTime(openedAtMs)),
    column('trade.length', 'lengthMs', ({ lengthMs }) => shownLength(lengthMs)),
    column('trade.profit', 'profit', ({ profit }) => moneyWithUnit(profit, quote), ofResult),
    column('trade.return', 'change', ({ change }) => shareText(change), ofResult),
    column('trade.entry', 'entryPrice', (trade) => priceText(trade.entryPrice, trade)),
    column('trade.exit', 'exitPrice', (trade) => priceText(trade.exitPrice, trade)),
    column('trade.amount', 'amount', amountText),
    column('trade.fees', 'fees', ({ fees }) => moneyWithUnit(fees, quote)),
    ...words('exit', ({ exit }) => (exit === '' ? '' : pageText(`exit.${exit}`))),
    ...words('tag', ({ tag }) => foreignText(tag)),
  ];
}

/** Exits that have a word in the texts of a page. */
const isExit = (key: string): key is Exclude<TradeRow['exit'], ''> => `exit.${key}` in ENGLISH_PAGE;

const dayText = (fromMs: number | null): string => shownTime((fromMs ?? 0) + DAY_MS / 2, 'day');

/** Shows closed trades by day, week, market and other: buttons choose the groups. */
export function ProfitGroups({ data: { profits, quote } }: { readonly data: RunPage }) {
  const by = useSignal<ProfitKind>('day');
  const groups = profits[by.value];
  const kinds = (Object.keys(profits) as ProfitKind[]).filter((kind) =>
    profits[kind].some(({ key }) => key !== ''),
  );
  const money = (text: string): string => moneyWithUnit(Number(text), quote);
  const columns = profitColumns(groups, {
    title: (name) => (name === 'requests' ? '' : pageText(`profit.${name}`)),
    groupTitle: pageText(`profit.${by.value}`),
    nameOf({ fromMs, key }) {
      if (fromMs !== null) return by.value === 'month' ? shownMonth(fromMs) : dayText(fromMs);
      if (by.value === 'hour') return shownNumber(Number(key), {});
      if (key === '') return pageText('nothing');
      return by.value === 'reason' && isExit(key) ? pageText(`exit.${key}`) : foreignText(key);
    },
    gain: ({ profit }) => <span class={Number(profit) < 0 ? 'loss' : 'gain'}>{money(profit)}</span>,
    fees: ({ fees }) => money(fees),
    share: shareText,
    ratio: (value) => (value === null ? pageText('nothing') : fixedText(value, 2)),
    length: shownLength,
    count: (count) => shownNumber(count, {}),
    none: pageText('nothing'),
  });
  return (
    <>
      <div class="choices" role="group" aria-label={pageText('profit.by')}>
        {kinds.map((kind) => (
          <button key={kind} type="button" aria-pressed={kind === by.value} onClick={() => (by.value = kind)}>
            {pageText(`profit.${kind}`)}
          </button>
        ))}
      </div>
      {by.value === 'day' ? (
        <ProfitCalendar
          days={groups}
          label={pageText('profit.calendar')}
          titleOf={({ fromMs, profit }) => `${dayText(fromMs)}: ${money(profit)}`}
        />
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label={pageText('profit.by')}>
        <Table columns={columns} rows={groups} keyOf={({ key }) => key} />
      </div>
    </>
  );
}
