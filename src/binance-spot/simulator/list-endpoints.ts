import { accountGet, trade, type AccountContext, type SpotEndpoint } from './endpoint.ts';
import type { ListRequest } from './engine.ts';
import { listRow, placementRow, type ResponseType } from './rows.ts';
import type { SpotMarket, SpotOrderList, SpotOrderRequest, SpotOrderType } from './state.ts';
import { cancelOne, checkDay, defaultResponse } from './order-endpoints.ts';
import { inRange, listed } from './market-endpoints.ts';
import {
  checkDraft,
  DRAFT_FIELDS,
  ORDER_TYPE,
  filteredRequest,
  RESPONSE_TYPE,
  SIDE,
  STP_MODE,
  type OrderDraft,
} from './order-request.ts';
import {
  clientId,
  plainDecimal,
  instant,
  limitParameter,
  long,
  optionalParameter,
  symbolText,
  oneOfWords,
  type SpotParameter,
  type Parameters,
} from './parameters.ts';
import { refusals, SpotRefusal } from './refusal.ts';
import type { SpotSettings } from './settings.ts';

/** Fields of a leg; its amount and side are those of the list, or have parameters of their own. */
const { quantity: _quantity, quoteOrderQty: _quoteOrderQty, ...LEG_FIELDS } = DRAFT_FIELDS;

type LegName = `${string}${Capitalize<keyof typeof LEG_FIELDS>}`;

const prefixed = (prefix: string, field: string): string =>
  `${prefix}${(field[0] ?? '').toUpperCase()}${field.slice(1)}`;

/** Parameters of a leg, whose names begin with a prefix such as `above`. */
const leg = (prefix: string): Record<LegName, SpotParameter<unknown, false>> =>
  Object.fromEntries(
    Object.entries(LEG_FIELDS).map(([field, parameter]) => [prefixed(prefix, field), parameter]),
  );

const LIST: {
  readonly symbol: SpotParameter<string, true>;
  readonly listClientOrderId: SpotParameter<string, false>;
  readonly newOrderRespType: SpotParameter<ResponseType, false>;
  readonly selfTradePreventionMode: SpotParameter<string, false>;
} = {
  symbol: symbolText(),
  listClientOrderId: optionalParameter(clientId()),
  newOrderRespType: optionalParameter(RESPONSE_TYPE),
  selfTradePreventionMode: optionalParameter(STP_MODE),
};

/** Values of a list's parameters, of which those of legs are found by their prefix. */
type ListValues = Readonly<Record<string, unknown>> & {
  readonly symbol: string;
  readonly listClientOrderId: string | undefined;
  readonly newOrderRespType: ResponseType | undefined;
};

/** One leg: its draft, and the names by which the sender knows its fields. */
interface Leg {
  readonly draft: OrderDraft;
  readonly nameOf: (field: string) => string;
}

/** Reads the leg of a prefix. `given` are the fields that are not its own. */
function legOf(values: ListValues, prefix: string, given: Partial<OrderDraft>): Leg {
  const own = Object.fromEntries(
    Object.keys(LEG_FIELDS).map((field) => [field, values[prefixed(prefix, field)]]),
  );
  const type = values[`${prefix}Type`] as SpotOrderType;
  const mode = { selfTradePreventionMode: values['selfTradePreventionMode'] };
  return {
    draft: { type, ...own, ...given, ...mode } as OrderDraft,
    nameOf: (field) =>
      field === 'quantity' && !(`${prefix}Quantity` in values) ? field : prefixed(prefix, field),
  };
}

const checkLegs = (legs: readonly Leg[], { choices }: SpotSettings): void => {
  for (const { draft, nameOf } of legs) checkDraft(draft, choices.unusedParameterCode, nameOf);
};

const isStopLoss = (type: SpotOrderType): boolean => type.startsWith('STOP_LOSS');

