import { z } from 'zod';
import { countField, timeField } from './fields.ts';

const reportItem = z.object({
  id: z.string().describe('Its page is at `reports/ID`.'),
  name: z.string(),
  kind: z.enum(['report', 'backtest', 'study']),
  atMs: timeField,
  bytes: countField,
});

export const reportsReply = z.object({
  reports: z.array(reportItem).describe('Newest first, at most 500.'),
});

export type ReportItem = z.output<typeof reportItem>;
export type ReportsReply = z.output<typeof reportsReply>;
