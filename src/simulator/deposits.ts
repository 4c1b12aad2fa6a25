import { z } from 'zod';
import { durationMs, plainText } from './setting-fields.ts';
import { type Accounts, type UserId, BoundedList } from './accounts.ts';
import { madeOnce } from '../domain/retain-newest.ts';

export interface Deposit {
  readonly id: number;
  readonly userId: UserId;
  readonly currency: string;
  readonly network: string | null;
  readonly address: string;
  readonly txHash: string;
  readonly units: bigint;
  readonly createdAtMs: number;
  readonly confirmationEveryMs: number;
  readonly requiredConfirmations: number;
  /** Id of the credit in the wallet; null until the deposit is confirmed. */
  readonly transactionId: number | null;
  /** Time of its credit; null until then. An administrator may credit it before its confirmations. */
  readonly creditedAtMs: number | null;
}

export interface DepositsState {
  readonly nextId: number;
  readonly deposits: readonly Deposit[];
}

/** Maximum number of credited deposits of one user. Waiting ones are stored apart and never dropped. */
const DEPOSITS_RETAINED = 1_000;

/** Period covered by the list. Source: interface, "Other constants". */
const DEPOSITS_SHOWN_MS = 92 * 86_400_000;

/** Returns the confirmations so far: they come at a steady pace up to the required number. */
export function confirmationsOf(deposit: Deposit, timeMs: number): number {
  const confirmed = Math.floor((timeMs - deposit.createdAtMs) / Math.max(1, deposit.confirmationEveryMs));
  return Math.max(0, Math.min(deposit.requiredConfirmations, confirmed));
}

/** Deposits from outside: announced by the administrator, credited once they have their confirmations. */
export class Deposits {
  private readonly accounts: Accounts;
  private readonly byUser = new Map<UserId, BoundedList<Deposit>>();
  private readonly waiting = new Map<number, Deposit>();
  private nextId = 1;
  private nextDueMs = Number.POSITIVE_INFINITY;

  constructor(accounts: Accounts) {
    this.accounts = accounts;
  }

  /** Announces a deposit of positive units; one that needs no confirmations is credited at once. */
  create(deposit: {
    readonly userId: UserId;
    readonly currency: FundingCurrency;
    readonly units: bigint;
    readonly timeMs: number;
    readonly network?: string | undefined;
    readonly txHash?: string | undefined;
    readonly requiredConfirmations?: number | undefined;
  }): Deposit {
    const { currency, userId } = deposit;
    const network = currency.networks.find(({ name }) => name === deposit.network) ?? currency.networks[0];
    const id = this.nextId++;
    const made: Deposit = {
      id,
      userId,
      currency: currency.symbol,
      network: network?.name ?? null,
      address: network === undefined ? '' : addressOn(network, userId).address,
      txHash: deposit.txHash ?? `simulated-${currency.symbol}-${String(id).padStart(8, '0')}`,
      units: deposit.units,
      createdAtMs: deposit.timeMs,
      confirmationEveryMs: currency.confirmationEveryMs,
      requiredConfirmations: deposit.requiredConfirmations ?? network?.requiredConfirmations ?? 0,
      transactionId: null,
      creditedAtMs: null,
    };
    this.accounts.ensure(userId, currency.symbol);
    if (made.requiredConfirmations === 0) return this.credit(made, deposit.timeMs);
    this.waiting.set(id, made);
    this.nextDueMs = Math.min(this.nextDueMs, dueMs(made));
    return made;
  }

  /** Credits the deposits that have their confirmations by now. */
  advance(timeMs: number): void {
    if (timeMs < this.nextDueMs) return;
    this.nextDueMs = Number.POSITIVE_INFINITY;
    for (const deposit of this.waiting.values()) {
      if (dueMs(deposit) <= timeMs) this.credit(deposit, dueMs(deposit));
      else this.nextDueMs = Math.min(this.nextDueMs, dueMs(deposit));
    }
  }

