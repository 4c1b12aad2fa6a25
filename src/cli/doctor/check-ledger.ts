import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInRedis } from '../../budget/ledger-file.ts';
import { readLedgerIfAny } from '../../budget/ledger-snapshot.ts';
import {
  isOfThisBoot,
  readLedger,
  type BudgetReport,
  loweredBudgets,
  loweredText,
} from '../../budget/ledger-report.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { beginsText, freshTradingBegins, tradingBegins } from '../../budget/trading-begins.ts';
import type { RateLimit } from '../../domain/rate-limit.ts';
import { SarrafError } from '../../domain/errors.ts';
import { lengthText } from '../../domain/time-text.ts';
import { checkWritable, nearestFolder, roomOf, type Room } from './check-machine.ts';
import { ok, problem, warning, type CheckFinding } from './check-finding.ts';
import { english } from '../../language/sentence.ts';

/** Findings about a bot's ledger, and whether it permits any request at all. */
interface LedgerCheck {
  readonly findings: readonly CheckFinding[];
  /** Reason nothing may be sent now; null if allowed. */
  readonly silence: string | null;
}

/** Kinds of network file systems, by their number in `statfs` (Linux, `magic.h`). */
const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
]);
const OVERLAY = 0x794c7630;

interface LedgerOwner {
  /** Names of the bot's address and credential in the ledger. */
  readonly subjects: ReadonlySet<string>;
  /** Budgets by the configuration: those of a new ledger. */
  readonly budgets: Iterable<RateLimit>;
  /** Limits that its first order waits for. */
  readonly needed: ReadonlySet<string>;
  /** True for orders on paper: they stay in the bot, so no limit of the exchange holds them back. */
  readonly isPaper: boolean;
}

/** Checks a ledger without changing it. */
export async function checkLedger(
  path: string,
  owner: LedgerOwner,
  readRoom: (folder: string) => Room = roomOf,
): Promise<LedgerCheck> {
  if (isInRedis(path)) return checkRedisLedger(path, owner);
  const folder = dirname(path);
  const writable = checkWritable('ledger', folder);
  if (writable.verdict === 'problem') return { findings: [writable], silence: writable.text };
  const shared = sharing(folder, readRoom);
  if (!existsSync(path))
    return { findings: [fresh(`there is none yet at ${path}`, owner), ...shared], silence: null };
  let rows: readonly BudgetReport[];
  try {
    // Its times are of another boot's clock: the bot will start all of them anew.
    if (!isOfThisBoot(path)) {
      const text = `${path} is of before the last start of this machine`;
      return { findings: [fresh(text, owner), ...shared], silence: null };
    }
    rows = readLedger(path, monotonicMs());
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    const remedy = 'move it away: a bot then makes a new one, and waits until all its windows are over';
    return { findings: [problem('ledger', error.message, remedy)], silence: 'the ledger can not be used' };
  }
  return findingsOf(rows, { place: path, owner, besides: shared });
}

/** Checks a ledger in Redis, which may or may not be readable and writable from here. */
async function checkRedisLedger(place: string, owner: LedgerOwner): Promise<LedgerCheck> {
  try {
    const { redisLedgerWarnings } = await import('../../budget/open-redis-ledger.ts');
    const lines = await redisLedgerWarnings(place);
    const besides = lines.map((line) =>
      warning('ledger', line, 'see "Several machines, one account" in docs/accounts.md'),
    );
    const rows = await readLedgerIfAny(place);
    if (rows !== null) return findingsOf(rows, { place, owner, besides });
    return { findings: [fresh(`there is none yet at ${place}`, owner), ...besides], silence: null };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    const remedy = 'start Redis, or correct exchange.ledger and SARRAF_REDIS_PASSWORD';
    return { findings: [problem('ledger', error.message, remedy)], silence: 'the ledger can not be used' };
  }
}

