import { credentialAdvice } from '../../daemon/credential-texts.ts';
import { closingAsync } from '../../domain/closing.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { SarrafError, present } from '../../domain/errors.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { OrderBookVersion, EndpointName } from '../../exchange/endpoints.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { AccountHash } from '../../venues/account-reader.ts';
import { CallSender } from '../api/call-sender.ts';
import {
  ExchangeReader,
  type ReadOutcome,
  type ReadSender,
  failureText,
  unread,
  accountFinding,
  bookFinding,
  inventoryFindings,
  marketFindings,
  moneyFinding,
  tradingFinding,
} from './judge-account.ts';
import { problem, type CheckFinding, notChecked, ok, warning } from './check-finding.ts';
import {
  clockAheadMs,
  TOLERATED_CLOCK_MS,
  type HttpResponse,
  type Transport,
} from '../../exchange/transport.ts';
import { lengthText } from '../../domain/time-text.ts';
import type { NamedCredential } from '../../engine/request-watches.ts';
import type { CredentialSettings } from '../../venues/client-credentials.ts';
import { english } from '../../language/sentence.ts';
import type { WrapTransport } from '../../venues/venue.ts';

interface ExchangeCheckOptions {
  readonly config: BotConfig;
  readonly baseUrl: string;
  readonly longestWaitMs: number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Account that the mirror is of; null if it does not know one. */
  readonly stored: AccountHash | null;
  /** Reason nothing may be requested with the credential; null if allowed. */
  readonly privateSilence: string | null;
  /** List that gets the replies. */
  readonly seen: SeenReply[];
  readonly nowMs?: () => number;
}

/** Returns the markets that a configuration names; those of a universe are chosen later. */
function marketsOf({ strategies }: BotConfig): readonly string[] {
  return [
    ...new Set(strategies.flatMap(({ market }) => (market === null || market === undefined ? [] : [market]))),
  ];
}

/** Endpoints for a market's book, by version; with `auto` the third is asked if the second is gone. */
const BOOKS = {
  v2: ['orderBook'],
  v3: ['orderBookV3'],
  auto: ['orderBook', 'orderBookV3'],
} as const satisfies Record<OrderBookVersion, readonly EndpointName[]>;

/** Returns doctor's reads of an exchange, in their order: few, each in a budget of its own. */
export function plannedReads(config: BotConfig): readonly EndpointName[] {
  if (config.mode === 'embedded') return [];
  const open: readonly EndpointName[] =
    marketsOf(config).length === 0
      ? ['options']
      : ['options', 'marketStats', ...BOOKS[config.exchange.orderBook]];
  if (config.exchange.credentials === null || config.mode === 'paper') return open;
  return [...open, 'profile', 'limitations', 'wallets', 'ordersList', 'tradesList'];
}

/** Queries the exchange, under the bot's own ledger and limits, and judges the answers. */
export async function checkExchange(options: ExchangeCheckOptions): Promise<readonly CheckFinding[]> {
  let sender: CallSender;
  try {
    sender = await openSender(options);
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    // For example, the disk became full after the ledger was checked.
    return [problem('ledger', error.message, 'see that it can be written to, and has room')];
  }
  await using _closed = closingAsync(sender);
  return await ask(sender, options);
}

async function openSender({ config, baseUrl, ...of }: ExchangeCheckOptions): Promise<CallSender> {
  const { longestWaitMs, signal, log, seen, nowMs = Date.now } = of;
  const { exchange, execution } = config;
  const credentials = config.mode === 'live' ? exchange.credentials : null;
  return CallSender.open({
    target: { baseUrl, exchange, execution, credentials, isPaper: false, account: 'the credential' },
    longestWaitMs,
    signal,
    log,
    wrap: readOnlyTap(seen, nowMs),
  });
}

async function readBook(
  reader: ExchangeReader,
  symbol: string,
  version: OrderBookVersion,
): Promise<ReadOutcome<OrderBook>> {
  const [first, second = null] = BOOKS[version];
  const book = await reader.read(first, { symbol });
  const isGone = book.kind === 'failed' && book.code === 'NotFound';
  return isGone && second !== null ? reader.read(second, { symbol }) : book;
}

