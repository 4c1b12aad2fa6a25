import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-text.ts';
import {
  aggregates,
  bestRow,
  candleRows,
  candleStart,
  dayTicker,
  firstFrom,
  SPOT_INTERVALS,
  windowTicker,
} from './candles.ts';
import { publicGet, type CallContext, type SpotEndpoint } from './endpoint.ts';
import type { SpotRow } from './rows.ts';
import { SPOT_ORDER_TYPES, type SpotMarket } from './state.ts';
import type { TradeOnTape } from './tape.ts';
import { moneyOf, shownFilters } from './market-rules.ts';
import {
  FIRST_TIME_MS,
  trueOrFalse,
  instant,
  limitParameter,
  jsonList,
  long,
  optionalParameter,
  shortSymbolList,
  symbolList,
  symbolText,
  timeZone,
  oneOfWords,
  type SpotParameter,
} from './parameters.ts';
import { refusals, SpotRefusal } from './refusal.ts';
import { PRECISION } from './settings.ts';

const NO_PARAMETERS = {};
const SYMBOL_STATUS = optionalParameter(
  oneOfWords(['TRADING', 'HALT', 'BREAK'], () => new SpotRefusal(-1122, 'Invalid symbolStatus.')),
);
const TICKER_TYPE = optionalParameter(
  oneOfWords(['FULL', 'MINI'], () => new SpotRefusal(-1139, 'Invalid ticker type.')),
);
const badInterval = (): SpotRefusal => new SpotRefusal(-1120, 'Invalid interval.');

const CHOICE = {
  symbol: optionalParameter(symbolText()),
  symbols: optionalParameter(symbolList()),
  symbolStatus: SYMBOL_STATUS,
};
const SHORT_CHOICE = { ...CHOICE, symbols: optionalParameter(shortSymbolList()) };

interface Choice {
  readonly symbol: string | undefined;
  readonly symbols: readonly string[] | undefined;
  readonly symbolStatus: string | undefined;
}

const checkChoice = ({ symbol, symbols }: Choice): void => {
  if (symbol !== undefined && symbols !== undefined) throw refusals.combination();
};

const checkNamed = (choice: Choice): void => {
  checkChoice(choice);
  if (choice.symbol === undefined && choice.symbols === undefined) throw refusals.oneOf('symbol', 'symbols');
};

/** Answers with one row for `symbol`, and with a list for `symbols` or none. */
function rowsOf(context: CallContext, choice: Choice, row: (market: SpotMarket) => SpotRow): unknown {
  const { symbol, symbols, symbolStatus } = choice;
  if (symbol !== undefined) return row(withStatus(context.market(symbol), symbolStatus));
  const markets = symbols === undefined ? [...context.engine.markets.values()] : symbols.map(context.market);
  return markets.filter(({ status }) => symbolStatus === undefined || status === symbolStatus).map(row);
}

function withStatus(market: SpotMarket, symbolStatus: string | undefined): SpotMarket {
  if (symbolStatus !== undefined && market.status !== symbolStatus)
    throw new SpotRefusal(-1220, 'The symbol does not match the symbolStatus.');
  return market;
}

/** Pulls a time of a range into what the exchange has. */
export const inRange = (timeMs: number | undefined, nowMs: number): number | undefined =>
  timeMs === undefined ? undefined : Math.floor(Math.min(Math.max(timeMs, FIRST_TIME_MS), nowMs + 10_000));

/** Returns rows by the rule of lists: the oldest from a start on, or the newest up to an end. */
export function listed<Row>(
  rows: readonly Row[],
  of: {
    readonly startMs: number | undefined;
    readonly endMs: number | undefined;
    readonly limit: number;
    readonly timeOf: (row: Row) => number;
  },
): readonly Row[] {
  const { startMs, endMs, limit, timeOf } = of;
  const first = startMs === undefined ? 0 : firstFrom(rows, startMs, timeOf);
  const end = endMs === undefined ? rows.length : firstFrom(rows, endMs + 1, timeOf);
  return startMs === undefined
    ? rows.slice(Math.max(first, end - limit), end)
    : rows.slice(first, Math.min(end, first + limit));
}

const tradeTime = ({ timeMs }: TradeOnTape): number => timeMs;

