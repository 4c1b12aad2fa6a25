import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { storedProblem } from '../domain/stored-json.ts';
import { DAMAGED_ADVICE, unusable } from '../mirror/unusable.ts';
import type { MirrorStore } from '../mirror/mirror-store.ts';
import type { VenueCaller } from '../venues/venue-caller.ts';
import {
  judgeAccount,
  storedAccount,
  type AccountFields,
  type AccountHash,
  type AccountReader,
  type AccountReading,
} from '../venues/account-reader.ts';
import type { Venue } from '../venues/venue.ts';
import type { ProcessLocks } from './process-locks.ts';

/** Longest wait for a request slot at the start, in ms; after it, the first private call asks again. */
const AT_START_WITHIN_MS = 10_000;

/** Longest wait for a request slot during another call, in ms: shorter than the time-out of any call. */
const AMID_WITHIN_MS = 3_000;

interface AccountCheckOptions {
  readonly reader: AccountReader;
  readonly mirror: Pick<MirrorStore, 'path' | 'account' | 'persistAccount'>;
  readonly log: (message: string) => void;
  /** Called with the account's fields before any of its data is stored. It may throw to end the run. */
  readonly onAccount?: (fields: AccountFields) => void;
}

/**
 * Checks that the account is the one that a mirror was stored for, and ends the run if not: with another
 * user's credential the bot would trade on the first user's positions. It asks at the start; without an
 * answer then, no call with the credential leaves before there is one.
 */
export class AccountCheck {
  private readonly options: AccountCheckOptions;
  private isSettled = false;
  private running: Promise<SarrafError | null> | null = null;

  constructor(options: AccountCheckOptions) {
    this.options = options;
  }

  /** Asks for the account at the start. Throws `INVALID_OPTIONS` if it is another account. */
  async open(): Promise<void> {
    const { reader, log } = this.options;
    const reading = await reader.read({ withinMs: AT_START_WITHIN_MS, isAmid: false });
    this.settle(reading);
    if (reading.kind === 'failed' && reading.error.code !== 'UNAUTHORIZED') {
      log(`the account is not known yet; the bot asks for it before anything else: ${reading.error.message}`);
    }
  }

  /** Returns the caller with this check before each private call; a barred call does not leave. */
  guard(caller: VenueCaller): VenueCaller {
    return {
      ...caller,
      barredBy: async (call) => {
        if (this.isSettled || caller.credentialOf(call) === 'none') return null;
        this.running ??= this.ask().finally(() => {
          this.running = null;
        });
        return this.running;
      },
    };
  }

  private async ask(): Promise<SarrafError | null> {
    const reading = await this.options.reader.read({ withinMs: AMID_WITHIN_MS, isAmid: true });
    this.settle(reading);
    return reading.kind === 'failed' ? reading.error : null;
  }

  private settle(reading: AccountReading): void {
    if (reading.kind === 'failed') return;
    const { mirror, log, onAccount } = this.options;
    const outcome = judgeAccount(readStoredAccount(mirror), reading.fields);
    if (outcome.kind === 'other') throw another(mirror.path);
    onAccount?.(reading.fields);
    if (outcome.kind === 'unknown') {
      const why =
        reading.kind === 'unavailable' ? reading.why : 'the profile and what was kept have nothing in common';
      log(`the account is not checked: ${why}`);
    }
    if (Object.keys(outcome.account.hashes).length > 0)
      mirror.persistAccount(JSON.stringify(outcome.account));
    this.isSettled = true;
  }
}

/** Returns the stored account; null if none was stored. Throws `DATA_UNUSABLE` if its row is damaged. */
export function readStoredAccount(mirror: {
  readonly path: string;
  readonly account: () => string | null;
}): AccountHash | null {
  const text = mirror.account();
  if (text === null) return null;
  const problem = storedProblem(storedAccount, text);
  if (problem === null) return storedAccount.parse(JSON.parse(text));
  throw unusable({
    path: mirror.path,
    found: `a damaged row in the table meta (name "account"): ${problem}`,
    advice: DAMAGED_ADVICE,
  });
}

function another(path: string): SarrafError {
  return invalidOptions(
    `expected the account that ${path} belongs to, found another one: the orders and positions in it are not this account's. Nothing was sent except the request for the profile. ` +
      'Use the credentials of that account, or begin a new data folder for this one (data.folder, or --data)',
    { outcome: 'none', details: { endsRun: true } },
  );
}

/**
 * Returns the caller of an exchange that checks the account: at once, or before its first private call if the
 * exchange did not answer. Throws `INVALID_OPTIONS` if it is not the mirror's account, and `DATA_UNUSABLE` if
 * another run of this instance name uses it with another credential. An exchange in this process needs no
 * check.
 */
export async function checkedCaller(
  venue: Pick<Venue, 'caller' | 'accountReader'>,
  mirror: Pick<MirrorStore, 'path' | 'account' | 'persistAccount'>,
  {
    log,
    locks,
  }: { readonly log: (message: string) => void; readonly locks: Pick<ProcessLocks, 'claimUser'> },
): Promise<VenueCaller> {
  const { caller, accountReader } = venue;
  if (accountReader === null) return caller;
  const check = new AccountCheck({
    reader: accountReader,
    mirror,
    log,
    onAccount({ username }) {
      if (username !== undefined) locks.claimUser(username);
    },
  });
  await check.open();
  return check.guard(caller);
}
