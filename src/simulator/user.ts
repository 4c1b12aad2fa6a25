import { z } from 'zod';
import { currencySymbol, decimalAmount, durationMs, plainText } from './setting-fields.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { BoundedList } from './accounts.ts';
import { accept, refuse, type Result } from './requests.ts';
import { invariant } from '../domain/errors.ts';

/** Permission of a key. A token may do everything. Source: interface, "Key scheme". */
export type Permission = 'READ' | 'TRADE' | 'WITHDRAW';

export const FEATURES = [
  'crypto_trade',
  'rial_trade',
  'coin_deposit',
  'rial_deposit',
  'coin_withdrawal',
  'rial_withdrawal',
] as const;
type Feature = (typeof FEATURES)[number];

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
type Verification = (typeof VERIFICATIONS)[number];

/** Withdrawal ceilings in rial, as decimal text. Source: interface, "User limitations". */
export interface WithdrawalCeilings {
  readonly withdrawRialDaily: string;
  readonly withdrawCoinDaily: string;
  readonly withdrawTotalDaily: string;
  readonly withdrawTotalMonthly: string;
}

const flags = <Name extends string>(names: readonly Name[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.boolean().optional()])) as Record<
      Name,
      z.ZodOptional<z.ZodBoolean>
    >,
  );

const amountText = () => decimalAmount().transform(String);

/** Schema of opening balances by currency. */
const balances = () => z.record(currencySymbol(), amountText());

/** Largest id of a configured user; higher ones are the synthetic traders'. */
const LARGEST_USER_ID = 8_999_999;

/** Settings of a user of the simulated exchange. Everything but the name has a default. */
export const userSettings = z.strictObject({
  username: plainText(),
  id: z.int().min(1).max(LARGEST_USER_ID).optional(),
  password: plainText().optional(),
  firstName: plainText().optional(),
  lastName: plainText().optional(),
  nationalCode: plainText().optional(),
  email: plainText().optional(),
  phone: plainText().optional(),
  mobile: plainText().optional(),
  city: plainText().optional(),
  level: plainText().optional(),
  features: flags(FEATURES).optional(),
  verifications: flags(VERIFICATIONS).optional(),
  /** Second factor at log-in: a secret for the port that checks codes, or one fixed code. */
  totp: z.strictObject({ secret: plainText().optional(), fixedCode: plainText().optional() }).optional(),
  /** Tokens made in the user panel. Without `validForMs` a token never expires, for configured bots. */
  tokens: z
    .array(
      z.union([plainText(), z.strictObject({ token: plainText(), validForMs: durationMs().optional() })], {
        error: 'expected a token, or an object with token and validForMs',
      }),
    )
    .optional(),
  keys: z
    .array(
      z.strictObject({
        publicKey: z
          .string()
          .regex(
            /^[A-Za-z0-9_-]{43}=?$/,
            'expected 32 bytes in URL-safe Base64, which is 43 characters and maybe "="',
          ),
        permissions: z.array(z.enum(['READ', 'TRADE', 'WITHDRAW'])),
      }),
    )
    .optional(),
  bankCards: z
    .array(
      z.strictObject({
        number: plainText(),
        bank: plainText(),
        owner: plainText().optional(),
        confirmed: z.boolean().optional(),
      }),
    )
    .optional(),
  bankAccounts: z
    .array(
      z.strictObject({
        id: z.int().min(1).optional(),
        number: plainText(),
        shaba: plainText(),
        bank: plainText(),
        owner: plainText().optional(),
        confirmed: z.boolean().optional(),
      }),
    )
    .optional(),
  favoriteMarkets: z.array(plainText()).optional(),
  limits: z
    .strictObject({
      withdrawRialDaily: amountText().optional(),
      withdrawCoinDaily: amountText().optional(),
      withdrawTotalDaily: amountText().optional(),
      withdrawTotalMonthly: amountText().optional(),
    })
    .optional(),
  balances: balances().optional(),
  marginBalances: balances().optional(),
  referral: z
    .strictObject({
      code: plainText().optional(),
      referredUsersCount: z.int().min(0).optional(),
      feeTotalCount: z.int().min(0).optional(),
      /** In whole rial. */
      feeTotal: z.int().min(0).optional(),
    })
    .optional(),
});

