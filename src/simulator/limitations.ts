import { formatUnits, parseUnits } from '../domain/money.ts';
import type { WithdrawalCeilings } from './user-settings.ts';

/** Withdrawals of a user within the last 24 hours and the last 30 days; rial units. */
export interface WithdrawnRial {
  readonly rialDay: bigint;
  readonly rialMonth: bigint;
  readonly coinDay: bigint;
  readonly coinMonth: bigint;
}

interface UsedLimit {
  readonly used: bigint;
  readonly limit: bigint;
}

/** The four withdrawal limits with what is used of each. Source: interface, "User limitations". */
export function usedLimits(
  ceilings: WithdrawalCeilings,
  withdrawn: WithdrawnRial,
): Readonly<Record<keyof WithdrawalCeilings, UsedLimit>> {
  return {
    withdrawRialDaily: { used: withdrawn.rialDay, limit: parseUnits(ceilings.withdrawRialDaily) },
    withdrawCoinDaily: { used: withdrawn.coinDay, limit: parseUnits(ceilings.withdrawCoinDaily) },
    withdrawTotalDaily: {
      used: withdrawn.rialDay + withdrawn.coinDay,
      limit: parseUnits(ceilings.withdrawTotalDaily),
    },
    withdrawTotalMonthly: {
      used: withdrawn.rialMonth + withdrawn.coinMonth,
      limit: parseUnits(ceilings.withdrawTotalMonthly),
    },
  };
}

/** Returns the limit that a further rial withdrawal would break, as a sentence, or null if there is room. */
export function limitBrokenByRial(
  ceilings: WithdrawalCeilings,
  withdrawn: WithdrawnRial,
  units: bigint,
): string | null {
  const limits = usedLimits(ceilings, withdrawn);
  for (const name of ['withdrawRialDaily', 'withdrawTotalDaily', 'withdrawTotalMonthly'] as const) {
    const { used, limit } = limits[name];
    if (used + units > limit) {
      return `${name}: expected at most ${formatUnits(limit - used)} rial, was ${formatUnits(units)}`;
    }
  }
  return null;
}