async function ask(sender: ReadSender, of: ExchangeCheckOptions): Promise<readonly CheckFinding[]> {
  const { config, baseUrl, seen } = of;
  const reader = new ExchangeReader(sender, of.privateSilence);
  const reads = new Set(plannedReads(config));
  const markets = marketsOf(config).map((market) => parseMarket(market));
  const given = config.strategies.flatMap(({ inventory }) => Object.keys(inventory));
  const currencies = [...new Set([...markets.flatMap(({ base, quote }) => [base, quote]), ...given])];
  const joined = (of: 'base' | 'quote'): string =>
    [...new Set(markets.map((market) => market[of]))].join(',');

  const options = await reader.read('options', {});
  const stats = reads.has('marketStats')
    ? await reader.read('marketStats', { srcCurrency: joined('base'), dstCurrency: joined('quote') })
    : null;
  const [market] = markets;
  const book = market === undefined ? null : await readBook(reader, market.symbol, config.exchange.orderBook);
  const marketLines = [
    ...marketFindings(markets, options, stats),
    ...(market === undefined || book === null ? [] : [bookFinding(market.symbol, book)]),
  ];
  if (!reads.has('profile'))
    return [addressFinding(baseUrl, options, seen), clockFinding(seen), ...marketLines];

  const credentials = present(config.exchange.credentials, 'credentials');
  const profile = await reader.read('profile', {});
  const limitations = await reader.read('limitations', {});
  const wallets = await reader.read(
    'wallets',
    currencies.length === 0 ? {} : { currencies: currencies.join(',') },
  );
  const orders = await reader.read('ordersList', { pageSize: 1, details: 2 });
  const trades = await reader.read('tradesList', { pageSize: 1 });
  const outcomes = { profile, limitations, wallets, orders, trades };
  return [
    // Judged by all replies, those to private calls too.
    addressFinding(baseUrl, options, seen),
    clockFinding(seen),
    credentialFinding(outcomes, credentialAdvice(credentials, config.credentialPlace)),
    ...permissionFindings(outcomes, credentials.kind),
    accountFinding(of.stored, profile, credentials),
    ...marketLines,
    tradingFinding(markets, limitations),
    moneyFinding(markets, wallets),
    ...inventoryFindings(config, wallets),
  ];
}

/** Time of a slow answer, in ms: a bot that polls every few seconds has little use for it. */
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
function addressFinding(
  baseUrl: string,
  outcome: ReadOutcome<unknown>,
  seen: readonly SeenReply[],
): CheckFinding {
  if (outcome.kind === 'unsent') return unread('address', outcome);
  if (outcome.kind === 'failed')
    return problem('address', failureText(outcome), TODOS.get(outcome.code) ?? UNREACHABLE);
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
function clockFinding(seen: readonly SeenReply[]): CheckFinding {
  const differences = seen
    .map(({ reply, sentMs, receivedMs }) =>
      reply === null ? null : clockAheadMs(reply, { sentMs, receivedMs }),
    )
    .filter((aheadMs) => aheadMs !== null);
  // A delay in between makes a difference larger, never smaller.
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

/** Checks that the exchange accepts the credential: it does if it answered any call with it, even by 403. */
function credentialFinding(outcomes: PrivateOutcomes, { name, advice }: NamedCredential): CheckFinding {
  const all: readonly ReadOutcome<unknown>[] = Object.values(outcomes);
  const refused = all.find((one) => one.kind === 'failed' && one.code === 'UNAUTHORIZED');
  if (refused !== undefined)
    return problem('credential', `the exchange refuses ${english(name)} (401)`, english(advice));
  if (all.some((one) => one.kind === 'value' || (one.kind === 'failed' && one.code === 'FORBIDDEN')))
    return ok('credential', `the exchange takes ${english(name)}`);
  const [first] = all;
  return first === undefined ? notChecked('credential', 'nothing was asked') : unread('credential', first);
}

const MAKE_ANOTHER =
  "make a key with the permissions READ and TRADE on the exchange's own page, and without WITHDRAW";

/**
 * Checks the credential's permissions. Only an order would show the permission to trade, and doctor places
 * none.
 */
function permissionFindings(
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

/** One request and its result, as on the wire; the transport has removed credentials from it. */
export interface SeenReply {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Reply; null if none came. */
  readonly reply: HttpResponse | null;
  /** Code of the error that came in place of a reply; null if a reply came. */
  readonly error: string | null;
}

/**
 * Returns a wrapper that lets only reads pass and refuses everything else that the client does: orders, and
 * log-ins, which may close withdrawals for an hour. Replies are added to `seen`.
 */
export function readOnlyTap(seen: SeenReply[], nowMs: () => number = Date.now): WrapTransport {
  return (inner): Transport => ({
    async send(request) {
      const { method, path } = request;
      const [place = path] = path.split('?', 1);
      if (method !== 'GET')
        throw new SarrafError('INVALID_REQUEST', `expected doctor to read alone, was ${method} ${place}`);
      const sentMs = nowMs();
      try {
        const reply = await inner.send(request);
        seen.push({ method, path, sentMs, receivedMs: nowMs(), reply, error: null });
        return reply;
      } catch (error) {
        const code = error instanceof SarrafError ? error.code : 'unknown';
        seen.push({ method, path, sentMs, receivedMs: nowMs(), reply: null, error: code });
        throw error;
      }
    },
    close: async () => inner.close(),
  });
}