/** Refuses two legs whose types are not those of an OCO, or on the wrong side of each other. */
function checkRivals(above: Leg, below: Leg): void {
  const { side } = above.draft;
  const [high, low] = [above.draft.type, below.draft.type];
  if (high === 'LIMIT_MAKER' && low === 'LIMIT_MAKER')
    throw new SpotRefusal(-1168, 'At least one order of an OCO must be contingent.');
  for (const type of [high, low])
    if (type === 'LIMIT' || type === 'MARKET')
      throw new SpotRefusal(-1158, 'Order type not supported in OCO.');
  const [loss, other] = side === 'SELL' ? [low, high] : [high, low];
  const [lossPlace, otherPlace] = side === 'SELL' ? ['below', 'above'] : ['above', 'below'];
  const at = side === 'SELL' ? 1 : 0;
  if (isStopLoss(other))
    throw new SpotRefusal(
      side === 'SELL' ? -1197 : -1196,
      `A stop loss order in this OCO must be ${lossPlace}.`,
    );
  if (isStopLoss(loss)) return;
  if (loss === 'LIMIT_MAKER')
    throw new SpotRefusal(-1165 - at, `A limit order in this OCO must be ${otherPlace}.`);
  throw new SpotRefusal(-1198 - at, `A take profit order in this OCO must be ${otherPlace}.`);
}

const priceOf = (request: SpotOrderRequest): number =>
  request.type === 'LIMIT_MAKER' ? request.price : request.stopPrice;

/** Refuses an OCO whose prices do not enclose the last price. */
function checkAround(market: SpotMarket, above: SpotOrderRequest, below: SpotOrderRequest): void {
  const [high, low] = [priceOf(above), priceOf(below)];
  if ((high !== 0 && high <= market.lastPrice) || (low !== 0 && low >= market.lastPrice))
    throw refusals.order('The relationship of the prices for the orders is not correct.');
}

/** Reads legs by the rules of their market. */
const requestsOf = (context: AccountContext, market: SpotMarket, legs: readonly Leg[]): SpotOrderRequest[] =>
  legs.map(({ draft, nameOf }) =>
    filteredRequest(market, draft, { nowMs: context.nowMs, newId: context.newId, nameOf }),
  );

/** Places a list, and returns its reply. */
function place(
  context: AccountContext,
  values: ListValues,
  of: Pick<ListRequest, 'working' | 'legs'>,
): unknown {
  const { engine, account, nowMs, time } = context;
  const market = context.market(values.symbol);
  const asked = { ...of, clientId: values.listClientOrderId ?? context.newId() };
  return engine.placeList({ account, market, asked }, nowMs, (list, fills) => ({
    ...listRow(list, nowMs, time),
    orderReports: list.orders.map((order) => {
      const type = values.newOrderRespType ?? defaultResponse(order.request.type);
      return placementRow(order, { type, fills, time });
    }),
  }));
}

/** Stop losses come first in a list, as they have the lower id. */
const lossFirst = (legs: readonly SpotOrderRequest[]): readonly SpotOrderRequest[] =>
  legs.toSorted((one, other) => Number(isStopLoss(other.type)) - Number(isStopLoss(one.type)));

/** Legs of an OCO under two prefixes; checked with their parameters. */
function rivalsOf(
  values: ListValues,
  prefixes: readonly [string, string],
  given: Partial<OrderDraft>,
): [Leg, Leg] {
  const [above, below] = prefixes;
  return [legOf(values, above, given), legOf(values, below, given)];
}

const ocoLegs = (values: ListValues): [Leg, Leg] =>
  rivalsOf(values, ['above', 'below'], {
    side: values['side'] as OrderDraft['side'],
    quantity: values['quantity'] as string,
  });

/** Legs of the old form: a limit order, and a stop on the other side of the price; above, then below. */
function oldLegs(values: ListValues): [Leg, Leg] {
  const side = values['side'] as OrderDraft['side'];
  const shared = {
    side,
    quantity: values['quantity'] as string,
    selfTradePreventionMode: values['selfTradePreventionMode'] as string | undefined,
  };
  const limit: Leg = {
    draft: {
      ...shared,
      type: 'LIMIT_MAKER',
      price: values['price'] as string,
      clientOrderId: values['limitClientOrderId'] as string | undefined,
      icebergQty: values['limitIcebergQty'] as string | undefined,
      strategyId: values['limitStrategyId'] as number | undefined,
      strategyType: values['limitStrategyType'] as number | undefined,
    },
    nameOf: (field) => (field === 'quantity' || field === 'price' ? field : prefixed('limit', field)),
  };
  const stop: Leg = {
    draft: {
      ...shared,
      type: values['stopLimitPrice'] === undefined ? 'STOP_LOSS' : 'STOP_LOSS_LIMIT',
      stopPrice: values['stopPrice'] as string,
      price: values['stopLimitPrice'] as string | undefined,
      timeInForce: values['stopLimitTimeInForce'] as OrderDraft['timeInForce'],
      trailingDelta: values['trailingDelta'] as number | undefined,
      clientOrderId: values['stopClientOrderId'] as string | undefined,
      icebergQty: values['stopIcebergQty'] as string | undefined,
      strategyId: values['stopStrategyId'] as number | undefined,
      strategyType: values['stopStrategyType'] as number | undefined,
    },
    nameOf: (field) => {
      if (field === 'price' || field === 'timeInForce') return prefixed('stopLimit', field);
      return field === 'clientOrderId' || field === 'icebergQty' ? prefixed('stop', field) : field;
    },
  };
  return side === 'SELL' ? [limit, stop] : [stop, limit];
}