  /** Credits a waiting deposit early, for an administrator. False if no deposit with this id waits. */
  confirm(id: number, timeMs: number): boolean {
    const deposit = this.waiting.get(id);
    if (deposit === undefined) return false;
    this.credit(deposit, timeMs);
    return true;
  }

  /** Returns a user's deposits of the last three months, newest first. */
  list(
    userId: UserId,
    options: { readonly timeMs: number; readonly currency?: string | undefined },
  ): readonly Deposit[] {
    const waiting = [...this.waiting.values()].filter((deposit) => deposit.userId === userId);
    return [...(this.byUser.get(userId)?.values() ?? []), ...waiting]
      .filter((deposit) => options.currency === undefined || deposit.currency === options.currency)
      .filter((deposit) => options.timeMs - deposit.createdAtMs <= DEPOSITS_SHOWN_MS)
      .sort((left, right) => right.id - left.id);
  }

  snapshot(): DepositsState {
    const credited = [...this.byUser.values()].flatMap((list) => list.values());
    return { nextId: this.nextId, deposits: [...credited, ...this.waiting.values()] };
  }

  restore(state: DepositsState): void {
    this.byUser.clear();
    this.waiting.clear();
    this.nextDueMs = Number.POSITIVE_INFINITY;
    this.nextId = state.nextId;
    for (const deposit of state.deposits) {
      if (deposit.transactionId !== null) {
        this.add(deposit);
        continue;
      }
      this.waiting.set(deposit.id, deposit);
      this.nextDueMs = Math.min(this.nextDueMs, dueMs(deposit));
    }
  }

  private credit(deposit: Deposit, timeMs: number): Deposit {
    const transaction = this.accounts.post(
      this.accounts.ensure(deposit.userId, deposit.currency),
      'outside',
      {
        units: deposit.units,
        description: `Deposit ${deposit.txHash}`,
        timeMs,
      },
    );
    const credited = { ...deposit, transactionId: transaction.id, creditedAtMs: timeMs };
    this.waiting.delete(deposit.id);
    this.add(credited);
    return credited;
  }

  private add(deposit: Deposit): void {
    madeOnce(this.byUser, deposit.userId, () => new BoundedList<Deposit>(DEPOSITS_RETAINED)).push(deposit);
  }
}

const dueMs = (deposit: Deposit): number =>
  deposit.createdAtMs + deposit.requiredConfirmations * deposit.confirmationEveryMs;

interface DepositAddress {
  readonly address: string;
  readonly tag: string | null;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstuvwxyz';

/** Returns letters that depend only on the input, so that a user's address is the same everywhere. */
function digest(input: string, length: number): string {
  let state = 2_166_136_261;
  let text = '';
  for (let round = 0; text.length < length; round += 1) {
    for (const character of `${input}#${round}`)
      state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    text += ALPHABET[state % ALPHABET.length] ?? '';
  }
  return text;
}

/** Returns a user's invented deposit address on a network; its prefix says that it is simulated. */
function addressOn(network: Network, userId: number): DepositAddress {
  const prefix = `sim${network.name.toLowerCase()}`;
  if (network.tagged)
    return { address: `${prefix}1${digest(network.name, 30)}`, tag: String(10_000_000 + userId) };
  return { address: `${prefix}1${digest(`${network.name}/${userId}`, 30)}`, tag: null };
}

/** Requested addresses, by user and currency: the wallet list shows an address only after a request. */
export class Addresses {
  private made = new Set<string>();

  /**
   * Returns the address on a network of the currency, by default its first, and makes it if needed. Null if
   * there is no such network: coins sent to an address on another one are lost.
   */
  generate(
    userId: number,
    currency: FundingCurrency,
    networkName: string | null = null,
  ): DepositAddress | null {
    const network =
      networkName === null
        ? currency.networks[0]
        : currency.networks.find(({ name }) => name.toLowerCase() === networkName.toLowerCase());
    if (network === undefined) return null;
    this.made.add(`${userId}/${currency.symbol}`);
    return addressOn(network, userId);
  }

