import { z } from 'zod';
import { currencySymbol, decimalAmount, positiveDecimal, plainText } from './setting-fields.ts';
import type { FeeSchedule } from '../domain/market.ts';
import { parseUnits, UNITS_PER_ONE, divideDown } from '../domain/money.ts';
import type { Accounts } from './accounts.ts';
import {
  Addresses,
  currencyOf,
  type FundingCurrency,
  type CurrencySettings,
  Deposits,
  type DepositsState,
} from './deposits.ts';
import { RialWithdrawals, type WithdrawalsState } from './funding/rial-withdrawals.ts';
import { withdrawalSettings, type WithdrawalSettings } from './rial-withdrawal.ts';
import {
  CredentialRegister,
  type CredentialRegisterState,
  LogInGate,
  type VerifyTotp,
} from './credentials.ts';
import { Gate, type VerifySignature } from './gate.ts';
import { DEFAULT_LIMITS, type LimitSettings, RateLimits, type RateLimitsState } from './rate-limits.ts';
import { Gateway, type GatewayState, type Md5, gatewaySettings } from './gateway.ts';
import { type User, Users, type UsersState, type UserSettings } from './user.ts';
import type { RandomSource } from '../domain/random.ts';
import type { MarketName } from '../domain/market-symbol.ts';

/** Parts of the services: settings, and ports for what a pure core can not do itself. */
export interface ServicesOptions {
  readonly accounts: Accounts;
  /** Source of tokens. */
  readonly random: RandomSource;
  /** Opening time of the exchange, which is the time of opening balances. */
  readonly startMs: number;
  readonly verifySignature: VerifySignature;
  readonly md5: Md5;
  /** Checks one-time passwords; if omitted, only fixed codes are valid. */
  readonly verifyTotp?: VerifyTotp;
  /** Returns the fee rates that a user's profile shows. */
  readonly feesOf?: (userId: number) => FeeSchedule;
  /** Prefix of the key scheme's headers. */
  readonly serviceName?: string;
  readonly users?: readonly UserSettings[];
  /** Settings by currency symbol, lower case. */
  readonly currencies?: Readonly<Record<string, CurrencySettings>>;
  readonly limits?: Partial<LimitSettings>;
  readonly withdrawals?: z.input<typeof withdrawalSettings>;
  readonly margin?: z.input<typeof marginSettings>;
  readonly gateway?: z.input<typeof gatewaySettings>;
}

/** Fee rates of the usual base tier. */
export const DEFAULT_FEES: FeeSchedule = {
  rls: { maker: 2_000, taker: 2_500 },
  usdt: { maker: 1_000, taker: 1_300 },
};

export interface ServicesState {
  readonly users: UsersState;
  readonly credentials: CredentialRegisterState;
  readonly limits: RateLimitsState;
  readonly addresses: readonly string[];
  readonly deposits: DepositsState;
  readonly withdrawals: WithdrawalsState;
  readonly gateway: GatewayState;
}

/** All services of the exchange except trading. Omitted settings have defaults. */
export class Services {
  readonly users: Users;
  readonly credentials: CredentialRegister;
  readonly limits: RateLimits;
  readonly gate: Gate;
  readonly logIn: LogInGate;
  readonly addresses = new Addresses();
  readonly deposits: Deposits;
  readonly withdrawals: RialWithdrawals;
  readonly withdrawalSettings: WithdrawalSettings;
  readonly margin: Margin;
  readonly gateway: Gateway;
  readonly feesOf: (userId: number) => FeeSchedule;
  private readonly accounts: Accounts;
  private readonly currencies = new Map<string, FundingCurrency>();