const workingLeg = (values: ListValues): Leg =>
  legOf(values, 'working', {
    side: values['workingSide'] as OrderDraft['side'],
    quantity: values['workingQuantity'] as string,
  });

const pendingGiven = (values: ListValues): Partial<OrderDraft> => ({
  side: values['pendingSide'] as OrderDraft['side'],
  quantity: values['pendingQuantity'] as string,
});

const WORKING = {
  workingType: oneOfWords(['LIMIT', 'LIMIT_MAKER'], () => new SpotRefusal(-1116, 'Invalid orderType.')),
  workingSide: SIDE,
  workingQuantity: plainDecimal(),
  ...leg('working'),
  workingPrice: plainDecimal(),
  pendingSide: SIDE,
  pendingQuantity: plainDecimal(),
};

/** Declares a call that places a list, of which the legs come from its values. */
function listEndpoint(
  path: string,
  of: {
    readonly orders: number;
    readonly parameters: Parameters;
    readonly check: (values: ListValues, settings: SpotSettings) => void;
    readonly handle: (context: AccountContext, values: ListValues, market: SpotMarket) => unknown;
  },
): SpotEndpoint {
  return trade<Parameters>('POST', path, {
    weight: 1,
    orders: of.orders,
    parameters: { ...LIST, ...of.parameters },
    check: (values, settings) => of.check(values as ListValues, settings),
    handle: (context, values) =>
      of.handle(context, values as ListValues, context.market(values['symbol'] as string)),
  });
}

/** Declares a call that places an OCO. */
const oco = (
  path: string,
  parameters: Parameters,
  legsOf: (values: ListValues) => [Leg, Leg],
): SpotEndpoint =>
  listEndpoint(path, {
    orders: 2,
    parameters: { side: SIDE, quantity: plainDecimal(), ...parameters },
    check(values, settings) {
      const [above, below] = legsOf(values);
      checkRivals(above, below);
      checkLegs([above, below], settings);
    },
    handle(context, values, market) {
      const [above, below] = requestsOf(context, market, legsOf(values)) as [
        SpotOrderRequest,
        SpotOrderRequest,
      ];
      checkAround(market, above, below);
      return place(context, values, { working: null, legs: lossFirst([above, below]) });
    },
  });

const LIST_NAME = {
  orderListId: optionalParameter(long()),
  listClientOrderId: optionalParameter(clientId()),
};

function findList(
  { account }: AccountContext,
  id: number | undefined,
  name: string | undefined,
): SpotOrderList | undefined {
  if (id === undefined) return account.lists.findLast((list) => list.clientId === name);
  return account.lists.find((list) => list.id === id && (name === undefined || list.clientId === name));
}

