import { z } from 'zod';
import { EXIT_KINDS } from '../../domain/order.ts';
import {
  countField,
  decimalTextField,
  lengthField,
  nameField,
  pageOfItems,
  pageQuery,
  queriedTime,
  timeField,
} from './fields.ts';

const filter = { strategy: nameField.optional(), market: nameField.optional() };

const TRIP_ORDERS = ['closed', 'opened', 'profit', 'change', 'risk', 'length', 'fees'] as const;

export const tripsQuery = pageQuery.extend({
  ...filter,
  state: z.enum(['open', 'closed', 'all']).default('all'),
  reason: nameField.optional().describe('The exit of its bracket, or the tag of its sale.'),
  tag: nameField.optional().describe('A tag of its purchase, or of a person.'),
  from: queriedTime.optional().describe('Closed at this time or later, in ms.'),
  to: queriedTime.optional().describe('Closed before this time, in ms.'),
  by: z.enum(TRIP_ORDERS).default('closed').describe('What they are sorted by, the largest first.'),
  first: z.enum(['largest', 'smallest']).default('largest'),
});

export const tripItem = z.object({
  strategy: z.string(),
  market: z.string(),
  currency: z.string().describe('The currency of prices, fees and profit.'),
  entryOrder: z.string().nullable().describe('Null for coins that a person moved here.'),
  exitOrder: z.string().nullable(),
  openedAtMs: timeField,
  closedAtMs: timeField.nullable().describe('Null while it is open.'),
  amount: decimalTextField,
  entryPrice: decimalTextField,
  exitPrice: decimalTextField.nullable().describe('Of an open trip the last price, if there is one.'),
  fees: decimalTextField.describe('Of both sides. The profit is after them.'),
  hasUnvaluedFee: z
    .boolean()
    .describe('True if a fee was paid in a currency without a price: neither figure has it.'),
  profit: decimalTextField.nullable(),
  change: z.number().nullable().describe('The profit as a share of what was paid: 0.05 is 5 %.'),
  risk: z.number().nullable().describe('R: the profit in units of what its first stop put at risk.'),
  entryTag: z.string().nullable(),
  exitTag: z.string().nullable(),
  exit: z.enum(EXIT_KINDS).nullable().describe('The exit of a bracket that sold it.'),
  entry: z.string().nullable().describe('What a note belongs to: the purchase, or a command on positions.'),
  note: z.string().describe('What a person noted on it; empty for nothing.'),
  tags: z.array(z.string()).describe('Tags that a person gave it.'),
});

const tripSums = z.object({
  currency: z.string(),
  trips: countField,
  wins: countField.describe('Those with a profit.'),
  profit: decimalTextField,
  fees: decimalTextField,
  unvaluedFees: countField.describe('Trades with a fee that neither figure has.'),
  payoff: z.number().nullable().describe('The mean win by the mean loss; null without both.'),
  lengthMs: lengthField.describe('The mean time from purchase to sale.'),
});

export const tripsReply = pageOfItems(tripItem).extend({
  sums: z.array(tripSums).describe('Of all that are closed and meet the filter.'),
  choices: z
    .object({
      strategies: z.array(z.string()),
      markets: z.array(z.string()),
      reasons: z.array(z.string()),
      tags: z.array(z.string()),
    })
    .describe('What a filter can choose, at most 100 of each.'),
});

const GROUPS = ['day', 'week', 'month', 'hour', 'strategy', 'market', 'reason', 'tag'] as const;

export const profitsQuery = z.object({
  ...filter,
  by: z
    .enum(GROUPS)
    .default('day')
    .describe('Days, weeks from Saturday on, months and hours are those of Tehran.'),
  calendar: z.enum(['gregorian', 'jalali']).default('gregorian').describe('The calendar of months.'),
});

export const profitsReply = z.object({
  groups: z
    .array(
      tripSums.extend({
        key: z.string().describe('The strategy, market, reason or tag, or the hour of the day.'),
        fromMs: timeField.nullable().describe('When the day, week or month begins.'),
        requests: countField
          .nullable()
          .describe('Sent to the exchange in that time; null for a strategy, a market and other groups.'),
      }),
    )
    .describe(
      'At most 1,000, newest or largest profit first. Trips count when they are closed. A time with requests alone has no trips.',
    ),
});

const QUALITY_GROUPS = ['market', 'strategy', 'kind', 'hour'] as const;

export const qualityQuery = z.object({
  ...filter,
  by: z.enum(QUALITY_GROUPS).default('market').describe('Hours are those of Tehran.'),
});

export const qualityReply = z.object({
  standing: countField.describe('Orders that still stand, and are not counted.'),
  groups: z.array(
    z.object({
      key: z.string(),
      currency: z.string(),
      orders: countField,
      unvaluedFees: countField.describe(
        'Orders with a fee in a currency without a price: it is not in here.',
      ),
      priced: countField.describe('Orders with a known price at their plan.'),
      valued: countField.describe('Orders whose shortfall is known too.'),
      filledShare: z.number().describe('Mean share of its amount that an order traded.'),
      traded: decimalTextField,
      slippage: decimalTextField.describe('A cost is positive.'),
      fees: decimalTextField,
      unfilledCost: decimalTextField,
      shortfall: decimalTextField.describe('Slippage, fees, and the cost of what did not trade.'),
      slippageBps: z.number().nullable(),
      shortfallBps: z.number().nullable(),
      firstFillMs: lengthField.nullable().describe('Median from the plan to the first fill.'),
      completionMs: lengthField.nullable(),
      rested: countField.describe('Limit orders that did not cross the book at their plan.'),
      placed: countField.describe('Orders that rested at a known place in the queue.'),
      shared: countField.describe('Orders that rested while all trades of their market were read.'),
      ahead: z.number().nullable().describe('Median amount before an order, as a multiple of its own.'),
      queueShare: z.number().nullable().describe('Share of the volume at their prices that they traded.'),
    }),
  ),
});

export type QualityReply = z.output<typeof qualityReply>;
export type QualityQuery = z.output<typeof qualityQuery>;
export type TripItem = z.output<typeof tripItem>;
export type TripsReply = z.output<typeof tripsReply>;
export type TripsQuery = z.output<typeof tripsQuery>;
export type ProfitsReply = z.output<typeof profitsReply>;
export type ProfitsQuery = z.output<typeof profitsQuery>;