  constructor(options: ServicesOptions) {
    const { accounts, random, startMs } = options;
    this.accounts = accounts;
    this.feesOf = options.feesOf ?? (() => DEFAULT_FEES);
    this.users = new Users(options.users);
    this.credentials = new CredentialRegister(random);
    this.limits = new RateLimits({ ...DEFAULT_LIMITS, ...options.limits });
    this.gate = new Gate({
      credentials: this.credentials,
      limits: this.limits,
      verifySignature: options.verifySignature,
      serviceName: options.serviceName ?? 'service',
    });
    this.logIn = new LogInGate({
      users: this.users,
      credentials: this.credentials,
      random,
      verifyTotp: options.verifyTotp ?? (() => false),
    });
    this.deposits = new Deposits(accounts);
    this.withdrawalSettings = withdrawalSettings.parse(options.withdrawals ?? {});
    this.withdrawals = new RialWithdrawals(accounts, this.withdrawalSettings);
    this.margin = new Margin(marginSettings.parse(options.margin ?? {}));
    this.gateway = new Gateway({
      settings: gatewaySettings.parse(options.gateway ?? {}),
      random,
      md5: options.md5,
      accounts,
      users: this.users,
    });
    for (const [symbol, settings] of Object.entries(options.currencies ?? {}))
      this.currencies.set(symbol, currencyOf(symbol, settings));
    for (const user of this.users.all()) this.welcome(user, startMs);
  }

  /** Returns the settings of a currency: configured, or known. Unknown symbols are not cached. */
  currency(symbol: string): FundingCurrency {
    return this.currencies.get(symbol) ?? currencyOf(symbol);
  }

  /** True if the settings name a currency. */
  hasCurrency(symbol: string): boolean {
    return this.currencies.has(symbol);
  }

  /** Adds a user, with credentials, a rial wallet and balances. Throws `INVARIANT` for a used name. */
  addUser(settings: UserSettings, timeMs: number): User {
    const user = this.users.add(settings);
    this.welcome(user, timeMs);
    return user;
  }

  /** Does what is due by `timeMs`: confirmations, steps of withdrawals. It costs little if nothing is due. */
  advance(timeMs: number): void {
    this.deposits.advance(timeMs);
    this.withdrawals.advance(timeMs);
  }

  snapshot(): ServicesState {
    return {
      users: this.users.snapshot(),
      credentials: this.credentials.snapshot(),
      limits: this.limits.snapshot(),
      addresses: this.addresses.snapshot(),
      deposits: this.deposits.snapshot(),
      withdrawals: this.withdrawals.snapshot(),
      gateway: this.gateway.snapshot(),
    };
  }

  /** Restores a state after the accounts. Configured users that it lacks are added as new ones. */
  restore(state: ServicesState, timeMs: number): void {
    const added = this.users.restore(state.users);
    this.credentials.restore(state.credentials);
    for (const user of this.users.all()) {
      if (added.includes(user)) this.welcome(user, timeMs);
      else this.credentials.addConfigured(user.id, user.settings, timeMs);
    }
    this.limits.restore(state.limits);
    this.addresses.restore(state.addresses);
    this.deposits.restore(state.deposits);
    this.withdrawals.restore(state.withdrawals);
    this.gateway.restore(state.gateway);
  }

  private welcome(user: User, timeMs: number): void {
    this.credentials.addConfigured(user.id, user.settings, timeMs);
    this.accounts.ensure(user.id, 'rls');
    const { balances = {}, marginBalances = {} } = user.settings;
    for (const [kind, amounts] of [
      ['spot', balances],
      ['margin', marginBalances],
    ] as const) {
      for (const [currency, amount] of Object.entries(amounts)) {
        const units = parseUnits(amount);
        const wallet = this.accounts.ensure(user.id, currency, kind);
        if (units > 0n)
          this.accounts.post(wallet, 'outside', { units, description: 'Opening balance', timeMs });
      }
    }
  }
}

/** Rates and leverage of a market, in units of 1e-10. Source: interface, "Margin market setting". */
interface MarginMarket {
  readonly base: string;
  readonly quote: string;
  readonly positionFeeRate: bigint;
  readonly maxLeverage: bigint;
  readonly sellEnabled: boolean;
  readonly buyEnabled: boolean;
}

/** State of a liquidity pool. Source: interface, "Liquidity pool". */
interface PoolState {
  readonly capacity: bigint;
  readonly filledCapacity: bigint;
  readonly availableBalance: bigint;
}

/** Data of the margin reads: settings only, so no state is stored. */
class Margin {
  private readonly settings: z.output<typeof marginSettings>;

  constructor(settings: z.output<typeof marginSettings>) {
    this.settings = settings;
  }

