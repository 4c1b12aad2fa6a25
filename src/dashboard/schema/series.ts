import { z } from 'zod';
import { decimalTextField, nameField, timeField } from './fields.ts';
import { eachBarValue } from '../../domain/candle.ts';

/** A range of time; without an end until now, without a begin as far as is kept. */
export const rangeQuery = z.object({
  from: z.coerce.number().int().nonnegative().optional().describe('Milliseconds since 1970.'),
  to: z.coerce.number().int().nonnegative().optional().describe('Milliseconds since 1970.'),
});

/** A figure over time, oldest first. Thinned where there are more than 2,000 values. */
export const seriesItem = z.object({
  name: z.string().describe('Such as `equity/rls`, `profit/grid/rls` or `plot/grid/fast`.'),
  points: z.array(z.tuple([timeField, z.number()])).describe('Pairs of a time and a value.'),
});

export const equityReply = z.object({
  series: z.array(seriesItem).describe('`equity/CURRENCY` and `profit/STRATEGY/CURRENCY`.'),
});

export const plotsReply = z.object({
  market: z.string(),
  series: z
    .array(
      seriesItem.extend({
        strategy: z.string(),
        plot: z.string(),
        pane: z.string().nullable().describe('The title of its pane below the candles; null: over them.'),
      }),
    )
    .describe('What strategies want to have drawn.'),
});

export const candlesQuery = z.object({
  timeframe: nameField.default('1h'),
  limit: z.coerce.number().int().min(1).max(2_000).default(500),
});

export const chartCandlesReply = z.object({
  market: z.string(),
  timeframe: z.string(),
  isBuilt: z.boolean().describe('Whether they were put together from shorter candles.'),
  candles: z
    .array(z.object({ openTimeMs: timeField, ...eachBarValue(decimalTextField) }))
    .describe('Oldest first. The last one may still run.'),
});

export type SeriesItem = z.output<typeof seriesItem>;
export type EquityReply = z.output<typeof equityReply>;
export type PlotsReply = z.output<typeof plotsReply>;
export type ChartCandlesReply = z.output<typeof chartCandlesReply>;
