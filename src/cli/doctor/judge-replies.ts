import { clockAheadMs, TOLERATED_CLOCK_MS } from '../../exchange/clock-difference.ts';
import { lengthText } from '../../domain/time-text.ts';
import type { NamedCredential } from '../../engine/credential-watch.ts';
import type { CredentialSettings } from '../../venues/credentials-settings.ts';
import { failureText, unread, type ReadOutcome } from './ask-exchange.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';
import type { SeenReply } from './read-only-tap.ts';

/** A bot that polls every few seconds has little use for slower answers. */
const SLOW_MS = 2_000;

const UNREACHABLE =
  'see that exchange.baseUrl has the address of the API, and that this machine may connect to it (DNS, firewall, proxy)';

const TODOS: ReadonlyMap<string, string> = new Map([
  ['RATE_LIMITED', 'wait until it is over: "sarraf budget" says how long; asking sooner makes it longer'],
  [
    'HTML_REPLY',
    'see that exchange.baseUrl is the address of the API and not of the web site, and that no proxy or captcha page stands between',
  ],
  ['TIMED_OUT', 'try again; if it stays, see what stands between this machine and the exchange'],
  ['SERVER_ERROR', 'wait: the exchange, or a proxy before it, has a fault'],
]);

/** Checks that the address answers as the exchange does. */
export function addressFinding(
  baseUrl: string,
  outcome: ReadOutcome<unknown>,
  seen: readonly SeenReply[],
): CheckFinding {
  if (outcome.kind === 'unsent') return unread('address', outcome);
  if (outcome.kind === 'failed') {
    return problem('address', failureText(outcome), TODOS.get(outcome.code) ?? UNREACHABLE);
  }
  const slowestMs = Math.max(...seen.map(({ sentMs, receivedMs }) => receivedMs - sentMs), 0);
  const text = `${baseUrl} answers, in ${lengthText(slowestMs)} at most`;
  if (slowestMs <= SLOW_MS) return ok('address', text);
  return warning(
    'address',
    text,
    'run the bot nearer to the exchange, or on a faster line: stops that a bot moves come late',
  );
}

/** Compares this machine's clock with the exchange's, by the replies that contain a time. */
export function clockFinding(seen: readonly SeenReply[]): CheckFinding {
  const differences = seen
    .map(({ reply, sentMs, receivedMs }) =>
      reply === null ? null : clockAheadMs(reply, { sentMs, receivedMs }),
    )
    .filter((aheadMs) => aheadMs !== null);
  // What stands between makes a difference larger, never smaller.
  const [aheadMs] = differences.toSorted((left, right) => Math.abs(left) - Math.abs(right));
  if (aheadMs === undefined) return notChecked('clock', 'no reply of the exchange named its time');
  if (Math.abs(aheadMs) <= TOLERATED_CLOCK_MS) return ok('clock', "it agrees with the exchange's");
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return problem(
    'clock',
    `it is ${lengthText(Math.abs(aheadMs))} ${direction} the exchange's; signed calls are refused from 30 s on`,
    'set the clock, and let the system keep it (timedatectl set-ntp true)',
  );
}

/** Results of the reads that need a credential. */
interface PrivateOutcomes {
  readonly profile: ReadOutcome<unknown>;
  readonly limitations: ReadOutcome<unknown>;
  readonly wallets: ReadOutcome<unknown>;
  readonly orders: ReadOutcome<unknown>;
  readonly trades: ReadOutcome<unknown>;
}

/**
 * Checks that the exchange accepts the credential: it does if it answered any call with it, even with a 403.
 */
export function credentialFinding(
  outcomes: PrivateOutcomes,
  { name, advice }: NamedCredential,
): CheckFinding {
  const all: readonly ReadOutcome<unknown>[] = Object.values(outcomes);
  const refused = all.find((one) => one.kind === 'failed' && one.code === 'UNAUTHORIZED');
  if (refused !== undefined) return problem('credential', `the exchange refuses ${name} (401)`, advice);
  if (all.some((one) => one.kind === 'value' || (one.kind === 'failed' && one.code === 'FORBIDDEN'))) {
    return ok('credential', `the exchange takes ${name}`);
  }
  const [first] = all;
  return first === undefined ? notChecked('credential', 'nothing was asked') : unread('credential', first);
}

const MAKE_ANOTHER =
  "make a key with the permissions READ and TRADE on the exchange's own page, and without WITHDRAW";

/**
 * Checks the credential's permissions. Only an order would show the permission to trade, and doctor places
 * none.
 */
export function permissionFindings(
  outcomes: PrivateOutcomes,
  kind: CredentialSettings['kind'],
): readonly CheckFinding[] {
  const needed = [
    ['wallets', outcomes.wallets],
    ['orders', outcomes.orders],
    ['own trades', outcomes.trades],
  ] as const;
  const forbidden = needed.filter(([, one]) => one.kind === 'failed' && one.code === 'FORBIDDEN');
  const missing = needed.filter(([, one]) => one.kind !== 'value');
  const what = (list: typeof needed | typeof missing): string => list.map(([name]) => name).join(', ');
  const [firstMissing] = missing;
  const read =
    forbidden.length > 0
      ? problem('permission READ', `the exchange does not let it read ${what(forbidden)} (403)`, MAKE_ANOTHER)
      : firstMissing === undefined
        ? ok('permission READ', `it may read ${what(needed)}`)
        : readFailure(what(missing), firstMissing[1]);
  if (kind !== 'key') return [read];
  return [
    read,
    notChecked(
      'permission TRADE',
      'only an order would show it, and doctor places none',
      "look at the key on the exchange's own page: it needs TRADE, and is safer without WITHDRAW",
    ),
  ];
}

function readFailure(what: string, outcome: ReadOutcome<unknown>): CheckFinding {
  if (outcome.kind !== 'failed') return unread('permission READ', outcome);
  const remedy =
    TODOS.get(outcome.code) ??
    'try again; if it stays, ask the exchange with what --record keeps of its replies';
  return problem('permission READ', `${what} can not be read: ${failureText(outcome)}`, remedy);
}
