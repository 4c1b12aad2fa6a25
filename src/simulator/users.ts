import { invariant } from '../domain/invariant.ts';
import type { Result } from './result.ts';
import { User, type BankAccount, type UserState } from './user.ts';
import type { UserSettings } from './user-settings.ts';

export interface UsersState {
  readonly users: readonly UserState[];
  readonly nextBankAccountId: number;
}

const FIRST_USER_ID = 1001;
const FIRST_BANK_ACCOUNT_ID = 5001;

/** All users of the exchange. Their number is the configuration's, plus what the administrator adds. */
export class Users {
  private readonly byNumber = new Map<number, User>();
  private readonly byName = new Map<string, User>();
  private nextUserId = FIRST_USER_ID;
  private nextBankAccountId = FIRST_BANK_ACCOUNT_ID;

  constructor(settings: readonly UserSettings[] = []) {
    for (const one of settings) this.add(one);
  }

  /** Throws `INVARIANT` for a name or id that is taken. */
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

  /** A user that the gate let in. Throws `INVARIANT` when there is none. */
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
   * Takes over what calls changed. Passwords, levels and the like stay as configured now; users that only the
   * state knows come back, and users that it does not know are added after it. Returns these last.
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
