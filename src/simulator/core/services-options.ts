import type { FeeSchedule } from '../../domain/fee-schedule.ts';
import type { RandomSource } from '../../domain/random.ts';
import type { Accounts } from './accounts.ts';
import type { CurrencySettings } from './funding/currency-settings.ts';
import type { WithdrawalSettings } from './funding/withdrawal-settings.ts';
import type { VerifySignature } from './gate/gate.ts';
import type { LimitSettings } from './gate/limit-settings.ts';
import type { VerifyTotp } from './gate/log-in.ts';
import type { Md5 } from './gateway/gateway.ts';
import type { GatewaySettings } from './gateway/gateway-settings.ts';
import type { MarginSettings } from './margin/margin-settings.ts';
import type { UserSettings } from './users/user-settings.ts';

/** Parts of the services: settings, and the ports that a pure core can not fill by itself. */
export interface ServicesOptions {
  readonly accounts: Accounts;
  /** Source of tokens. */
  readonly random: RandomSource;
  /** Opening time of the exchange: the time of opening balances. */
  readonly startMs: number;
  readonly verifySignature: VerifySignature;
  readonly md5: Md5;
  /** Without it only fixed codes are right. */
  readonly verifyTotp?: VerifyTotp;
  /** Fee rates that a profile shows. */
  readonly feesOf?: (userId: number) => FeeSchedule;
  /** Prefix of the key scheme's headers. */
  readonly serviceName?: string;
  readonly users?: readonly UserSettings[];
  /** By symbol, lower case. */
  readonly currencies?: Readonly<Record<string, CurrencySettings>>;
  readonly limits?: Partial<LimitSettings>;
  readonly withdrawals?: Partial<WithdrawalSettings>;
  readonly margin?: Partial<MarginSettings>;
  readonly gateway?: Partial<GatewaySettings>;
}

/** The usual base tier. */
export const DEFAULT_FEES: FeeSchedule = {
  rls: { maker: 2_000, taker: 2_500 },
  usdt: { maker: 1_000, taker: 1_300 },
};
