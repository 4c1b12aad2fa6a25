import { z } from 'zod';
import { decimalOrNull, flagOrNull, recordOf, textOrNull } from '../reply-types.ts';

const usage = z.object({ used: decimalOrNull, limit: decimalOrNull });

/** "Resources: User limitations". All amounts are in rial. */
export const limitationsReply = z
  .object({
    limitations: z.object({
      userLevel: textOrNull,
      /** By feature: `crypto_trade`, `rial_trade`, `coin_deposit`, and so on. */
      features: recordOf(flagOrNull),
      /** By limit: `withdrawRialDaily`, `withdrawCoinDaily`, `withdrawTotalDaily`, `withdrawTotalMonthly`. */
      limits: recordOf(usage),
    }),
  })
  .transform((wire) => wire.limitations);