  /** Returns the addresses by network, in the currency's order; null where none was requested. */
  of(userId: number, currency: FundingCurrency): readonly (readonly [string, DepositAddress | null])[] {
    const isMade = this.made.has(`${userId}/${currency.symbol}`);
    return currency.networks.map((network) => [network.name, isMade ? addressOn(network, userId) : null]);
  }

  snapshot(): readonly string[] {
    return [...this.made];
  }

  restore(state: readonly string[]): void {
    this.made = new Set(state);
  }
}

/** A blockchain over which a currency is deposited. */
const networkSettings = z.strictObject({
  name: plainText(),
  /** True if deposits carry a tag beside the address. */
  tagged: z.boolean().optional(),
  /** Confirmations on this network, in place of the currency's. */
  requiredConfirmations: z.int().min(0).optional(),
});

export const currencySettings = z.strictObject({
  /** Name in `srcCurrency` and `dstCurrency` of records. */
  displayName: plainText().optional(),
  /** Networks of the currency; the wallet list shows the address of the first. */
  networks: z
    .array(
      z.union([plainText(), networkSettings], {
        error: 'expected the name of a network, or an object with a name',
      }),
    )
    .optional(),
  requiredConfirmations: z.int().min(0).optional(),
  /** Simulated time between two confirmations. */
  confirmationEveryMs: durationMs().optional(),
});

export type CurrencySettings = Readonly<z.output<typeof currencySettings>>;

interface Network {
  readonly name: string;
  readonly tagged: boolean;
  readonly requiredConfirmations: number;
}

export interface FundingCurrency {
  readonly symbol: string;
  readonly displayName: string;
  /** Networks of the currency; empty for rial. */
  readonly networks: readonly Network[];
  readonly confirmationEveryMs: number;
}

const KNOWN: Readonly<Record<string, CurrencySettings>> = {
  rls: { displayName: '﷼', networks: [] },
  usdt: {
    displayName: 'Tether',
    networks: ['TRX', 'ETH', 'BSC'],
    requiredConfirmations: 20,
    confirmationEveryMs: 3_000,
  },
  btc: { displayName: 'Bitcoin', networks: ['BTC'], requiredConfirmations: 2, confirmationEveryMs: 600_000 },
  ltc: { displayName: 'Litecoin', networks: ['LTC'], requiredConfirmations: 6, confirmationEveryMs: 150_000 },
  eth: { displayName: 'Ethereum', networks: ['ETH'], requiredConfirmations: 20, confirmationEveryMs: 12_000 },
  xrp: {
    displayName: 'Ripple',
    networks: [{ name: 'XRP', tagged: true }],
    requiredConfirmations: 1,
    confirmationEveryMs: 4_000,
  },
};

/**
 * Returns the settings of a currency: the configured ones, then those known of it, then defaults: one network
 * with its own name, and 6 confirmations a minute apart.
 */
export function currencyOf(symbol: string, settings: CurrencySettings = {}): FundingCurrency {
  const known = KNOWN[symbol] ?? {};
  const required = settings.requiredConfirmations ?? known.requiredConfirmations ?? 6;
  const networks = settings.networks ?? known.networks ?? [symbol.toUpperCase()];
  return {
    symbol,
    displayName: settings.displayName ?? known.displayName ?? symbol.toUpperCase(),
    networks: networks.map((entry) => {
      const network: z.output<typeof networkSettings> = typeof entry === 'string' ? { name: entry } : entry;
      return {
        name: network.name,
        tagged: network.tagged ?? false,
        requiredConfirmations: network.requiredConfirmations ?? required,
      };
    }),
    confirmationEveryMs: settings.confirmationEveryMs ?? known.confirmationEveryMs ?? 60_000,
  };
}
