import { paddedText } from './decimals.ts';
import { unitsOf } from '../../domain/money.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { accountGet, SpotAnswer, trade, type AccountContext, type SpotEndpoint } from './endpoint.ts';
import { failedFilter } from './filters.ts';
import {
  amendedRow,
  cancelRow,
  listRow,
  placementRow,
  queryRow,
  type ResponseType,
  type SpotRow,
} from './rows.ts';
import type { SpotMarket, SpotOrder } from './state.ts';
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
  trueOrFalse,
  instant,
  limitParameter,
  long,
  optionalParameter,
  symbolText,
  oneOfWords,
} from './parameters.ts';
import { inRange, listed } from './market-endpoints.ts';
import { DAY_MS } from '../../domain/time-text.ts';
import { refusals, SpotRefusal } from './refusal.ts';
import { PRECISION, type SpotSettings } from './settings.ts';

const { clientOrderId: newClientOrderId, ...PLAIN_FIELDS } = DRAFT_FIELDS;

/** Parameters of a new order. */
const ORDER = {
  symbol: symbolText(),
  side: SIDE,
  type: ORDER_TYPE,
  ...PLAIN_FIELDS,
  newClientOrderId,
  newOrderRespType: optionalParameter(RESPONSE_TYPE),
  selfTradePreventionMode: optionalParameter(STP_MODE),
};

/** Names an existing order, by its id, its client id, or both. */
const EXISTING = {
  symbol: symbolText(),
  orderId: optionalParameter(long()),
  origClientOrderId: optionalParameter(clientId()),
};

const CANCEL_RESTRICTIONS = optionalParameter(
  oneOfWords(
    ['ONLY_NEW', 'ONLY_PARTIALLY_FILLED'],
    () => new SpotRefusal(-1145, 'Invalid cancelRestrictions'),
  ),
);

interface OrderName {
  readonly orderId: number | undefined;
  readonly origClientOrderId: string | undefined;
}

const nameOfOrder = (field: string): string => (field === 'clientOrderId' ? 'newClientOrderId' : field);

const checkNamed = ({ orderId, origClientOrderId }: OrderName): void => {
  if (orderId === undefined && origClientOrderId === undefined)
    throw refusals.oneOf('origClientOrderId', 'orderId');
};

const draftOf = (
  values: { readonly newClientOrderId: string | undefined } & Omit<OrderDraft, 'clientOrderId'>,
): OrderDraft => ({
  ...values,
  clientOrderId: values.newClientOrderId,
});

type OrderValues = Parameters<typeof draftOf>[0];

const checkOrder = (values: OrderValues, { choices }: SpotSettings): void =>
  checkDraft(draftOf(values), choices.unusedParameterCode, nameOfOrder);

const requested = (context: AccountContext, market: SpotMarket, values: OrderValues) =>
  filteredRequest(market, draftOf(values), {
    nowMs: context.nowMs,
    newId: context.newId,
    nameOf: nameOfOrder,
  });

/** Kind of reply that an order gets if it asks for none. */
export const defaultResponse = (type: string): ResponseType =>
  type === 'LIMIT' || type === 'MARKET' ? 'FULL' : 'ACK';

/** Finds an order of the account; null if there is none, `mismatch` if its two ids are of two orders. */
function findOrder(context: AccountContext, symbol: string, name: OrderName): SpotOrder | 'mismatch' | null {
  const { account } = context;
  const { orderId, origClientOrderId } = name;
  if (orderId === undefined) return account.byClientId(symbol, origClientOrderId ?? '') ?? null;
  const order = account.history(symbol).byId.get(orderId) ?? null;
  if (order === null || origClientOrderId === undefined || order.clientOrderId === origClientOrderId)
    return order;
  return order.cancelId === origClientOrderId ? order : 'mismatch';
}

/** Finds an open order to cancel it. */
function openOrder(context: AccountContext, symbol: string, name: OrderName): SpotOrder {
  const order = findOrder(context, symbol, name);
  if (order === null || order === 'mismatch' || !order.isOpen) throw refusals.cancel();
  return order;
}