export type UserSettings = Readonly<z.output<typeof userSettings>>;
export type TotpSettings = NonNullable<UserSettings['totp']>;

/** Ceilings of a level that has none configured. Levels and numbers are ours: no document gives them. */
const DEFAULT_CEILINGS: WithdrawalCeilings = {
  withdrawRialDaily: '9000000000',
  withdrawCoinDaily: '20000000000',
  withdrawTotalDaily: '20000000000',
  withdrawTotalMonthly: '300000000000',
};

const DEFAULT_LEVEL = 'level2';
const DEFAULT_PASSWORD = 'sarraf';

export interface BankCard {
  readonly number: string;
  readonly bank: string;
  readonly owner: string;
  readonly confirmed: boolean;
}

export interface BankAccount extends BankCard {
  readonly id: number;
  readonly shaba: string;
}

interface RecordedLogIn {
  readonly ip: string;
  readonly username: string;
  readonly status: 'Successful' | 'Failed';
  readonly timeMs: number;
}

/** Parts of a user that calls change, as plain JSON. */
interface UserState extends Readonly<
  Pick<User, 'id' | 'settings' | 'bankCards' | 'bankAccounts' | 'favoriteMarkets' | 'devices'>
> {
  readonly attempts: readonly RecordedLogIn[];
  readonly withdrawalsRestrictedUntilMs: number;
}

/** Maximum number of cards, and most bank accounts, of one user; a further one is refused. */
const CARDS_RETAINED = 50;
/** Maximum number of log-in attempts that are kept for one user; older ones are dropped. */
const ATTEMPTS_RETAINED = 100;
/** Most devices remembered for one user; beyond it the oldest is dropped and is then unknown. */
const DEVICES_RETAINED = 50;

/** Returns a card number without the spaces and hyphens that people write. */
const digitsOf = (number: string): string => number.replace(/[\s-]/g, '');

/** One user: its settings, and what its calls changed (cards, accounts, favourites, devices, log-ins). */
export class User {
  readonly id: number;
  readonly settings: UserSettings;
  readonly features: Record<Feature, boolean>;
  readonly verifications: Record<Verification, boolean>;
  readonly ceilings: WithdrawalCeilings;
  readonly attempts = new BoundedList<RecordedLogIn>(ATTEMPTS_RETAINED);
  bankCards: readonly BankCard[] = [];
  bankAccounts: readonly BankAccount[] = [];
  favoriteMarkets: readonly string[];
  devices: readonly string[] = [];
  /** Time until which rial withdrawals are refused because of a log-in from an unknown device, in ms. */
  withdrawalsRestrictedUntilMs = 0;

  constructor(id: number, settings: UserSettings) {
    this.id = id;
    this.settings = settings;
    this.features = Object.fromEntries(
      FEATURES.map((name) => [name, settings.features?.[name] ?? true]),
    ) as Record<Feature, boolean>;
    this.verifications = Object.fromEntries(
      VERIFICATIONS.map((name) => [name, settings.verifications?.[name] ?? true]),
    ) as Record<Verification, boolean>;
    const limits = settings.limits ?? {};
    this.ceilings = {
      withdrawRialDaily: limits.withdrawRialDaily ?? DEFAULT_CEILINGS.withdrawRialDaily,
      withdrawCoinDaily: limits.withdrawCoinDaily ?? DEFAULT_CEILINGS.withdrawCoinDaily,
      withdrawTotalDaily: limits.withdrawTotalDaily ?? DEFAULT_CEILINGS.withdrawTotalDaily,
      withdrawTotalMonthly: limits.withdrawTotalMonthly ?? DEFAULT_CEILINGS.withdrawTotalMonthly,
    };
    this.favoriteMarkets = settings.favoriteMarkets ?? [];
  }

