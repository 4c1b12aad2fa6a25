import { countText } from '../../domain/money.ts';
import { Command, InvalidArgumentError } from 'commander';
import { closing } from '../../domain/closing.ts';
import {
  ledgerFolder,
  ledgerPath,
  isInRedis,
  isBusy,
  openLedgerFile,
  openLedgerReadOnly,
} from '../../budget/ledger-file.ts';
import { thisMachine, type Machine } from '../../budget/process-owner.ts';
import { address } from '../../daemon/setting-fields.ts';
import { failed, wrongInput } from '../command-error.ts';
import { confirm } from '../api/command-io.ts';
import { ledgerOfConfig } from '../read-config.ts';
import { lengthText } from '../../domain/time-text.ts';
import { existsSync, renameSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LATE_ARRIVAL_MS } from '../../budget/admission.ts';
import { namedLimitRows } from '../../budget/slot-rows.ts';
import { PROBE_EVERY_MS, storedLockouts } from '../../budget/lockouts.ts';
import { SarrafError } from '../../domain/errors.ts';
import { print } from '../table.ts';

interface Options {
  readonly address?: string;
  readonly ledgerFolder?: string;
  readonly config?: string;
  readonly json?: true;
}

interface NewOptions extends Options {
  readonly yes?: true;
}

const EXAMPLES = `
Examples:
  sarraf ledger path --address https://exchange.example
  sarraf ledger new --config bot.yaml

The ledger counts the requests to an exchange against its limits, in one file for each address.
"sarraf budget" shows its content.`;

const NEW_HELP = `
The old ledger stays beside the new one. Lockouts and stopped credentials still hold, but those of a
damaged ledger are lost.
Exit codes: 0 it is made, 1 the old one is in use, still counts requests, or it can not be written,
2 an option is wrong or you did not agree.

Examples:
  sarraf ledger new --address https://exchange.example
  sarraf ledger new --config bot.yaml --yes`;

const PATH_HELP = `
Examples:
  sarraf ledger path --address https://exchange.example
  sarraf ledger path --config bot.yaml --json`;

const QUESTION = `A new ledger counts no request as sent. Go on only if nothing on this network address has sent to the exchange for as long as its
longest window, a minute mostly: beyond its limits the exchange locks the address out for 1 to 24 hours.
Without a new one a bot waits that long by itself.`;

function readAddress(text: string): string {
  const read = address().safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(
    'expected an address of scheme and host alone, such as https://exchange.example.',
  );
}

function pathOf({ address: baseUrl, ledgerFolder: folder, config }: Options): string {
  if ((baseUrl === undefined) === (config === undefined))
    throw wrongInput('expected the exchange as --address <url> or --config <file>, one of them');
  if (config === undefined) return ledgerPath(baseUrl ?? '', folder ?? ledgerFolder());
  if (folder !== undefined)
    throw wrongInput('expected --ledger-folder with --address: a configuration names its own');
  return ledgerOfConfig(config);
}

function refusalText(path: string, refusal: Exclude<Renewal, { kind: 'made' }>): string {
  if (refusal.kind === 'in use')
    return `expected no process to use ${path}, but one has it open: stop every bot that sends to this exchange first`;
  const { requests, forMs } = refusal;
  const what = countText(requests, 'request that may still count', 'requests that may still count');
  return `expected a ledger of which nothing counts any more, found ${what} for ${lengthText(forMs)} in ${path}: wait that long, or keep it, and the bot waits by itself`;
}

async function makeNew(options: NewOptions): Promise<void> {
  const path = pathOf(options);
  if (options.yes !== true && !(await confirm(`${QUESTION}\nThe ledger: ${path}`, 'new')))
    throw wrongInput('expected "new" to be typed, or --yes; nothing was done');
  const renewal = await renewLedgerAt(path, thisMachine());
  print(options, { ledger: path, ...renewal }, () =>
    renewal.kind !== 'made'
      ? null
      : [
          `made ${path}: it counts no request as sent`,
          ...(renewal.keptAs === null ? [] : [`what was there before is kept as ${renewal.keptAs}`]),
        ],
  );
  if (renewal.kind !== 'made') throw failed(refusalText(path, renewal));
}