interface CancelOptions {
  readonly cancelId: string | undefined;
  readonly restriction?: string | undefined;
  /** True if the reply shows the whole list of an order that belongs to one. */
  readonly showsList: boolean;
}

/** Cancels an order and its list, and returns the reply of one of them. */
export function cancelOne(
  context: AccountContext,
  order: SpotOrder,
  { cancelId, restriction, showsList }: CancelOptions,
): SpotRow {
  const { engine, settings, account, nowMs, time } = context;
  if (restriction !== undefined && order.status !== restriction.slice('ONLY_'.length))
    throw refusals.cancel('Order was not canceled due to cancel restrictions.');
  if (cancelId !== undefined && settings.choices.refusesUsedCancelId)
    engine.checkClientId(account, order.market, cancelId);
  const { list } = order;
  engine.cancel(order, nowMs, cancelId ?? context.newId());
  return list === null || !showsList
    ? cancelRow(order, time)
    : { ...listRow(list, nowMs, time), orderReports: list.orders.map((each) => cancelRow(each, time)) };
}

/** Result of one part of a replacement. */
type PartResult = 'SUCCESS' | 'FAILURE' | 'NOT_ATTEMPTED';

/** Runs one part of a replacement; returns its row or its refusal. */
function attempt(act: () => SpotRow): { readonly result: PartResult; readonly response: unknown } {
  try {
    return { result: 'SUCCESS', response: act() };
  } catch (error) {
    if (!(error instanceof SpotRefusal)) throw error;
    return { result: 'FAILURE', response: error.body };
  }
}

const ratesOf = (rates: Readonly<Record<'maker' | 'taker' | 'buyer' | 'seller', DecimalText>>): SpotRow =>
  Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [name, paddedText(unitsOf(rate), PRECISION)]),
  );

/** Discount as the replies about commissions show it. */
const discountOf = ({ account, settings: { choices } }: AccountContext): SpotRow => ({
  enabledForAccount: account.settings.discount,
  enabledForSymbol: true,
  discountAsset: choices.discountAsset,
  discount: paddedText(unitsOf(choices.discount), PRECISION),
});

/** Rates of an order: what makers and takers pay, and what its side adds. */
function orderRates(context: AccountContext, side: 'BUY' | 'SELL'): SpotRow {
  const { standardCommission, specialCommission, taxCommission } = context.account.settings;
  const of = (rates: typeof standardCommission): SpotRow => {
    const ofSide = unitsOf(side === 'BUY' ? rates.buyer : rates.seller);
    return {
      maker: paddedText(unitsOf(rates.maker) + ofSide, PRECISION),
      taker: paddedText(unitsOf(rates.taker) + ofSide, PRECISION),
    };
  };
  return {
    standardCommissionForOrder: of(standardCommission),
    specialCommissionForOrder: of(specialCommission),
    taxCommissionForOrder: of(taxCommission),
    discount: discountOf(context),
  };
}

/** Refuses times that are more than a day apart. */
export function checkDay(startTime: number | undefined, endTime: number | undefined): void {
  if (startTime !== undefined && endTime !== undefined && endTime - startTime > DAY_MS)
    throw refusals.moreThanDay();
}

const PLACE = {
  parameters: ORDER,
  check: checkOrder,
} as const;

const mode = oneOfWords(['STOP_ON_FAILURE', 'ALLOW_FAILURE']);