  get username(): string {
    return this.settings.username;
  }

  get password(): string {
    return this.settings.password ?? DEFAULT_PASSWORD;
  }

  get level(): string {
    return this.settings.level ?? DEFAULT_LEVEL;
  }

  get fullName(): string {
    return `${this.settings.firstName ?? ''} ${this.settings.lastName ?? ''}`.trim();
  }

  get referralCode(): string {
    return this.settings.referral?.code ?? String(100_000 + this.id);
  }

  /** Registers an unconfirmed card. Refused: `ParseError` (no 16 digits), `DuplicateCard`, `TooManyCards`. */
  addCard(card: { readonly number: string; readonly bank: string }): Result<BankCard> {
    const number = digitsOf(card.number);
    if (!/^\d{16}$/.test(number))
      return refuse('ParseError', `expected a card number of 16 digits, was "${card.number}"`);
    if (this.bankCards.some((known) => known.number === number))
      return refuse('DuplicateCard', 'This card is registered');
    if (this.bankCards.length >= CARDS_RETAINED)
      return refuse('TooManyCards', `At most ${CARDS_RETAINED} cards can be kept`);
    const added = { number, bank: card.bank, owner: this.fullName, confirmed: false };
    this.bankCards = [...this.bankCards, added];
    return accept(added);
  }

  /** Registers an unconfirmed account, or refuses: `ParseError`, `DuplicateAccount`, `TooManyAccounts`. */
  addAccount(account: {
    readonly id: number;
    readonly number: string;
    readonly shaba: string;
    readonly bank: string;
  }): Result<BankAccount> {
    const shaba = account.shaba.replace(/[\s-]/g, '').toUpperCase();
    if (!/^IR\d{24}$/.test(shaba))
      return refuse('ParseError', `expected a shaba of IR and 24 digits, was "${account.shaba}"`);
    if (this.bankAccounts.some((known) => known.shaba === shaba))
      return refuse('DuplicateAccount', 'This account is registered');
    if (this.bankAccounts.length >= CARDS_RETAINED)
      return refuse('TooManyAccounts', `At most ${CARDS_RETAINED} accounts can be kept`);
    const added = { ...account, shaba, owner: this.fullName, confirmed: false };
    this.bankAccounts = [...this.bankAccounts, added];
    return accept(added);
  }

  /** Confirms a bank account, as staff does: withdrawals need it. False if it does not exist. */
  confirmAccount(id: number): boolean {
    const found = this.bankAccounts.some((account) => account.id === id);
    this.bankAccounts = this.bankAccounts.map((account) =>
      account.id === id ? { ...account, confirmed: true } : account,
    );
    return found;
  }

  /** Confirms a card by its number in any spelling. False if it does not exist. */
  confirmCard(number: string): boolean {
    const digits = digitsOf(number);
    const found = this.bankCards.some((card) => digitsOf(card.number) === digits);
    this.bankCards = this.bankCards.map((card) =>
      digitsOf(card.number) === digits ? { ...card, confirmed: true } : card,
    );
    return found;
  }

  /**
   * Returns the reason that this user may not trade in the markets of a quote currency; null if the user may.
   * `rial_trade` is about rial markets, `crypto_trade` about tether markets; both need a verified identity.
   */
  barredFrom(quote: Currency): string | null {
    if (!this.verifications.identity) return 'the identity of this user is not verified';
    const feature = quote === 'rls' ? 'rial_trade' : 'crypto_trade';
    return this.features[feature] ? null : `the feature ${feature} is not open to this user`;
  }

  addFavorites(symbols: readonly string[]): void {
    this.favoriteMarkets = [...new Set([...this.favoriteMarkets, ...symbols])];
  }

  removeFavorites(symbols: readonly string[] | 'all'): void {
    this.favoriteMarkets =
      symbols === 'all' ? [] : this.favoriteMarkets.filter((symbol) => !symbols.includes(symbol));
  }

  knowsDevice(device: string): boolean {
    return this.devices.includes(device);
  }