const publicTrade = (market: SpotMarket, trade: TradeOnTape, { time }: CallContext): SpotRow => ({
  id: trade.id,
  price: market.rules.priceText(trade.price),
  qty: market.rules.amountText(trade.quantity),
  quoteQty: moneyOf(market.rules.value(trade.price, trade.quantity)),
  time: time(trade.timeMs),
  isBuyerMaker: trade.isBuyerMaker,
  isBestMatch: true,
});

function symbolRow({ rules, status }: SpotMarket, showsSets: boolean): SpotRow {
  const { settings } = rules;
  return {
    symbol: rules.symbol,
    status,
    baseAsset: rules.base,
    baseAssetPrecision: PRECISION,
    quoteAsset: rules.quote,
    quotePrecision: PRECISION,
    quoteAssetPrecision: PRECISION,
    baseCommissionPrecision: PRECISION,
    quoteCommissionPrecision: PRECISION,
    orderTypes: SPOT_ORDER_TYPES,
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    opoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: true,
    pegInstructionsAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: shownFilters(rules),
    permissions: [],
    ...(showsSets ? { permissionSets: [['SPOT']] } : {}),
    defaultSelfTradePreventionMode: settings.defaultStpMode,
    allowedSelfTradePreventionModes: settings.allowedStpModes,
  };
}

/** Rate limits as they are published. */
const shownLimits = ({ settings: { limits } }: CallContext): readonly SpotRow[] => [
  { rateLimitType: 'REQUEST_WEIGHT', ...limits.weight },
  ...limits.orders.map((limit) => ({ rateLimitType: 'ORDERS', ...limit })),
  { rateLimitType: 'RAW_REQUESTS', ...limits.raw },
];

