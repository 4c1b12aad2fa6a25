import { z } from 'zod';
import { ORDER_STATES } from '../../domain/order.ts';
import { INTENT_STATUSES, namesOf, shapeOf } from '../../records/field.ts';
import { INTENT } from '../../records/rows.ts';
import { FILL, FILL_ITEM } from '../../records/fill.ts';
import { ORDER_ITEM, SHOWN_ORDER } from '../../records/order.ts';
import {
  countField,
  decimalTextField,
  fieldSentences,
  ITEM_CODECS,
  nameField,
  pageOfItems,
  pageQuery,
  sentenceField,
  timeField,
} from './fields.ts';

export const orderItem = z.object({
  ...shapeOf(SHOWN_ORDER, ORDER_ITEM, ITEM_CODECS),
  reasonFacts: sentenceField,
});

export const fillItem = z.object({
  ...shapeOf(FILL, FILL_ITEM, ITEM_CODECS),
  feeCurrency: z.string().nullable(),
});

/** Line of the journal about an order. */
const stepItem = z.object({
  seq: countField,
  atMs: timeField,
  kind: z.string(),
  subject: z.string(),
  data: z.unknown().describe('What the journal has, as it has it.'),
  said: fieldSentences,
});

/** Original reply of the exchange about an order. */
const rawReplyItem = z.object({
  orderKey: z.string(),
  step: z.enum(['place', 'look-up', 'cancel']).describe('Which request it is the reply to.'),
  atMs: timeField,
  endpoint: z.string(),
  httpStatus: z.int(),
  body: z.string().describe('As it came, its first 4,096 characters at most.'),
  bodyLength: countField.describe('Characters of the whole body.'),
  problem: z.string().nullable().describe('Why it was not used; null where it was.'),
});

const filter = { strategy: nameField.optional(), market: nameField.optional() };

export const ordersQuery = pageQuery.extend({
  state: z.enum(['open', 'all', ...ORDER_STATES]).default('all'),
  ...filter,
});
export const ordersReply = pageOfItems(orderItem);

export const orderIntentItem = z.object({
  id: z.string(),
  kind: z.string(),
  status: ITEM_CODECS.intentStatus,
  reason: z.string().nullable(),
  reasonFacts: sentenceField,
  atMs: timeField,
});

export const orderReply = z.object({
  orders: z
    .array(
      orderItem.extend({
        otherFees: z
          .array(z.object({ currency: z.string(), amount: decimalTextField }))
          .describe('Fees of its fills that were not taken from what it received.'),
      }),
    )
    .describe('The order, with the other leg of its pair.'),
  fills: z.array(fillItem).describe('Oldest first, at most 500.'),
  steps: z.array(stepItem).describe('Its life, oldest first, at most 500.'),
  replies: z
    .array(rawReplyItem)
    .describe(
      'Of each kind of request the last reply that was used, and the last that was not; oldest first.',
    ),
  intent: orderIntentItem.nullable(),
});

export const fillsQuery = pageQuery.extend({ ...filter, order: nameField.optional() });
export const fillsReply = pageOfItems(fillItem);

export const intentItem = z.object({
  ...shapeOf(INTENT, namesOf(INTENT, ['json']), ITEM_CODECS),
  reasonFacts: sentenceField,
  data: z.unknown().describe('The intent itself.'),
});

export const intentsQuery = pageQuery.extend({
  ...filter,
  status: z.enum(['all', ...INTENT_STATUSES]).default('all'),
});
export const intentsReply = pageOfItems(intentItem);

export type OrderItem = z.output<typeof orderItem>;
export type FillItem = z.output<typeof fillItem>;
export type StepItem = z.output<typeof stepItem>;
export type RawReplyItem = z.output<typeof rawReplyItem>;
export type OrderReply = z.output<typeof orderReply>;
export type IntentItem = z.output<typeof intentItem>;
