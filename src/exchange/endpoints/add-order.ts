import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { orderRecord, type ExchangeOrder } from '../order.ts';
import { addRuleIssues, isOneOf, type RuleIssue } from '../request-rules.ts';
import { clientOrderId, currency, flag, positiveInput, word } from '../request-types.ts';
import { budget } from './budget.ts';

/** The interface answers every price that it can not use with a code of its own. */
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

/** An OCO is a limit order with a stop-limit order beside it. */
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
    if (execution !== 'limit') {
      issues.push({
        field: 'execution',
        message: 'expected limit with mode oco',
        exchangeCode: 'ParseError',
      });
    }
    need('price', 'mode oco');
    need('stopPrice', 'mode oco');
    need('stopLimitPrice', 'mode oco');
  } else {
    if (execution === 'limit' || execution === 'stop_limit') need('price', `execution ${execution}`);
    if (execution === 'stop_limit' || execution === 'stop_market')
      need('stopPrice', `execution ${execution}`);
  }
  if (order.dstCurrency !== 'rls' && order.dstCurrency !== 'usdt') {
    issues.push({ field: 'dstCurrency', message: 'expected rls or usdt', exchangeCode: 'InvalidMarketPair' });
  }
  return issues;
}

/** Reply to a placed order: of an OCO the limit order, with the stop-limit order beside it. */
export interface PlacedOrder {
  readonly order: ExchangeOrder;
  readonly pair: ExchangeOrder | null;
}

export const addOrder = endpoint({
  name: 'addOrder',
  method: 'POST',
  path: '/market/orders/add',
  access: 'TRADE',
  budget: budget('orders/add', { per: 'token', limit: 300, minutes: 10 }),
  idempotent: false,
  sends: 'json',
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
  section: 'Spot trading',
});