  rememberDevice(device: string): void {
    this.devices = [...this.devices, device].slice(-DEVICES_RETAINED);
  }

  snapshot(): UserState {
    const { features: _features, verifications: _verifications, ceilings: _ceilings, ...state }: User = this;
    return { ...state, attempts: [...this.attempts.values()] };
  }

  restore({ id: _id, settings: _settings, attempts, ...state }: UserState): void {
    for (const attempt of attempts) this.attempts.push(attempt);
    Object.assign(this, state);
  }
}

export interface UsersState {
  readonly users: readonly UserState[];
  readonly nextBankAccountId: number;
}

const FIRST_USER_ID = 1001;
const FIRST_BANK_ACCOUNT_ID = 5001;

/** All users of the exchange: those of the configuration, and those that the administrator adds. */
export class Users {
  private readonly byNumber = new Map<number, User>();
  private readonly byName = new Map<string, User>();
  private nextUserId = FIRST_USER_ID;
  private nextBankAccountId = FIRST_BANK_ACCOUNT_ID;

  constructor(settings: readonly UserSettings[] = []) {
    for (const one of settings) this.add(one);
  }

  /** Adds a user. Throws `INVARIANT` if the name or the id is in use. */
  add(settings: UserSettings): User {
    while (settings.id === undefined && this.byNumber.has(this.nextUserId)) this.nextUserId += 1;
    const user = new User(settings.id ?? this.nextUserId++, settings);
    invariant(
      !this.byName.has(user.username) && !this.byNumber.has(user.id),
      `expected a user name and id not yet used, was "${user.username}" (${user.id})`,
    );
    user.bankCards = (settings.bankCards ?? []).map((card) => ({
      number: card.number,
      bank: card.bank,
      owner: card.owner ?? user.fullName,
      confirmed: card.confirmed ?? true,
    }));
    user.bankAccounts = (settings.bankAccounts ?? []).map((account) => ({
      id: account.id ?? this.nextBankAccountId++,
      number: account.number,
      shaba: account.shaba,
      bank: account.bank,
      owner: account.owner ?? user.fullName,
      confirmed: account.confirmed ?? true,
    }));
    this.put(user);
    return user;
  }

  find(id: number): User | undefined {
    return this.byNumber.get(id);
  }

  /** Returns a user that the gate admitted. Throws `INVARIANT` if there is none. */
  get(id: number): User {
    const user = this.byNumber.get(id);
    invariant(user !== undefined, `expected a known user id, was ${id}`);
    return user;
  }

  findByName(username: string): User | undefined {
    return this.byName.get(username);
  }

  all(): Iterable<User> {
    return this.byNumber.values();
  }

  addBankAccount(
    user: User,
    account: { readonly number: string; readonly shaba: string; readonly bank: string },
  ): Result<BankAccount> {
    const result = user.addAccount({ id: this.nextBankAccountId, ...account });
    if (result.ok) this.nextBankAccountId += 1;
    return result;
  }

  snapshot(): UsersState {
    return {
      users: [...this.byNumber.values()].map((user) => user.snapshot()),
      nextBankAccountId: this.nextBankAccountId,
    };
  }

  /**
   * Restores what calls changed. Passwords, levels and the like stay as configured; users that only the state
   * has are restored, and configured users without a state are added. Returns those added.
   */
  restore(state: UsersState): readonly User[] {
    const configured = new Map([...this.byName.values()].map((user) => [user.username, user.settings]));
    this.byNumber.clear();
    this.byName.clear();
    for (const one of state.users) {
      const user = new User(one.id, configured.get(one.settings.username) ?? one.settings);
      user.restore(one);
      this.put(user);
    }
    this.nextBankAccountId = Math.max(this.nextBankAccountId, state.nextBankAccountId);
    return [...configured.values()]
      .filter(({ username }) => !this.byName.has(username))
      .map((one) => this.add(one));
  }

  private put(user: User): void {
    this.byNumber.set(user.id, user);
    this.byName.set(user.username, user);
  }
}