  /** Returns the offered markets by symbol. A user's level limits the leverage. */
  markets(markets: Iterable<MarketName>, level: string | null): ReadonlyMap<string, MarginMarket> {
    const offered = new Map<string, MarginMarket>();
    for (const { symbol, base, quote } of markets) {
      const settings = this.settings.markets === null ? {} : this.settings.markets[symbol];
      if (settings === undefined) continue;
      const marketLeverage = parseUnits(settings.maxLeverage ?? MARKET_DEFAULTS.maxLeverage);
      const levelText = level === null ? undefined : this.settings.maxLeverageByLevel[level];
      const levelLeverage = levelText === undefined ? marketLeverage : parseUnits(levelText);
      offered.set(symbol, {
        base: base,
        quote: quote,
        positionFeeRate: parseUnits(settings.positionFeeRate ?? MARKET_DEFAULTS.positionFeeRate),
        maxLeverage: levelLeverage < marketLeverage ? levelLeverage : marketLeverage,
        sellEnabled: settings.sellEnabled ?? MARKET_DEFAULTS.sellEnabled,
        buyEnabled: settings.buyEnabled ?? MARKET_DEFAULTS.buyEnabled,
      });
    }
    return offered;
  }

  /** Returns the pools by currency, lower case. */
  pools(markets: Iterable<MarketName>): ReadonlyMap<string, PoolState> {
    const pools = new Map<string, PoolState>();
    if (this.settings.pools === null) {
      const capacity = parseUnits(this.settings.defaultPoolCapacity);
      for (const { base } of markets)
        pools.set(base, { capacity, filledCapacity: 0n, availableBalance: capacity });
      return pools;
    }
    for (const [currency, settings] of Object.entries(this.settings.pools)) {
      const capacity = parseUnits(settings.capacity);
      const filledCapacity = parseUnits(settings.filledCapacity ?? '0');
      const isActive = settings.active ?? true;
      pools.set(currency, {
        capacity,
        filledCapacity,
        availableBalance: isActive ? capacity - filledCapacity : 0n,
      });
    }
    return pools;
  }

  /**
   * Returns the level's rial ceiling in units of a currency, rounded down. `rialOfOne` is the rial value of 1
   * of the currency; the result is null without it.
   */
  delegationLimit(level: string, rialOfOne: bigint | null): bigint | null {
    if (rialOfOne === null || rialOfOne <= 0n) return null;
    const limits = this.settings.delegationLimitRial;
    const rial = parseUnits(limits[level] ?? limits['default'] ?? '0');
    return divideDown(rial * UNITS_PER_ONE, rialOfOne);
  }
}

const marginMarket = z.strictObject({
  positionFeeRate: decimalAmount().optional(),
  maxLeverage: positiveDecimal().optional(),
  sellEnabled: z.boolean().optional(),
  buyEnabled: z.boolean().optional(),
});

/** Defaults of a margin market. The numbers are ours. */
const MARKET_DEFAULTS = { positionFeeRate: '0.0005', maxLeverage: '5', sellEnabled: true, buyEnabled: true };

/** Margin trading as the interface shows it: settings and pools, but no orders. The numbers are ours. */
export const marginSettings = z.strictObject({
  /** Offered markets by symbol; null offers every market of the exchange. */
  markets: z.record(plainText(), marginMarket).nullable().default(null),
  /** Largest leverage by user level; a missing level, or a call without a token, has the market's. */
  maxLeverageByLevel: z.record(plainText(), positiveDecimal()).prefault({ level1: '2', level2: '5' }),
  /** Pools by currency; null makes one for each base currency. */
  pools: z
    .record(
      currencySymbol(),
      z.strictObject({
        capacity: decimalAmount(),
        filledCapacity: decimalAmount().optional(),
        /** False makes the available balance of the pool empty. */
        active: z.boolean().optional(),
      }),
    )
    .nullable()
    .default(null),
  /** Capacity of pools made by default, in whole units of the currency. */
  defaultPoolCapacity: decimalAmount().prefault('1000'),
  /** Largest delegation in rial by user level; `default` is for the others. */
  delegationLimitRial: z
    .record(plainText(), decimalAmount())
    .prefault({ default: '5000000000', level3: '20000000000' }),
});