function withPlace(command: Command): Command {
  return command
    .option('--address <url>', 'address of the exchange', readAddress)
    .option('--ledger-folder <folder>', 'where the ledgers are (default: that of this user)')
    .option('--config <file>', 'configuration of a bot, which names both')
    .option('--json', 'prints one JSON object');
}

export function ledgerCommand(): Command {
  const path = withPlace(new Command('path').description('Prints where the ledger of an exchange is.'))
    .addHelpText('after', PATH_HELP)
    .action((options: Options) => {
      const path = pathOf(options);
      print(options, { ledger: path }, () => path);
    });
  const renew = withPlace(
    new Command('new').description(
      'Makes a ledger that counts nothing as sent, so that a bot need not wait for its first windows; asks first.',
    ),
  )
    .option('--yes', 'does not ask')
    .addHelpText('after', NEW_HELP)
    .action(makeNew);
  return new Command('ledger')
    .description('Shows where the ledger of requests to an exchange is, and makes a new one.')
    .addHelpText('after', EXAMPLES)
    .addCommand(path.exitOverride())
    .addCommand(renew.exitOverride());
}

/** Result of a ledger's renewal, or why there was none; nothing was changed then. */
type Renewal =
  /** `keptAs`: new place of the previous content; null if there was none. */
  | { readonly kind: 'made'; readonly keptAs: string | null }
  | { readonly kind: 'in use' }
  /** The ledger has requests that may still count at the exchange for `forMs`. */
  | { readonly kind: 'counting'; readonly requests: number; readonly forMs: number };

/** Attempts to open a ledger alone: a reader is done sooner; a process that has it longer uses it. */
const TRIES = 10;
const TRY_EVERY_MS = 100;

/** Time from which an admitted request without a stamp is given up, in ms: no endpoint waits longer. */
const GIVEN_UP_MS = 300_000;

/** Makes an empty ledger, in a file or in Redis. */
export async function renewLedgerAt(place: string, machine: Machine): Promise<Renewal> {
  if (!isInRedis(place)) return renewLedger(place, machine);
  const { renewRedisLedger } = await import('../../budget/redis-by-hand.ts');
  return renewRedisLedger(place);
}

/**
 * Makes an empty ledger in a place, which counts nothing as sent. A usable one is copied aside and emptied in
 * its place, while every other process is locked out: if another file replaced it, a process that is just
 * starting could continue with the old one beside it, and both would use the whole limit. Its lockouts and
 * stopped credentials stay, since they are about the future. An unusable one is moved aside; a process that
 * still has it open sends nothing more, because it sees that its file is gone. Throws `DATA_UNUSABLE` if no
 * file can be written.
 */
async function renewLedger(path: string, machine: Machine): Promise<Renewal> {
  const aside = `${path}.replaced-${new Date(machine.wallMs()).toISOString().replaceAll(':', '-')}`;
  const found = inspect(path);
  if (found === 'busy') return { kind: 'in use' };
  if (found === 'usable') return emptyInPlace(path, { aside, machine });
  if (found === 'damaged') {
    for (const ending of ['', '-wal', '-shm']) {
      if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
    }
  }
  let isOurs = false;
  openLedgerFile(path, (database) => {
    isOurs = true;
    database.prepare('INSERT INTO clock (id, boot_id) VALUES (1, ?)').run(machine.bootId);
  }).close();
  if (!isOurs) return { kind: 'in use' };
  return { kind: 'made', keptAs: found === 'damaged' ? aside : null };
}

/**
 * Returns the state of a ledger's file. A file of zero bytes holds nothing that could be lost. Throws if the
 * state cannot be known, as without the right to read.
 */
