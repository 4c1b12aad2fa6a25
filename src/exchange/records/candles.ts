import { z } from 'zod';
import type { Candle } from '../../domain/candle.ts';
import { decimalField, timeMsOrNull } from '../reply-types.ts';

/**
 * The columns of the history reply; with `no_data` they are missing. A candle whose time can not be read is
 * left out, unless that is all of them. An `error` never comes here: the client returns it as a refusal.
 */
export const candlesReply = z
  .object({
    s: z.enum(['ok', 'no_data']),
    t: z.array(timeMsOrNull).optional(),
    o: z.array(decimalField).optional(),
    h: z.array(decimalField).optional(),
    l: z.array(decimalField).optional(),
    c: z.array(decimalField).optional(),
    v: z.array(decimalField).optional(),
  })
  .transform((wire, context): readonly Candle[] => {
    const { s, t = [], o = [], h = [], l = [], c = [], v = [] } = wire;
    if (s === 'no_data') return [];
    const candles: Candle[] = [];
    for (const [index, openTimeMs] of t.entries()) {
      const open = o[index];
      const high = h[index];
      const low = l[index];
      const close = c[index];
      const volume = v[index];
      if (
        open === undefined ||
        high === undefined ||
        low === undefined ||
        close === undefined ||
        volume === undefined
      ) {
        context.addIssue({
          code: 'custom',
          path: ['t', index],
          message: 'expected all columns to be as long as t',
          input: t,
        });
        return z.NEVER;
      }
      if (openTimeMs !== null) candles.push({ openTimeMs, open, high, low, close, volume });
    }
    if (candles.length > 0 || t.length === 0) return candles;
    context.addIssue({ code: 'custom', path: ['t'], message: 'expected times, was none', input: t });
    return z.NEVER;
  });