/** Filters over all symbols. */
export const exchangeFilters = ({ settings }: CallContext): readonly SpotRow[] => [
  ...(settings.exchangeMaxNumOrders === 0
    ? []
    : [{ filterType: 'EXCHANGE_MAX_NUM_ORDERS', maxNumOrders: settings.exchangeMaxNumOrders }]),
  ...(settings.exchangeMaxNumAlgoOrders === 0
    ? []
    : [{ filterType: 'EXCHANGE_MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: settings.exchangeMaxNumAlgoOrders }]),
];

/** One permission, or a JSON list of them. */
const permissionList: SpotParameter<readonly string[], true> = {
  isRequired: true,
  read: (text) => jsonList(text) ?? [text],
};

const symbolCount = (sent: ReadonlyMap<string, string>): number =>
  jsonList(sent.get('symbols') ?? '')?.length ?? 0;

/** Weight of the tickers that cost 4 a symbol. */
const perSymbol = (sent: ReadonlyMap<string, string>): number =>
  Math.min(200, 4 * Math.max(1, symbolCount(sent)));

function dayWeight(sent: ReadonlyMap<string, string>): number {
  if (sent.has('symbol')) return 2;
  if (!sent.has('symbols')) return 80;
  const count = symbolCount(sent);
  return count <= 20 ? 2 : count <= 100 ? 40 : 80;
}

const oneOrMany = (sent: ReadonlyMap<string, string>): number => (sent.has('symbol') ? 2 : 4);

function depthWeight(sent: ReadonlyMap<string, string>): number {
  const limit = Number(sent.get('limit') ?? 100);
  if (limit > 1_000) return 250;
  return limit > 500 ? 50 : limit > 100 ? 25 : 5;
}

const CANDLES = {
  symbol: symbolText(),
  interval: oneOfWords(SPOT_INTERVALS, badInterval),
  startTime: optionalParameter(instant()),
  endTime: optionalParameter(instant()),
  timeZone: optionalParameter(timeZone()),
  limit: limitParameter(1_000),
};

const candles = (path: string): SpotEndpoint =>
  publicGet(path, {
    weight: 2,
    parameters: CANDLES,
    handle: (context, { symbol, interval, startTime, endTime, timeZone: offsetMin = 0, limit = 500 }) =>
      candleRows(
        context.market(symbol),
        {
          grid: { interval, offsetMin },
          startMs: inRange(startTime, context.nowMs),
          endMs: inRange(endTime, context.nowMs),
          limit,
          nowMs: context.nowMs,
        },
        context.time,
      ),
  });

const WINDOW_UNITS = { m: [MINUTE_MS, 59], h: [HOUR_MS, 23], d: [DAY_MS, 7] } as const;

/** Size of a window: `1m` to `59m`, `1h` to `23h`, `1d` to `7d`. */
const windowSize: SpotParameter<number, true> = {
  isRequired: true,
  read(text, name) {
    const [, digits = '', unit = ''] = /^([1-9]\d?)([mhd])$/.exec(text) ?? [];
    if (unit === '') throw refusals.invalid(name);
    const [length, most] = WINDOW_UNITS[unit as keyof typeof WINDOW_UNITS];
    if (Number(digits) > most) throw refusals.invalid(name);
    return Number(digits) * length;
  },
};

const NAMED_SYMBOL = { symbol: symbolText() };
const noReference = (context: CallContext, { symbol }: { readonly symbol: string }): never => {
  context.market(symbol);
  throw new SpotRefusal(-2043, 'No reference price has been set for this symbol.');
};

export const MARKET_ENDPOINTS: readonly SpotEndpoint[] = [
  publicGet('ping', { weight: 1, parameters: NO_PARAMETERS, handle: () => ({}) }),
  publicGet('time', {
    weight: 1,
    parameters: NO_PARAMETERS,
    handle: ({ nowMs, time }) => ({ serverTime: time(nowMs) }),
  }),
  publicGet('exchangeInfo', {
    weight: 20,
    parameters: {
      symbol: optionalParameter(symbolText()),
      symbols: optionalParameter(symbolList()),
      permissions: optionalParameter(permissionList),
      showPermissionSets: optionalParameter(trueOrFalse()),
      symbolStatus: SYMBOL_STATUS,
    },
    check(values) {
      checkChoice(values);
      const isNamed = values.symbol !== undefined || values.symbols !== undefined;
      if (isNamed && (values.permissions !== undefined || values.symbolStatus !== undefined))
        throw refusals.combination();
    },
    handle(context, { symbol, symbols, permissions, showPermissionSets = true, symbolStatus }) {
      const all = [...context.engine.markets.values()];
      const named = symbols ?? (symbol === undefined ? undefined : [symbol]);
      const isShown = permissions === undefined || permissions.includes('SPOT');
      const chosen =
        named?.map(context.market) ??
        all.filter(({ status }) => isShown && (symbolStatus === undefined || status === symbolStatus));
      return {
        timezone: 'UTC',
        serverTime: context.time(context.nowMs),
        rateLimits: shownLimits(context),
        exchangeFilters: exchangeFilters(context),
        symbols: chosen.map((market) => symbolRow(market, showPermissionSets)),
      };
    },
  }),
  publicGet('executionRules', {
    weight: (sent) =>
      sent.has('symbol') ? 2 : sent.has('symbols') ? Math.min(40, 2 * symbolCount(sent)) : 40,
    parameters: CHOICE,
    check: checkChoice,
    // No market has a rule here: none is enforced.
    handle: (context, values) => ({
      symbolRules: [rowsOf(context, values, ({ rules: { symbol } }) => ({ symbol, rules: [] }))].flat(),
    }),
  }),
  publicGet('depth', {
    weight: depthWeight,
    parameters: { symbol: symbolText(), limit: limitParameter(5_000), symbolStatus: SYMBOL_STATUS },
    handle(context, { symbol, limit = 100, symbolStatus }) {
      const market = withStatus(context.market(symbol), symbolStatus);
      const levels = (side: 'buy' | 'sell') =>
        market
          .side(side)
          .top(limit)
          .map(({ price, amount }) => [market.rules.priceText(price), market.rules.amountText(amount)]);
      return { lastUpdateId: market.updateId, bids: levels('buy'), asks: levels('sell') };
    },
  }),
  publicGet('trades', {
    weight: 25,
    parameters: { symbol: symbolText(), limit: limitParameter(1_000) },
    handle(context, { symbol, limit = 500 }) {
      const market = context.market(symbol);
      return market.trades.slice(-limit).map((trade) => publicTrade(market, trade, context));
    },
  }),
  publicGet('historicalTrades', {
    weight: 25,
    parameters: { symbol: symbolText(), limit: limitParameter(1_000), fromId: optionalParameter(long()) },
    handle(context, { symbol, limit = 500, fromId }) {
      const market = context.market(symbol);
      const { trades } = market;
      const first = fromId === undefined ? trades.length - limit : firstFrom(trades, fromId, ({ id }) => id);
      return trades
        .slice(Math.max(0, first), Math.max(0, first) + limit)
        .map((trade) => publicTrade(market, trade, context));
    },
  }),
  publicGet('historicalBlockTrades', {
    weight: 25,
    parameters: { symbol: symbolText(), fromId: long(), limit: limitParameter(1_000) },
    handle(context, { symbol }) {
      context.market(symbol);
      return [];
    },
  }),
  publicGet('aggTrades', {
    weight: 4,
    parameters: {
      symbol: symbolText(),
      fromId: optionalParameter(long()),
      startTime: optionalParameter(instant()),
      endTime: optionalParameter(instant()),
      limit: limitParameter(1_000),
    },
    check({ fromId, startTime, endTime }) {
      if (fromId !== undefined && (startTime !== undefined || endTime !== undefined))
        throw refusals.combination();
    },
    handle(context, { symbol, fromId, startTime, endTime, limit = 500 }) {
      const market = context.market(symbol);
      const { trades } = market;
      const { nowMs, time } = context;
      const first = fromId === undefined ? 0 : firstFrom(trades, fromId, ({ aggregateId }) => aggregateId);
      const [startMs, endMs] = [inRange(startTime, nowMs), inRange(endTime, nowMs)];
      const within = listed(trades.slice(first), { startMs, endMs, limit: trades.length, timeOf: tradeTime });
      const isForward = fromId !== undefined || startMs !== undefined;
      // An aggregate has few trades; of all in a row of the limit's size the right ones are cut.
      const rows = aggregates(
        isForward ? within.slice(0, limit * 20) : within.slice(-limit * 20),
        market,
        time,
      );
      return isForward ? rows.slice(0, limit) : rows.slice(-limit);
    },
  }),
  candles('klines'),
  candles('uiKlines'),
  publicGet('avgPrice', {
    weight: 2,
    parameters: NAMED_SYMBOL,
    handle(context, { symbol }) {
      const market = context.market(symbol);
      const { avgPriceMins } = market.rules.settings;
      return {
        mins: avgPriceMins,
        price: moneyOf(market.averagePrice(context.nowMs)),
        closeTime: context.time(market.trades.at(-1)?.timeMs ?? context.nowMs),
      };
    },
  }),
  publicGet('ticker/24hr', {
    weight: dayWeight,
    parameters: { ...CHOICE, type: TICKER_TYPE },
    check: checkChoice,
    handle: (context, values) =>
      rowsOf(context, values, (market) =>
        dayTicker(market, { nowMs: context.nowMs, type: values.type ?? 'FULL', time: context.time }),
      ),
  }),
  publicGet('ticker/tradingDay', {
    weight: perSymbol,
    parameters: { ...SHORT_CHOICE, timeZone: optionalParameter(timeZone()), type: TICKER_TYPE },
    check: checkNamed,
    handle(context, values) {
      const openMs = candleStart({ interval: '1d', offsetMin: values.timeZone ?? 0 }, context.nowMs);
      const window = { openMs, closeMs: openMs + DAY_MS - 1 };
      return rowsOf(context, values, (market) =>
        windowTicker(market, { window, type: values.type ?? 'FULL', time: context.time }),
      );
    },
  }),
  publicGet('ticker', {
    weight: perSymbol,
    parameters: { ...SHORT_CHOICE, windowSize: optionalParameter(windowSize), type: TICKER_TYPE },
    check: checkNamed,
    handle(context, values) {
      const { nowMs, time } = context;
      const openMs = Math.floor((nowMs - (values.windowSize ?? DAY_MS)) / MINUTE_MS) * MINUTE_MS;
      return rowsOf(context, values, (market) =>
        windowTicker(market, { window: { openMs, closeMs: nowMs }, type: values.type ?? 'FULL', time }),
      );
    },
  }),
  publicGet('ticker/price', {
    weight: oneOrMany,
    parameters: CHOICE,
    check: checkChoice,
    handle: (context, values) =>
      rowsOf(context, values, ({ rules, lastPrice }) => ({
        symbol: rules.symbol,
        price: rules.priceText(lastPrice),
      })),
  }),
  publicGet('ticker/bookTicker', {
    weight: oneOrMany,
    parameters: CHOICE,
    check: checkChoice,
    handle: (context, values) =>
      rowsOf(context, values, (market) => ({ symbol: market.rules.symbol, ...bestRow(market) })),
  }),
  publicGet('referencePrice', { weight: 2, parameters: NAMED_SYMBOL, handle: noReference }),
  publicGet('referencePrice/calculation', { weight: 2, parameters: NAMED_SYMBOL, handle: noReference }),
];
