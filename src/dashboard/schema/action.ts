import { z } from 'zod';
import { shapeOf } from '../../records/field.ts';
import { BY_HAND_ORDER, ORDER } from '../../records/order.ts';
import { noteFields } from '../../records/rows.ts';
import {
  countField,
  decimalTextField,
  ITEM_CODECS,
  lengthField,
  nameField,
  sentenceField,
  sideField,
  timeField,
} from './fields.ts';

/** Key of an action's dialog: a command that is sent twice with one key is done once. */
const key = z
  .string()
  .regex(/^[\w.:-]{1,100}$/)
  .describe('Name of this very command: given twice it is done once.');

const dryRun = z.boolean().default(false).describe('Only says what it costs, and does nothing.');
const base = { key, dryRun };
const reason = z.string().max(500).default('by hand');
const forMs = lengthField.max(366 * 86_400_000);
const entries = z.enum(['cancel', 'keep']).default('cancel');
const positive = decimalTextField.regex(/^\d/);

export const haltBody = z.strictObject({ ...base, reason });
export const resumeBody = z.strictObject({
  ...base,
  strategy: nameField.nullable().default(null).describe('Ends the pause of this one; without it, a halt.'),
});
export const pauseBody = z.strictObject({
  ...base,
  strategy: nameField,
  forMs: forMs.nullable().default(null).describe('Without it until it is resumed.'),
  reason,
  entries,
});
export const reloadBody = z.strictObject({
  ...base,
  strategy: nameField.describe('Its code from its file, and its params from the configuration.'),
});
export const promoteBody = z.strictObject({
  ...base,
  shadow: nameField,
  isUndone: z.boolean().default(false).describe('Gives both what they had before.'),
});
export const cancelBody = z.strictObject({
  ...base,
  order: nameField.nullable().default(null).describe('One order, by its key or its id at the exchange.'),
  strategy: nameField.nullable().default(null),
  market: nameField.nullable().default(null),
  isAll: z.boolean().default(false).describe('Every order of the bot: to be said where nothing else is.'),
});
export const closeBody = z.strictObject({
  ...base,
  strategy: nameField,
  market: nameField.nullable().default(null).describe('Without it every coin that the strategy holds.'),
});
export const positionBody = z.strictObject({
  ...base,
  act: z
    .enum(['adopt', 'write-off', 'move'])
    .describe('The strategy has the coins, has them no more, or `to` has them.'),
  strategy: nameField,
  to: nameField.nullable().default(null),
  market: nameField.describe('A market of the coin.'),
  amount: positive.nullable().default(null).describe('Without it all that the strategy holds.'),
  price: positive.nullable().default(null).describe('Without it that of now.'),
});
export const lockBody = z.strictObject({
  ...base,
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(40)
    .default('hand'),
  strategy: nameField.nullable().default(null),
  market: nameField.nullable().default(null),
  forMs,
  reason,
  entries,
});
export const unlockBody = z.strictObject({
  ...base,
  name: nameField.nullable().default(null),
  strategy: nameField.nullable().default(null),
  market: nameField.nullable().default(null),
});
const placed = shapeOf(ORDER, BY_HAND_ORDER, {
  ...ITEM_CODECS,
  name: nameField,
  money: positive,
  amount: positive,
});
export const orderBody = z.strictObject({
  ...base,
  ...placed,
  strategy: nameField.describe('In whose book, and within whose limits, it is placed.'),
  price: placed.price.default(null),
  stopPrice: placed.stopPrice.default(null),
});
export const approvalBody = z.strictObject({
  ...base,
  entry: nameField.describe('The id of an entry that waits.'),
});
export const noteBody = z.strictObject({ ...base, ...noteFields.shape });
export const acknowledgeBody = z.strictObject({
  ...base,
  alert: nameField,
  andOlder: z.boolean().default(false).describe('Whether every older alert is acknowledged with it.'),
});

const verdict = { ok: z.boolean(), message: z.string(), messageFacts: sentenceField };

/** Cost of an action, as `dryRun` reports it. */
const costReply = z.object({
  dryRun: z.literal(true),
  cancels: z.array(nameField).describe('Orders that it cancels, by their keys; the first 500.'),
  cancelCount: countField,
  places: z.array(
    z.object({
      market: z.string(),
      side: sideField,
      amount: decimalTextField,
      isReduceOnly: z.boolean(),
      value: decimalTextField.nullable(),
      currency: z.string().nullable(),
      fee: decimalTextField
        .nullable()
        .describe('In the currency received, at the rate of our newest fill there; null without one.'),
    }),
  ),
  requests: countField.describe('Requests to the exchange that it needs at least.'),
  limit: countField.nullable().describe('Cancels in a window of the exchange; null where none is needed.'),
  windowMs: lengthField.nullable(),
  seconds: countField.describe('How long that takes at the worst, by that limit.'),
  text: z.string().describe('The same in a sentence, as the command line says it.'),
  checks: z
    .object(verdict)
    .nullable()
    .describe('What all checks of the bot would say to the order now; null without an order or its answer.'),
});

/** Reply to a posted action. The bot gets it within 250 ms. */
const postedReply = z.object({
  id: countField.describe('Its state is at `actions/ID`. 0: it is done already.'),
  key: z.string(),
});

/** Reply to any action, also to the acknowledgement of an alert. */
export const actionReply = z.union([costReply, postedReply]);

export const actionStateReply = z.object({
  id: countField,
  state: z.enum(['waiting', 'taken', 'done', 'failed']),
  takenAtMs: timeField.nullable(),
  progress: z.object({ left: countField, closed: countField }).nullable(),
  result: z
    .object({
      ...verdict,
      left: z.array(z.string()),
      placed: z.array(z.string()),
    })
    .nullable(),
});

export type CostReply = z.output<typeof costReply>;
export type ActionReply = z.output<typeof actionReply>;
export type ActionStateReply = z.output<typeof actionStateReply>;
