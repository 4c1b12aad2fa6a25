/** Permission of a key. A token may do everything. Source: interface, "Key scheme". */
export type Permission = 'READ' | 'TRADE' | 'WITHDRAW';

interface KeySettings {
  /** URL-safe Base64 of the 32 raw bytes. */
  readonly publicKey: string;
  readonly permissions: readonly Permission[];
}

/**
 * A token made in the user panel. Without `validForMs` it never expires, so that a configured bot runs for
 * ever.
 */
interface PanelTokenSettings {
  readonly token: string;
  readonly validForMs?: number | undefined;
}

interface BankCardSettings {
  readonly number: string;
  readonly bank: string;
  readonly owner?: string | undefined;
  readonly confirmed?: boolean | undefined;
}

interface BankAccountSettings {
  readonly id?: number | undefined;
  readonly number: string;
  readonly shaba: string;
  readonly bank: string;
  readonly owner?: string | undefined;
  readonly confirmed?: boolean | undefined;
}

/** The second factor of a user: a secret for the port that checks codes, or one code that is always right. */
export interface TotpSettings {
  readonly secret?: string | undefined;
  readonly fixedCode?: string | undefined;
}

export const FEATURES = [
  'crypto_trade',
  'rial_trade',
  'coin_deposit',
  'rial_deposit',
  'coin_withdrawal',
  'rial_withdrawal',
] as const;
export type Feature = (typeof FEATURES)[number];

export const VERIFICATIONS = [
  'email',
  'phone',
  'mobile',
  'identity',
  'selfie',
  'bankAccount',
  'bankCard',
  'address',
  'city',
  'nationalSerialNumber',
] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** Withdrawal ceilings in rial, as decimal text. Source: interface, "User limitations". */
export interface WithdrawalCeilings {
  readonly withdrawRialDaily: string;
  readonly withdrawCoinDaily: string;
  readonly withdrawTotalDaily: string;
  readonly withdrawTotalMonthly: string;
}

/** A user of the simulated exchange, as configuration says it. Everything but the name has a default. */
export interface UserSettings {
  readonly username: string;
  readonly id?: number | undefined;
  readonly password?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly nationalCode?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly mobile?: string | undefined;
  readonly city?: string | undefined;
  readonly level?: string | undefined;
  readonly features?: Readonly<Partial<Record<Feature, boolean | undefined>>> | undefined;
  readonly verifications?: Readonly<Partial<Record<Verification, boolean | undefined>>> | undefined;
  readonly totp?: TotpSettings | undefined;
  readonly tokens?: readonly (string | PanelTokenSettings)[] | undefined;
  readonly keys?: readonly KeySettings[] | undefined;
  readonly bankCards?: readonly BankCardSettings[] | undefined;
  readonly bankAccounts?: readonly BankAccountSettings[] | undefined;
  readonly favoriteMarkets?: readonly string[] | undefined;
  readonly limits?: Readonly<Partial<Record<keyof WithdrawalCeilings, string | undefined>>> | undefined;
  /** Opening balances by currency, decimal text. */
  readonly balances?: Readonly<Record<string, string>> | undefined;
  readonly marginBalances?: Readonly<Record<string, string>> | undefined;
  readonly referral?: ReferralSettings | undefined;
}

interface ReferralSettings {
  readonly code?: string | undefined;
  readonly referredUsersCount?: number | undefined;
  readonly feeTotalCount?: number | undefined;
  /** Rial, whole. */
  readonly feeTotal?: number | undefined;
}

/**
 * Ceilings of a level that nothing else is said for. Levels and their numbers are ours: no document gives
 * them.
 */
export const DEFAULT_CEILINGS: WithdrawalCeilings = {
  withdrawRialDaily: '9000000000',
  withdrawCoinDaily: '20000000000',
  withdrawTotalDaily: '20000000000',
  withdrawTotalMonthly: '300000000000',
};

export const DEFAULT_LEVEL = 'level2';
export const DEFAULT_PASSWORD = 'sarraf';