function findingsOf(
  rows: readonly BudgetReport[],
  of: {
    readonly place: string;
    readonly owner: LedgerOwner;
    readonly besides: readonly CheckFinding[];
  },
): LedgerCheck {
  const { place, owner, besides } = of;
  const { subjects } = owner;
  const own = rows.filter(({ subject }) => subjects.has(subject));
  const found = [...lockouts(own), ...stops(own), ...lowered(own, subjects), ...waits(own, owner)];
  const locked = own.find(({ lockedForMs }) => (lockedForMs ?? 0) > 0);
  return {
    findings: [
      ...(found.length > 0 ? found : [ok('ledger', `${place}: no lockout, no lowered limit`)]),
      ...besides,
    ],
    silence: locked === undefined ? null : `the exchange has locked ${locked.budget} out`,
  };
}

function lockouts(rows: readonly BudgetReport[]): readonly CheckFinding[] {
  return rows
    .filter(({ lockedForMs }) => (lockedForMs ?? 0) > 0)
    .map(({ budget, lockedForMs }) =>
      problem(
        'lockout',
        `the exchange has locked ${budget} out, for ${lengthText(lockedForMs ?? 0)} more`,
        'wait: every program that asks meanwhile makes it longer; "sarraf budget" shows it, docs/trouble.md has more',
      ),
    );
}

function stops(rows: readonly BudgetReport[]): readonly CheckFinding[] {
  const first = rows.find(({ stoppedForMs }) => (stoppedForMs ?? 0) > 0);
  if (first === undefined) return [];
  return [
    problem(
      'refused credential',
      `the exchange has refused this credential (401); it is tried again in ${lengthText(first.stoppedForMs ?? 0)}`,
      "make a new token or key on the exchange's own page, put it where the configuration reads it, and restart the bot",
    ),
  ];
}

function lowered(rows: readonly BudgetReport[], subjects: ReadonlySet<string>): readonly CheckFinding[] {
  return loweredBudgets(rows, subjects).map((each) =>
    warning(
      'lowered limit',
      loweredText(each),
      `poll less, or, once the exchange is less crowded: sarraf budget raise ${each.budget}`,
    ),
  );
}

function waits(
  rows: readonly BudgetReport[],
  { subjects, needed, isPaper }: LedgerOwner,
): readonly CheckFinding[] {
  if (isPaper) return [];
  const begins = tradingBegins(rows, { subjects, needed });
  if (begins.why !== 'unknown') return [];
  return [warning('ledger', english(beginsText(begins)), LET_IT_WAIT)];
}

const LET_IT_WAIT =
  'let it wait, or, where nothing has sent to the exchange lately: "sarraf ledger new --help"';

/** Returns the finding on a ledger without any requests: when the bot can trade once it begins one. */
function fresh(text: string, { budgets, needed, isPaper }: LedgerOwner): CheckFinding {
  if (isPaper) return ok('ledger', `${text}: the bot begins one`);
  const begins = freshTradingBegins(budgets, needed);
  return warning('ledger', `${text}, so that once the bot runs, ${english(beginsText(begins))}`, LET_IT_WAIT);
}

/** Checks that all bots of an address can share a ledger: a network file system may not keep its locks. */
function sharing(folder: string, readRoom: (folder: string) => Room): readonly CheckFinding[] {
  let type: number;
  try {
    ({ type } = readRoom(nearestFolder(folder)));
  } catch {
    return [];
  }
  const network = NETWORK.get(type);
  if (network !== undefined) {
    const text = `${folder} is on ${network}, and file locks there are only as good as that system keeps them`;
    return [warning('ledger', text, 'set exchange.ledgerFolder to a folder of a disk of this machine')];
  }
  if (type !== OVERLAY || !existsSync('/.dockerenv')) return [];
  const text = `${folder} is inside the container: it ends with it, and other containers do not see it`;
  return [
    warning('ledger', text, 'give all containers of this machine one volume for it, as compose.yaml does'),
  ];
}
