import { countText } from '../../domain/money-text.ts';
import { minuteText } from '../../domain/time-text.ts';
import type { BoundedTable, SessionRows } from '../../mirror/session-rows.ts';
import type { FidelityStatement } from '../backtest-run.ts';

interface Described {
  readonly range: { readonly fromMs: number; readonly toMs: number };
  /** Currencies of the account that no market of the session values. */
  readonly unvalued: readonly string[];
  /** What says how much the account holds. */
  readonly opening: 'books' | 'balances' | 'nothing';
  readonly hasParams: boolean;
}

const SOURCES = {
  books: 'what the books say it holds, less what each fill brought and took',
  balances: 'the last balances, less what each fill brought and took',
  nothing: 'fills alone: the mirror has no balance, so that it begins with nothing',
} as const;

const NAMES: Readonly<Record<BoundedTable, readonly [one: string, many: string]>> = {
  fills: ['fill', 'fills'],
  orders: ['order', 'orders'],
  intents: ['intent', 'intents'],
  journal: ['line of the journal', 'lines of the journal'],
};

/** How the figures of a live session came about, and what its mirror does not know. */
export function describeMirror(rows: SessionRows, of: Described): FidelityStatement {
  return {
    kind: 'live',
    rules: [
      { rule: 'fills, fees, orders', setting: 'those of the exchange, as the bot read them' },
      { rule: 'the account', setting: SOURCES[of.opening] },
      {
        rule: 'prices',
        setting:
          'the close of the last candle that the mirror has, or a trade or reading after it; before the first candle the price of a fill',
      },
      {
        rule: 'candles',
        setting:
          rows.series.length === 0
            ? 'none'
            : rows.series.map(({ market, timeframe }) => `${market} ${timeframe}`).join(', '),
      },
      ...(rows.plots.length === 0
        ? []
        : [{ rule: 'plots', setting: 'the last value of each minute, as many as the bot keeps candles' }]),
      {
        rule: 'when the bot did not run',
        setting:
          'from its last sign of life, which it writes every few seconds, to when strategies began again',
      },
    ],
    caveats: [
      ...removedRows(rows),
      ...leftOut(rows),
      ...candleCaveats(rows, of.range),
      ...(of.unvalued.length === 0 ? [] : [unvaluedText(of.unvalued)]),
      'Deposits and withdrawals are no profit: the equity counts them as if they had been there from the beginning on.',
      'Intents that were refused before they became work (by the state of trading, the steps of the market, a malformed wish) and cancels are not in the mirror, only in the log of the bot; so intents and refusals may be fewer than those of a backtest.',
      'The equity is that at the closes of candles. Members of universes, readings (requests that are no order or cancel) and lockouts of request budgets are not in the mirror; "sarraf budget" shows lockouts.',
      ...(of.hasParams
        ? []
        : ['The mirror has no params of strategies: name the configuration with --config to see them here.']),
    ],
  };
}

/** What retention has removed. */
function removedRows({ tables }: SessionRows): readonly string[] {
  return Object.entries(tables).flatMap(([table, { removed, sinceMs }]) => {
    if (removed === 0 || sinceMs === null) return [];
    const what = countText(removed, ...NAMES[table as BoundedTable]);
    const then =
      table === 'fills' ? ' Equity begins there, and what was bought before has no cost here.' : '';
    return [
      `Retention has removed ${what}; the oldest that is left is of ${minuteText(sinceMs)} UTC.${then}`,
    ];
  });
}

function leftOut({ moreFills, moreOrders }: SessionRows): readonly string[] {
  return [
    ...(moreFills === 0
      ? []
      : [
          `${countText(moreFills, 'older fill is', 'older fills are')} left out, as a report has room for no more.`,
        ]),
    ...(moreOrders === 0
      ? []
      : [
          `${countText(moreOrders, 'older order is', 'older orders are')} left out, as a report has room for no more.`,
        ]),
  ];
}

function candleCaveats({ series }: SessionRows, { fromMs }: Described['range']): readonly string[] {
  if (series.length === 0)
    return ['The mirror has no candles: between its own fills the bot does not know what anything cost.'];
  return series.flatMap(({ market, candles }) => {
    const [first] = candles;
    return first === undefined || first.openTimeMs <= fromMs
      ? []
      : [
          `Candles of ${market} begin at ${minuteText(first.openTimeMs)} UTC: before it, its price is that of its fills.`,
        ];
  });
}

/** Currencies that are named; of more they are counted. */
const MOST_NAMED = 10;

function unvaluedText(unvalued: readonly string[]): string {
  const named = unvalued.slice(0, MOST_NAMED).join(', ');
  const more = unvalued.length - MOST_NAMED;
  return `The account has ${named}${more > 0 ? ` and ${more} more` : ''}, which no market of the session values: it counts for nothing.`;
}
