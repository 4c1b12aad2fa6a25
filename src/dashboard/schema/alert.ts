import { z } from 'zod';
import { pageOfItems, pageQuery, timeField } from './fields.ts';

/** Something that a person was, or is to be, told. */
export const alertItem = z.object({
  id: z.string(),
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  subject: z.string(),
  text: z.string().describe('In the language of the bot.'),
  texts: z.object({ en: z.string(), fa: z.string() }).describe('In each language.'),
  openedAtMs: timeField,
  endedAtMs: timeField.nullable(),
  acknowledgedAtMs: timeField.nullable(),
  acknowledgedBy: z.string().nullable(),
  deliveries: z.array(
    z.object({
      channel: z.string(),
      state: z.enum(['waiting', 'delivered', 'failed']),
      atMs: timeField.nullable(),
    }),
  ),
});

/** Reason no alerts are watched for. */
export const alertsOffField = z
  .enum(['not set', 'other speed'])
  .nullable()
  .describe(
    'Why no alerts are watched for: `not set`, the configuration has no `alerts`; `other speed`, its embedded exchange does not run at speed 1. Null where they are.',
  );

export const alertsQuery = pageQuery.extend({ state: z.enum(['open', 'all']).default('all') });
export const alertsReply = pageOfItems(alertItem);

export type AlertItem = z.output<typeof alertItem>;