export const ORDER_ENDPOINTS: readonly SpotEndpoint[] = [
  trade('POST', 'order', {
    ...PLACE,
    weight: 1,
    orders: 1,
    handle(context, values) {
      const market = context.market(values.symbol);
      const request = requested(context, market, values);
      const { order, fills } = context.engine.place(context.account, market, request, context.nowMs);
      const type = values.newOrderRespType ?? defaultResponse(values.type);
      return placementRow(order, { type, fills, time: context.time });
    },
  }),
  trade('POST', 'order/test', {
    ...PLACE,
    weight: (sent) => (sent.get('computeCommissionRates') === 'true' ? 20 : 1),
    isFreeOnSuccess: false,
    parameters: { ...ORDER, computeCommissionRates: optionalParameter(trueOrFalse()) },
    handle(context, values) {
      const market = context.market(values.symbol);
      context.engine.check(context.account, market, requested(context, market, values));
      return values.computeCommissionRates === true ? orderRates(context, values.side) : {};
    },
  }),
  trade('DELETE', 'order', {
    weight: 1,
    parameters: { ...EXISTING, newClientOrderId, cancelRestrictions: CANCEL_RESTRICTIONS },
    check: checkNamed,
    handle(context, values) {
      context.market(values.symbol);
      const order = openOrder(context, values.symbol, values);
      return cancelOne(context, order, {
        cancelId: values.newClientOrderId,
        restriction: values.cancelRestrictions,
        showsList: context.settings.choices.cancelOfListed === 'list',
      });
    },
  }),
  trade('DELETE', 'openOrders', {
    weight: 1,
    parameters: { symbol: symbolText() },
    handle(context, { symbol }) {
      context.market(symbol);
      const open = context.account.openOrders(symbol);
      if (open.length === 0) throw refusals.cancel();
      const rows: SpotRow[] = [];
      for (const order of open)
        if (order.isOpen) rows.push(cancelOne(context, order, { cancelId: undefined, showsList: true }));
      return rows;
    },
  }),
  trade('POST', 'order/cancelReplace', {
    weight: 1,
    orders: 'own',
    parameters: {
      ...ORDER,
      cancelReplaceMode: mode,
      cancelOrderId: optionalParameter(long()),
      cancelOrigClientOrderId: optionalParameter(clientId()),
      cancelNewClientOrderId: optionalParameter(clientId()),
      cancelRestrictions: CANCEL_RESTRICTIONS,
      orderRateLimitExceededMode: optionalParameter(oneOfWords(['DO_NOTHING', 'CANCEL_ONLY'])),
    },
    check(values, settings) {
      checkOrder(values, settings);
      if (values.cancelOrderId === undefined && values.cancelOrigClientOrderId === undefined)
        throw refusals.oneOf('cancelOrigClientOrderId', 'cancelOrderId');
    },
    handle: (context, values) => cancelReplace(context, values),
  }),
  trade('PUT', 'order/amend/keepPriority', {
    weight: 4,
    isFreeOnSuccess: false,
    parameters: { ...EXISTING, newClientOrderId, newQty: plainDecimal() },
    check: checkNamed,
    handle: (context, values) => amend(context, values),
  }),
  accountGet('order', {
    weight: 4,
    parameters: EXISTING,
    check: checkNamed,
    handle(context, values) {
      context.market(values.symbol);
      const order = findOrder(context, values.symbol, values);
      if (order === 'mismatch') throw refusals.ids();
      const seen = order === null ? null : context.read(order);
      if (seen === null) throw refusals.noSuchOrder();
      return queryRow(seen, context.time);
    },
  }),
  accountGet('openOrders', {
    weight: (sent) => (sent.has('symbol') ? 6 : 80),
    parameters: { symbol: optionalParameter(symbolText()) },
    handle(context, { symbol }) {
      if (symbol !== undefined) context.market(symbol);
      const { account, asOfMs, nowMs, time } = context;
      const seen = asOfMs === nowMs ? account.openOrders(symbol) : allOrders(context, symbol);
      return seen.filter((order) => order.isOpen).map((order) => queryRow(order, time));
    },
  }),
  accountGet('allOrders', {
    weight: 20,
    parameters: {
      symbol: symbolText(),
      orderId: optionalParameter(long()),
      startTime: optionalParameter(instant()),
      endTime: optionalParameter(instant()),
      limit: limitParameter(1_000),
    },
    check({ orderId, startTime, endTime }) {
      if (orderId !== undefined && (startTime !== undefined || endTime !== undefined))
        throw refusals.combination();
      checkDay(startTime, endTime);
    },
    handle(context, { symbol, orderId, startTime, endTime, limit = 500 }) {
      context.market(symbol);
      const { nowMs, time, settings } = context;
      const orders = allOrders(context, symbol);
      const timeOf = (order: SpotOrder): number =>
        settings.choices.allOrdersTime === 'created' ? order.createdMs : order.updatedMs;
      const [startMs, endMs] = [inRange(startTime, nowMs), inRange(endTime, nowMs)];
      const found =
        orderId === undefined
          ? listed(
              orders.toSorted((one, other) => timeOf(one) - timeOf(other)),
              { startMs, endMs, limit, timeOf },
            )
          : orders.filter(({ id }) => id >= orderId).slice(0, limit);
      return found.toSorted((one, other) => one.id - other.id).map((order) => queryRow(order, time));
    },
  }),
  accountGet('order/amendments', {
    weight: 4,
    parameters: {
      symbol: symbolText(),
      orderId: long(),
      fromExecutionId: optionalParameter(long()),
      limit: limitParameter(1_000),
    },
    handle(context, { symbol, orderId, fromExecutionId = 0, limit = 500 }) {
      const market = context.market(symbol);
      return market.amendments
        .filter(
          ({ order, executionId }) =>
            order.account === context.account && order.id === orderId && executionId >= fromExecutionId,
        )
        .slice(0, limit)
        .map((amendment) => ({
          symbol,
          orderId,
          executionId: amendment.executionId,
          origClientOrderId: amendment.formerId,
          newClientOrderId: amendment.newId,
          origQty: market.rules.amountText(amendment.formerQuantity),
          newQty: market.rules.amountText(amendment.newQuantity),
          time: context.time(amendment.timeMs),
        }));
    },
  }),
  accountGet('account/commission', {
    weight: 20,
    parameters: { symbol: symbolText() },
    handle(context, { symbol }) {
      context.market(symbol);
      const { standardCommission, specialCommission, taxCommission } = context.account.settings;
      return {
        symbol,
        standardCommission: ratesOf(standardCommission),
        specialCommission: ratesOf(specialCommission),
        taxCommission: ratesOf(taxCommission),
        discount: discountOf(context),
      };
    },
  }),
];