export const LIST_ENDPOINTS: readonly SpotEndpoint[] = [
  oco(
    'orderList/oco',
    { aboveType: ORDER_TYPE, belowType: ORDER_TYPE, ...leg('above'), ...leg('below') },
    ocoLegs,
  ),
  oco(
    'order/oco',
    {
      price: plainDecimal(),
      stopPrice: plainDecimal(),
      stopLimitPrice: LEG_FIELDS.price,
      stopLimitTimeInForce: LEG_FIELDS.timeInForce,
      trailingDelta: LEG_FIELDS.trailingDelta,
      limitClientOrderId: LEG_FIELDS.clientOrderId,
      stopClientOrderId: LEG_FIELDS.clientOrderId,
      limitIcebergQty: LEG_FIELDS.icebergQty,
      stopIcebergQty: LEG_FIELDS.icebergQty,
      limitStrategyId: LEG_FIELDS.strategyId,
      limitStrategyType: LEG_FIELDS.strategyType,
      stopStrategyId: LEG_FIELDS.strategyId,
      stopStrategyType: LEG_FIELDS.strategyType,
    },
    oldLegs,
  ),
  listEndpoint('orderList/oto', {
    orders: 2,
    parameters: { ...WORKING, pendingType: ORDER_TYPE, ...leg('pending') },
    check: (values, settings) =>
      checkLegs([workingLeg(values), legOf(values, 'pending', pendingGiven(values))], settings),
    handle(context, values, market) {
      const legs = [workingLeg(values), legOf(values, 'pending', pendingGiven(values))];
      const [working, pending] = requestsOf(context, market, legs) as [SpotOrderRequest, SpotOrderRequest];
      return place(context, values, { working, legs: [pending] });
    },
  }),
  listEndpoint('orderList/otoco', {
    orders: 3,
    parameters: {
      ...WORKING,
      pendingAboveType: ORDER_TYPE,
      pendingBelowType: ORDER_TYPE,
      ...leg('pendingAbove'),
      ...leg('pendingBelow'),
    },
    check(values, settings) {
      const [above, below] = rivalsOf(values, ['pendingAbove', 'pendingBelow'], pendingGiven(values));
      checkRivals(above, below);
      checkLegs([workingLeg(values), above, below], settings);
    },
    handle(context, values, market) {
      const rivals = rivalsOf(values, ['pendingAbove', 'pendingBelow'], pendingGiven(values));
      const [working] = requestsOf(context, market, [workingLeg(values)]) as [SpotOrderRequest];
      return place(context, values, { working, legs: lossFirst(requestsOf(context, market, rivals)) });
    },
  }),
  trade('DELETE', 'orderList', {
    weight: 1,
    parameters: { symbol: symbolText(), ...LIST_NAME, newClientOrderId: optionalParameter(clientId()) },
    check({ orderListId, listClientOrderId }) {
      if (orderListId === undefined && listClientOrderId === undefined)
        throw refusals.oneOf('orderListId', 'listClientOrderId');
    },
    handle(context, { symbol, orderListId, listClientOrderId, newClientOrderId }) {
      context.market(symbol);
      const list = findList(context, orderListId, listClientOrderId);
      const order = list?.orders.find((each) => each.isOpen);
      if (order === undefined || order.market.rules.symbol !== symbol) throw refusals.cancel();
      return cancelOne(context, order, { cancelId: newClientOrderId, showsList: true });
    },
  }),
  accountGet('orderList', {
    weight: 4,
    parameters: { orderListId: LIST_NAME.orderListId, origClientOrderId: LIST_NAME.listClientOrderId },
    check({ orderListId, origClientOrderId }) {
      if (orderListId === undefined && origClientOrderId === undefined)
        throw refusals.oneOf('orderListId', 'origClientOrderId');
    },
    handle(context, { orderListId, origClientOrderId }) {
      const list = findList(context, orderListId, origClientOrderId);
      if (list === undefined) throw new SpotRefusal(-2013, 'Order list does not exist.');
      return listRow(list, list.createdMs, context.time);
    },
  }),
  accountGet('allOrderList', {
    weight: 20,
    parameters: {
      fromId: optionalParameter(long()),
      startTime: optionalParameter(instant()),
      endTime: optionalParameter(instant()),
      limit: limitParameter(1_000),
    },
    check({ fromId, startTime, endTime }) {
      if (fromId !== undefined && (startTime !== undefined || endTime !== undefined))
        throw refusals.combination();
      checkDay(startTime, endTime);
    },
    handle({ account, nowMs, time }, { fromId, startTime, endTime, limit = 500 }) {
      const [startMs, endMs] = [inRange(startTime, nowMs), inRange(endTime, nowMs)];
      const found =
        fromId === undefined
          ? listed(account.lists, { startMs, endMs, limit, timeOf: (list) => list.createdMs })
          : account.lists.filter(({ id }) => id >= fromId).slice(0, limit);
      const isAscending = fromId !== undefined || startMs !== undefined;
      return (isAscending ? found : found.toReversed()).map((list) => listRow(list, list.createdMs, time));
    },
  }),
  accountGet('openOrderList', {
    weight: 6,
    parameters: {},
    handle: ({ account, time }) =>
      account.lists.filter((list) => list.isOpen).map((list) => listRow(list, list.createdMs, time)),
  }),
];
