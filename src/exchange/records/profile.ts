import { z } from 'zod';
import {
  decimalOrNull,
  flagOrNull,
  integerOrNull,
  recordOf,
  textOrNull,
  withoutPrototype,
} from '../reply-types.ts';

const bankCard = z.object({
  number: textOrNull,
  bank: textOrNull,
  owner: textOrNull,
  confirmed: flagOrNull,
  status: textOrNull,
});

const bankAccount = z.object({
  id: integerOrNull,
  number: textOrNull,
  shaba: textOrNull,
  bank: textOrNull,
  owner: textOrNull,
  confirmed: flagOrNull,
  status: textOrNull,
});

const flags = recordOf(flagOrNull)
  .nullish()
  .transform((value) => value ?? withoutPrototype<boolean | null>([]));

const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items): readonly z.output<Item>[] => items ?? []);

const options = z.object({
  /** Percent, rial markets. */
  fee: decimalOrNull,
  /** Percent, tether markets. */
  feeUsdt: decimalOrNull,
  isManualFee: flagOrNull,
  tfa: flagOrNull,
  socialLoginEnabled: flagOrNull,
});

const profile = z.object({
  firstName: textOrNull,
  lastName: textOrNull,
  nationalCode: textOrNull,
  email: textOrNull,
  username: textOrNull,
  phone: textOrNull,
  mobile: textOrNull,
  city: textOrNull,
  bankCards: listOf(bankCard),
  bankAccounts: listOf(bankAccount),
  verifications: flags,
  pendingVerifications: flags,
  options: options.nullish().transform((value) => value ?? null),
  withdrawEligible: flagOrNull,
});

/** "Resources: Profile". Fields keep the interface's names; what is missing is null or empty. */
export const profileReply = z.object({
  profile,
  tradeStats: z
    .object({ monthTradesTotal: decimalOrNull, monthTradesCount: integerOrNull })
    .nullish()
    .transform((value) => value ?? null),
});