/** Orders of the account as they are read, of one symbol or of all, oldest first. */
function allOrders(context: AccountContext, symbol: string | undefined): readonly SpotOrder[] {
  const symbols = symbol === undefined ? [...context.engine.markets.keys()] : [symbol];
  return symbols.flatMap((each) =>
    context.account.history(each).orders.flatMap((order) => context.read(order) ?? []),
  );
}

type ReplaceValues = OrderValues & {
  readonly symbol: string;
  readonly newOrderRespType: ResponseType | undefined;
  readonly cancelReplaceMode: 'STOP_ON_FAILURE' | 'ALLOW_FAILURE';
  readonly cancelOrderId: number | undefined;
  readonly cancelOrigClientOrderId: string | undefined;
  readonly cancelNewClientOrderId: string | undefined;
  readonly cancelRestrictions: string | undefined;
  readonly orderRateLimitExceededMode: 'DO_NOTHING' | 'CANCEL_ONLY' | undefined;
};

/** Cancels one order and places another. Filters and the order count are looked at before the cancel. */
function cancelReplace(context: AccountContext, values: ReplaceValues): unknown {
  const { account, engine, orderCount, nowMs } = context;
  const market = context.market(values.symbol);
  const request = requested(context, market, values);
  engine.checkCount(account, market, request);
  const exceeded = orderCount.refusal(1, nowMs);
  if (exceeded !== null && values.orderRateLimitExceededMode !== 'CANCEL_ONLY') throw exceeded;
  const cancel = attempt(() => {
    const name = { orderId: values.cancelOrderId, origClientOrderId: values.cancelOrigClientOrderId };
    return cancelOne(context, openOrder(context, values.symbol, name), {
      cancelId: values.cancelNewClientOrderId,
      restriction: values.cancelRestrictions,
      showsList: context.settings.choices.cancelOfListed === 'list',
    });
  });
  const isStopped = cancel.result === 'FAILURE' && values.cancelReplaceMode === 'STOP_ON_FAILURE';
  const placed = isStopped
    ? { result: 'NOT_ATTEMPTED', response: null }
    : attempt(() => {
        if (exceeded !== null) throw exceeded;
        const { order, fills } = engine.place(account, market, request, nowMs);
        const type = values.newOrderRespType ?? defaultResponse(values.type);
        return placementRow(order, { type, fills, time: context.time });
      });
  if (exceeded === null && placed.result !== 'FAILURE') orderCount.add(1, nowMs);
  const data = {
    cancelResult: cancel.result,
    newOrderResult: placed.result,
    cancelResponse: cancel.response,
    newOrderResponse: placed.response,
  };
  if (cancel.result === 'SUCCESS' && placed.result === 'SUCCESS') return data;
  const isPartial = cancel.result === 'SUCCESS' || placed.result === 'SUCCESS';
  const isLimited = exceeded !== null && values.cancelReplaceMode === 'STOP_ON_FAILURE';
  return new SpotAnswer(
    isPartial
      ? { code: -2021, msg: 'Order cancel-replace partially failed.', data }
      : { code: -2022, msg: 'Order cancel-replace failed.', data },
    isLimited ? 429 : isPartial ? 409 : 400,
  );
}

