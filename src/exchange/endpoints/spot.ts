import { z } from 'zod';
import {
  endpointsOf,
  budget,
  clientOrderId,
  currency,
  integer,
  positiveNumber,
  flag,
  positiveInput,
  word,
} from '../request-types.ts';
import { orderRecord, type ExchangeOrder, tradeRecord } from '../order.ts';
import { pageOf, textOrNull } from '../reply-types.ts';
import {
  addRuleIssues,
  notTogether,
  someOf,
  togetherOrNone,
  isOneOf,
  type RuleIssue,
} from '../request-rules.ts';

const endpoint = endpointsOf('Spot trading', 15_000);
const EXECUTIONS = ['limit', 'market', 'stop_limit', 'stop_market'] as const;

const someId =
  (field: 'id' | 'order') => (fields: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx) => {
    if (fields[field] !== undefined || typeof fields['clientOrderId'] === 'string') return;
    addRuleIssues(context, [
      { field, message: 'expected an order id or a clientOrderId', exchangeCode: 'NullIdAndClientOrderId' },
    ]);
  };

export const orderStatus = endpoint({
  name: 'orderStatus',
  route: 'POST /market/orders/status',
  access: 'READ',
  budget: budget('orders/status', { per: 'token', limit: 300, hasReserve: true }),
  idempotent: true,
  timeoutMs: 10_000,
  request: z
    .object({ id: integer({ least: 1 }).optional(), clientOrderId: clientOrderId().nullish() })
    .superRefine(someId('id'))
    .meta(someOf('id', 'clientOrderId')),
  failsInBody: true,
  reply: z.object({ order: orderRecord }).transform((wire) => wire.order),
  example: { id: 1 },
  summary: 'One order, by its id or, among open orders, by its clientOrderId.',
});

export const ordersList = endpoint({
  name: 'ordersList',
  route: 'GET|POST /market/orders/list',
  access: 'READ',
  budget: budget('orders/list', { per: 'token', limit: 30, hasReserve: true }),
  request: z
    .object({
      status: z.enum(['all', 'open', 'done', 'close']).optional(),
      type: z.enum(['buy', 'sell']).optional(),
      execution: z.enum(EXECUTIONS).optional(),
      tradeType: z.enum(['spot', 'margin']).optional(),
      srcCurrency: currency().optional(),
      dstCurrency: currency().optional(),
      details: integer({ least: 1, most: 2 })
        .optional()
        .describe('2 adds id, status, fee, time of creation and average price.'),
      fromId: integer({ least: 1 })
        .optional()
        .describe('Only ids from this one on; one page, not together with page.'),
      order: z.enum(['id', '-id', 'created_at', '-created_at', 'price', '-price']).optional(),
      page: integer({ least: 1 }).optional(),
      pageSize: integer({ least: 1, most: 1000 }).optional(),
    })
    .superRefine((fields, context) => {
      if (fields.fromId === undefined || fields.page === undefined) return;
      addRuleIssues(context, [
        { field: 'page', message: 'expected no page beside fromId', exchangeCode: 'ParseError' },
      ]);
    })
    .meta(notTogether('fromId', 'page')),
  reply: pageOf('orders', orderRecord),
  example: { status: 'open', details: 2 },
  summary: 'Orders of the user, filtered and paged.',
});

export const updateOrderStatus = endpoint({
  name: 'updateOrderStatus',
  route: 'POST /market/orders/update-status',
  access: 'TRADE',
  budget: budget('orders/update-status', { per: 'token', limit: 90, hasReserve: true }),
  request: z
    .object({
      order: integer({ least: 1 }).optional(),
      clientOrderId: clientOrderId().nullish(),
      status: z.literal('canceled'),
    })
    .superRefine(someId('order'))
    .meta(someOf('order', 'clientOrderId')),
  failsInBody: true,
  reply: z
    .object({ updatedStatus: textOrNull, order: orderRecord.nullish() })
    .transform((wire) => ({ updatedStatus: wire.updatedStatus, order: wire.order ?? null })),
  example: { order: 1, status: 'canceled' },
  summary: 'Cancels one open order, and with it the other of an OCO pair that has not executed.',
});

export const cancelOldOrders = endpoint({
  name: 'cancelOldOrders',
  route: 'POST /market/orders/cancel-old',
  access: 'TRADE',
  budget: budget('orders/cancel-old', { per: 'token', limit: 30, hasReserve: true }),
  timeoutMs: 20_000,
  request: z.object({
    hours: positiveNumber().optional().describe('Only orders older than this; without it all active orders.'),
    execution: z.enum(EXECUTIONS).optional(),
    tradeType: z.enum(['spot', 'margin']).optional(),
    srcCurrency: currency().optional(),
    dstCurrency: currency().optional(),
  }),
  reply: z.object({}).transform(() => null),
  example: { hours: 24, srcCurrency: 'btc', dstCurrency: 'rls' },
  summary:
    'Cancels the active orders that match and are old enough. Waiting stop orders outside an OCO stay.',
});