function inspect(path: string): 'missing' | 'usable' | 'damaged' | 'busy' {
  if (!existsSync(path) || statSync(path).size === 0) return 'missing';
  try {
    openLedgerReadOnly(path).close();
    return 'usable';
  } catch (error) {
    const cause = error instanceof SarrafError ? error.cause : error;
    if (isBusy(cause)) return 'busy';
    // Without a cause, the file could be read and is no ledger that we know.
    const code = cause instanceof Database.SqliteError ? cause.code : null;
    if (cause === undefined || code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') === true)
      return 'damaged';
    throw error;
  }
}

async function emptyInPlace(
  path: string,
  of: { readonly aside: string; readonly machine: Machine },
): Promise<Renewal> {
  const { aside, machine } = of;
  using database = closing(await openAlone(path));
  if (database === null) return { kind: 'in use' };
  const nowMs = machine.monotonicMs();
  const isOfThisBoot =
    database.prepare<[], string>('SELECT boot_id FROM clock').pluck().get() === machine.bootId;
  const counting = isOfThisBoot ? countingAt(database, nowMs) : null;
  if (counting !== null) return counting;
  database.prepare('VACUUM INTO ?').run(aside);
  database
    .transaction(() => {
      if (!isOfThisBoot) carryOver(database, machine);
      database.exec('DELETE FROM slots; DELETE FROM budgets; DELETE FROM clock');
      database.prepare('INSERT INTO clock (id, boot_id) VALUES (1, ?)').run(machine.bootId);
    })
    .immediate();
  return { kind: 'made', keptAs: aside };
}

/** Opens a ledger alone, and locks all others out until it is closed; null if another process has it. */
async function openAlone(path: string): Promise<Database.Database | null> {
  for (let tries = 1; ; tries += 1) {
    const database = new Database(path, { fileMustExist: true, timeout: 0 });
    try {
      database.pragma('locking_mode = EXCLUSIVE');
      database.pragma('synchronous = FULL');
      // The first lock locks the whole file, and stays.
      database.exec('BEGIN IMMEDIATE; COMMIT');
      return database;
    } catch (error) {
      database.close();
      if (!isBusy(error)) throw error;
      if (tries === TRIES) return null;
    }
    await setTimeout(TRY_EVERY_MS);
  }
}

/** Returns the requests that may still count, of the same boot only: other times mean nothing now. */
function countingAt(database: Database.Database, nowMs: number): Renewal | null {
  // Clocks differ: the exchange's window may be a ten-thousandth longer than ours.
  const found = database
    .prepare<[number, number], { readonly requests: number; readonly untilMs: number | null }>(
      `SELECT count(*) AS requests, max(until_ms) AS untilMs FROM (
         SELECT ifnull(stamped_at_ms, admitted_at_ms + ?) + window_ms + window_ms / 10000 + 2 AS until_ms
         FROM slots JOIN budgets USING (subject, budget)
       ) WHERE until_ms > ?`,
    )
    .get(GIVEN_UP_MS + LATE_ARRIVAL_MS, nowMs);
  const { requests = 0, untilMs = null } = found ?? {};
  return untilMs === null ? null : { kind: 'counting', requests, forMs: untilMs - nowMs };
}

/** Carries over the rest of an earlier boot's lockouts by the system clock; quiet hours start again. */
function carryOver(database: Database.Database, machine: Machine): void {
  const nowMs = machine.monotonicMs();
  const lockouts = storedLockouts(database, {
    subjectOfBudget: () => '',
    credential: '',
    wallMs: () => machine.wallMs(),
  });
  lockouts.carryOver(nowMs, nowMs + PROBE_EVERY_MS);
  // A ledger of an older sarraf lacks the column.
  const hasNamed =
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'named_limits'`).get() !== undefined;
  if (hasNamed) namedLimitRows(database).carryOver(nowMs);
}