type AmendValues = OrderName & {
  readonly symbol: string;
  readonly newClientOrderId: string | undefined;
  readonly newQty: string;
};

/** Reduces an order, which keeps its place in the queue. */
function amend(context: AccountContext, values: AmendValues): unknown {
  const { account, engine, nowMs, time } = context;
  const market = context.market(values.symbol);
  const { rules } = market;
  const units = rules.sent(values.newQty, 'newQty');
  const order = findOrder(context, values.symbol, values);
  if (order === null || order === 'mismatch' || !order.isOpen) throw refusals.amend('Unknown order sent.');
  const { request, list } = order;
  const failed =
    units === 0n
      ? 'LOT_SIZE'
      : failedFilter(
          market,
          {
            ...request,
            price: rules.price(request.price),
            stopPrice: rules.price(request.stopPrice),
            quantity: units,
            icebergQty: rules.amount(request.icebergQty),
          },
          nowMs,
        );
  if (failed !== null) throw refusals.filter(failed);
  const quantity = rules.stepsOf(units);
  if (quantity > order.quantity) throw refusals.amend('Order amend (quantity increase) is not supported.');
  if (quantity === order.quantity)
    throw refusals.amend('The requested action would change no state; rejecting');
  if (quantity <= order.filled + order.prevented) throw refusals.amend('Price * QTY is zero or less.');
  const { maxNumOrderAmends } = rules.settings;
  if (maxNumOrderAmends !== 0 && order.amends >= maxNumOrderAmends)
    throw refusals.amend('Filter failure: MAX_NUM_ORDER_AMENDS');
  const newId = values.newClientOrderId ?? context.newId();
  engine.checkClientId(account, market, newId, order);
  const formerId = order.clientOrderId;
  const executionId = market.nextExecutionId();
  const amendment = {
    order,
    executionId,
    formerId,
    newId,
    formerQuantity: order.quantity,
    newQuantity: quantity,
  };
  market.addAmendment({ ...amendment, timeMs: nowMs });
  engine.amend(order, quantity, nowMs);
  if (newId !== formerId) {
    order.clientOrderId = newId;
    account.addClientId(order);
  }
  return {
    transactTime: time(nowMs),
    executionId,
    amendedOrder: amendedRow(order, formerId, time),
    ...(list === null ? {} : { listStatus: listRow(list, nowMs, time) }),
  };
}
