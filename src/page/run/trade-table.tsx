import { useSignal } from '@preact/signals';
import {
  fixedText,
  foreignText,
  shownLength,
  moneyWithUnit,
  shownNumber,
  sayReport,
  shareText,
  shownTime,
  unitAfter,
} from '../report-words.ts';
import type { RunPage, TradeRow } from './run-page.ts';

const ROWS_OF_PAGE = 25;

interface TradeColumn {
  readonly title: string;
  /** Sort key of a row: a number, or words by the alphabet. */
  readonly order: (trade: TradeRow) => number | string;
  readonly text: (trade: TradeRow) => string;
  /** True for what is coloured by the outcome. */
  readonly isResult?: boolean;
}

interface TradeTableProps {
  readonly data: RunPage;
  readonly onChoose: (trade: TradeRow) => void;
}

/** The table of trades: sorted by a click on a title, a page at a time; a row is chosen by click or Enter. */
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
        <table>
          <thead>
            <tr>
              {columns.map(({ title }, index) => (
                <th
                  key={title}
                  aria-sort={index !== column ? 'none' : direction === 1 ? 'ascending' : 'descending'}
                >
                  <button type="button" onClick={() => sortBy(index)}>
                    {title}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(from, to).map((trade) => (
              <tr
                key={trade.number}
                tabIndex={0}
                data-trade={trade.number}
                class={trade.number === selected.value ? 'is-chosen' : ''}
                onClick={() => choose(trade)}
                onKeyDown={({ key }) => key === 'Enter' && choose(trade)}
              >
                {columns.map(({ title, text, isResult }) => (
                  <td key={title} class={isResult === true ? (trade.profit < 0 ? 'loss' : 'gain') : ''}>
                    {text(trade)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="pager" hidden={pages < 2}>
        <button type="button" disabled={page.value === 0} onClick={() => (page.value -= 1)}>
          {sayReport('back')}
        </button>
        <span>{sayReport('rows', { from: from + 1, to, all: rows.length })}</span>
        <button type="button" disabled={page.value >= pages - 1} onClick={() => (page.value += 1)}>
          {sayReport('next')}
        </button>
      </div>
    </>
  );
}

/** A column of words, sorted by the alphabet; none where no trade has one. */
function wordsWhere(
  isThere: boolean,
  title: string,
  text: (trade: TradeRow) => string,
): readonly TradeColumn[] {
  return isThere ? [{ title, text, order: text }] : [];
}

/** The columns; those that would have one value alone, or none, are left out. */
function columnsOf({ markets, trades, quote }: RunPage): readonly TradeColumn[] {
  const marketOf = ({ market }: TradeRow) =>
    markets[market] ?? { name: '', base: '', quote: '', decimals: 2 };
  const priceText = (price: number, trade: TradeRow): string =>
    `${fixedText(price, marketOf(trade).decimals)}${unitAfter(marketOf(trade).quote)}`;
  const anyHas = (key: 'exit' | 'tag' | 'strategy'): boolean => trades.some((trade) => trade[key] !== '');
  return [
    {
      title: sayReport('trade.number'),
      order: ({ number }) => number,
      text: ({ number }) => shownNumber(number, { useGrouping: false }),
    },
    ...(markets.length < 2
      ? []
      : [
          {
            title: sayReport('market'),
            order: ({ market }: TradeRow) => market,
            text: (trade: TradeRow) => foreignText(marketOf(trade).name),
          },
        ]),
    ...wordsWhere(anyHas('strategy'), sayReport('trade.strategy'), ({ strategy }) => foreignText(strategy)),
    {
      title: sayReport('trade.opened'),
      order: ({ openedAtMs }) => openedAtMs,
      text: ({ openedAtMs }) => shownTime(openedAtMs),
    },
    {
      title: sayReport('trade.length'),
      order: ({ lengthMs }) => lengthMs,
      text: ({ lengthMs }) => shownLength(lengthMs),
    },
    {
      title: sayReport('trade.profit'),
      isResult: true,
      order: ({ profit }) => profit,
      text: ({ profit }) => moneyWithUnit(profit, quote),
    },
    {
      title: sayReport('trade.return'),
      isResult: true,
      order: ({ change }) => change ?? 0,
      text: ({ change }) => shareText(change),
    },
    {
      title: sayReport('trade.entry'),
      order: ({ entryPrice }) => entryPrice,
      text: (trade) => priceText(trade.entryPrice, trade),
    },
    {
      title: sayReport('trade.exit'),
      order: ({ exitPrice }) => exitPrice,
      text: (trade) => priceText(trade.exitPrice, trade),
    },
    {
      title: sayReport('trade.amount'),
      order: ({ amount }) => amount,
      text: (trade) =>
        `${shownNumber(trade.amount, { maximumFractionDigits: 10 })}${unitAfter(marketOf(trade).base)}`,
    },
    {
      title: sayReport('trade.fees'),
      order: ({ fees }) => fees,
      text: ({ fees }) => moneyWithUnit(fees, quote),
    },
    ...wordsWhere(anyHas('exit'), sayReport('trade.exitBy'), ({ exit }) =>
      exit === '' ? '' : sayReport(`exit.${exit}`),
    ),
    ...wordsWhere(anyHas('tag'), sayReport('trade.tag'), ({ tag }) => foreignText(tag)),
  ];
}
