import { z } from 'zod';
import { countField, lengthField, timeField } from './fields.ts';
import { lockoutItem } from './overview.ts';
import { seriesItem } from './series.ts';

const budgetItem = z.object({
  subject: z
    .enum(['address', 'account'])
    .describe('What is counted: the address of this machine, or the account.'),
  budget: z.string(),
  limit: countField.describe('Requests that may count at once.'),
  ownLimit: countField.describe('The same without a limit that the exchange has lowered.'),
  isAssumed: z.boolean().describe('Whether the exchange states no limit, and this one is assumed.'),
  windowMs: lengthField,
  inUse: countField,
  onTheWay: countField,
  reserve: countField.describe('Kept for cancels and for finding unknown orders.'),
  fullForMs: lengthField.describe('How long the window counts as full because nothing is known of it.'),
  lockedForMs: lengthField.nullable().describe('How long a limit reply holds it back.'),
  isOnTrial: z.boolean(),
  stoppedForMs: lengthField.nullable().describe('How long a refused credential holds it back.'),
});

export const budgetsReply = z.object({
  asOfMs: timeField,
  budgets: z.array(budgetItem).describe('Of the shared ledger: none for an exchange in the bot itself.'),
  overTime: z.array(seriesItem).describe('`budget/NAME`: how many requests counted.'),
  lockouts: z.array(lockoutItem),
  strategies: z.array(
    z.object({
      strategy: z.string(),
      requests: countField,
      orders: countField,
      fills: countField,
      requestsPerFill: z.number().nullable(),
    }),
  ),
});

export type BudgetItem = z.output<typeof budgetItem>;
export type BudgetsReply = z.output<typeof budgetsReply>;