export const tradesList = endpoint({
  name: 'tradesList',
  route: 'GET|POST /market/trades/list',
  access: 'READ',
  budget: budget('trades/list', { per: 'token', limit: 30, hasReserve: true }),
  request: z
    .object({
      srcCurrency: currency().optional(),
      dstCurrency: currency().optional(),
      fromId: integer({ least: 1 }).optional(),
      tradeType: z.enum(['buy', 'sell']).optional(),
      tradeOrder: z.enum(['asc', 'desc']).optional(),
      page: integer({ least: 1, most: 100 }).optional(),
      pageSize: integer({ least: 1, most: 500 }).optional(),
    })
    .superRefine((fields, context) => {
      if ((fields.srcCurrency === undefined) === (fields.dstCurrency === undefined)) return;
      const field = fields.srcCurrency === undefined ? 'srcCurrency' : 'dstCurrency';
      const message = 'expected srcCurrency and dstCurrency together or neither';
      addRuleIssues(context, [{ field, message, exchangeCode: 'ParseError' }]);
    })
    .meta(togetherOrNone('srcCurrency', 'dstCurrency')),
  reply: pageOf('trades', tradeRecord),
  example: { srcCurrency: 'btc', dstCurrency: 'rls', pageSize: 100 },
  summary: "The user's trades of the last 180 days.",
});

/** Price of a request; the exchange refuses each unusable price with a code of its own. */
const price = () =>
  positiveInput({
    zero: 'InvalidOrderPrice',
    negative: 'InvalidOrderPrice',
    unreadable: 'InvalidOrderPrice',
  });

const fields = z.object({
  type: word(['buy', 'sell']),
  execution: word(['limit', 'market', 'stop_limit', 'stop_market']).optional().describe('Without it limit.'),
  srcCurrency: currency('InvalidMarketPair'),
  dstCurrency: currency('InvalidMarketPair'),
  amount: positiveInput({ zero: 'SmallOrder' }).describe(
    "In the base currency; the exchange rounds it down to the market's step.",
  ),
  price: price()
    .optional()
    .describe(
      'Needed except for market and stop-market orders; without it only the 1 % band limits a market order.',
    ),
  stopPrice: price().optional().describe('Price at which a stop order triggers.'),
  stopLimitPrice: price().optional().describe('Price of the stop-limit order of an OCO.'),
  mode: word(['default', 'oco']).optional().describe('oco places two orders; one cancels the other.'),
  clientOrderId: clientOrderId()
    .nullish()
    .describe('A name of your own for the order, unique among open orders.'),
  pro: flag().optional().describe("Turns the exchange's ten-second check for duplicates off."),
});

/** Executions that an OCO cannot have: it is a limit order with a stop-limit order beside it. */
const NOT_OF_AN_OCO = ['market', 'stop_limit', 'stop_market'];

/** Checks the prices that each of the five kinds needs: rule 1 of "POST /market/orders/add". */
function brokenRules(order: z.output<typeof fields>): readonly RuleIssue[] {
  const execution = order.execution ?? 'limit';
  const isOco = order.mode === 'oco';
  const issues: RuleIssue[] = [];
  const need = (field: 'price' | 'stopPrice' | 'stopLimitPrice', kind: string): void => {
    if (order[field] !== undefined) return;
    issues.push({
      field,
      message: `expected a positive decimal with ${kind}`,
      exchangeCode: 'InvalidOrderPrice',
    });
  };
  if (isOco) {
    if (execution !== 'limit')
      issues.push({
        field: 'execution',
        message: 'expected limit with mode oco',
        exchangeCode: 'ParseError',
      });
    need('price', 'mode oco');
    need('stopPrice', 'mode oco');
    need('stopLimitPrice', 'mode oco');
  } else {
    if (execution === 'limit' || execution === 'stop_limit') need('price', `execution ${execution}`);
    if (execution === 'stop_limit' || execution === 'stop_market')
      need('stopPrice', `execution ${execution}`);
  }
  if (order.dstCurrency !== 'rls' && order.dstCurrency !== 'usdt')
    issues.push({ field: 'dstCurrency', message: 'expected rls or usdt', exchangeCode: 'InvalidMarketPair' });
  return issues;
}

/** Reply to a placed order; for an OCO the limit order, with the stop-limit order as its pair. @public */
export interface PlacedOrder {
  readonly order: ExchangeOrder;
  readonly pair: ExchangeOrder | null;
}

export const addOrder = endpoint({
  name: 'addOrder',
  route: 'POST /market/orders/add',
  access: 'TRADE',
  budget: budget('orders/add', { per: 'token', limit: 300, minutes: 10 }),
  timeoutMs: 20_000,
  request: fields
    .superRefine((order, context) => addRuleIssues(context, brokenRules(order)))
    .meta({ not: { allOf: [isOneOf('mode', ['oco']), isOneOf('execution', NOT_OF_AN_OCO)] } }),
  failsInBody: true,
  reply: z
    .object({ order: orderRecord.optional(), orders: z.array(orderRecord).optional() })
    .transform((wire, context): PlacedOrder => {
      const [first, second] = wire.order === undefined ? (wire.orders ?? []) : [wire.order];
      if (first !== undefined) return { order: first, pair: second ?? null };
      context.addIssue({ code: 'custom', path: ['order'], message: 'expected an order', input: wire });
      return z.NEVER;
    }),
  example: { type: 'buy', srcCurrency: 'btc', dstCurrency: 'rls', amount: '0.001', price: '50000000000' },
  summary: 'Places a limit, market, stop-limit, stop-market or OCO order.',
});
