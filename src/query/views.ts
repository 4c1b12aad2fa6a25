import { BOOK_SHAPE, CANDLE_SHAPE, STATS_SHAPE, TRADE_SHAPE } from '../recording/table-shapes.ts';
import {
  viewColumnsOf,
  FIGURE_FIELDS,
  FILL_FIELDS,
  ORDER_FIELDS,
  recordedColumns,
  TRIAL_FIGURE_FIELDS,
  TRIP_FIELDS,
  type FieldTypes,
  type ViewColumn,
} from './view-columns.ts';

/** View that a query may read. */
interface View {
  /** One line for people. */
  readonly about: string;
  readonly columns: readonly ViewColumn[];
}

/** A row of `recordings`: one file. */
export const RECORDING_FIELDS = {
  market: 'text',
  kind: 'text',
  timeframe: 'text',
  part: 'text',
  rows: 'count',
  bytes: 'count',
  fromTimeMs: 'moment',
  toTimeMs: 'moment',
  source: 'text',
} as const satisfies FieldTypes;

export const RUN_FIELDS = {
  run: 'text',
  name: 'text',
  createdAtMs: 'moment',
  fromTimeMs: 'moment',
  toTimeMs: 'moment',
  fidelity: 'text',
  strategy: 'text',
  market: 'text',
  params: 'json',
  quote: 'text',
  ...FIGURE_FIELDS,
} as const satisfies FieldTypes;

export const STUDY_FIELDS = {
  study: 'text',
  strategy: 'text',
  market: 'text',
  timeframe: 'text',
  fromTimeMs: 'moment',
  splitTimeMs: 'moment',
  toTimeMs: 'moment',
  sampler: 'text',
  seed: 'count',
  objective: 'text',
  wanted: 'count',
  done: 'count',
  holdoutOpenedAtMs: 'moment',
} as const satisfies FieldTypes;

export const TRIAL_FIELDS: FieldTypes = {
  study: 'text',
  number: 'count',
  params: 'json',
  value: 'float',
  violation: 'float',
  failure: 'text',
  reason: 'text',
  ...TRIAL_FIGURE_FIELDS,
};

const MARKET: ViewColumn = { name: 'market', sqlType: 'VARCHAR' };
const TIME: ViewColumn = { name: 'time', sqlType: 'TIMESTAMP' };
const RUN: ViewColumn = { name: 'run', sqlType: 'VARCHAR' };
const MONEY = 'DECIMAL(38,10)';

/** Everything that can be asked for, by name. */
export const VIEWS = {
  candles: {
    about: 'recorded candles; time is when one opens',
    columns: [
      MARKET,
      { name: 'timeframe', sqlType: 'VARCHAR' },
      TIME,
      ...recordedColumns(CANDLE_SHAPE.columns),
    ],
  },
  trades: {
    about: 'recorded public trades',
    columns: [MARKET, TIME, ...recordedColumns(TRADE_SHAPE.columns)],
  },
  books: {
    about: 'recorded order books; bid and ask are the best prices',
    columns: [
      MARKET,
      TIME,
      { name: 'bid', sqlType: MONEY },
      { name: 'ask', sqlType: MONEY },
      ...recordedColumns(BOOK_SHAPE.columns),
    ],
  },
  stats: {
    about: "recorded statistics of a market's day",
    columns: [MARKET, TIME, ...recordedColumns(STATS_SHAPE.columns)],
  },
  recordings: { about: 'the files of the catalogue', columns: viewColumnsOf(RECORDING_FIELDS) },
  runs: { about: 'stored backtests, with their figures', columns: viewColumnsOf(RUN_FIELDS) },
  orders: { about: 'orders of stored backtests', columns: [RUN, ...viewColumnsOf(ORDER_FIELDS)] },
  fills: { about: 'fills of stored backtests', columns: [RUN, ...viewColumnsOf(FILL_FIELDS)] },
  round_trips: {
    about: 'round trips of stored backtests, first in first out',
    columns: [RUN, ...viewColumnsOf(TRIP_FIELDS)],
  },
  studies: { about: 'studies', columns: viewColumnsOf(STUDY_FIELDS) },
  trials: { about: 'trials of studies, with their figures as floats', columns: viewColumnsOf(TRIAL_FIELDS) },
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof VIEWS;

export const VIEW_NAMES: readonly ViewName[] = Object.keys(VIEWS).filter(
  (name): name is ViewName => name in VIEWS,
);

/** DuckDB makes a query of a text: no name need be written in it. */
const MADE_QUERY = /\bquery(?:_table)?\s*\(/i;

/** The views that a query may mean: those whose names are written in it. */
export function viewsNamedIn(sql: string): readonly ViewName[] {
  if (MADE_QUERY.test(sql)) return VIEW_NAMES;
  return VIEW_NAMES.filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
}
