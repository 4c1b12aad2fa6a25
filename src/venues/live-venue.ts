import { addAbortListener } from 'node:events';
import { setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { CommitTimes } from '../budget/commit-times.ts';
import { ledgerPlace, stateFile, stateFolder } from '../budget/ledger-file.ts';
import type { OpenLedger } from '../budget/ledger-report.ts';
import { openLedger } from '../budget/open-ledger.ts';
import { troubleText, RequestLimiter } from '../budget/limiter.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import { beginsText, tradingBegins } from '../budget/trading-begins.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { createMarket, type Market } from '../domain/market.ts';
import type { MarketRule, VenueAnswer, VenueCall } from './port.ts';
import { ExchangeClient } from '../exchange/client.ts';
import { Redactor } from '../exchange/redactor.ts';
import { UndiciTransport } from '../exchange/undici-transport.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import { createAccountReader } from './account-reader.ts';
import {
  type ExchangeAccess,
  knownDevice,
  type KnownDevice,
  knownToken,
  type KnownToken,
  clientCredentials,
  credentialTexts,
  ledgerSubjects,
  type CredentialSettings,
} from './client-credentials.ts';
import { INTERFACE_PROFILE, profileOf, NO_MARGIN_BY_KEY } from './interface-profile.ts';
import type { Venue, WrapTransport } from './venue.ts';
import { MachineTimeline, SleepClock, timelyTransport } from './machine-timeline.ts';
import { createVenueCaller, sendRequest, type VenueCaller } from './venue-caller.ts';
import { lengthText, secondText } from '../domain/time-text.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { english } from '../language/sentence.ts';
import type { ClientOptions, OutgoingRequest } from '../exchange/client-options.ts';

/** Longest wait in ms for the first answer: it may need a whole full window, and the end of a lockout. */
const FIRST_ANSWER_WITHIN_MS = 86_400_000;

const V3_BOOKS =
  'the exchange has /v3/orderbook in place of /v2/orderbook: order books are asked of it from now on (exchange.orderBook: v3 does so from the start)';

/** Parts of a live exchange that real and paper trading share. */
export interface RemoteExchange {
  readonly client: ExchangeClient;
  readonly caller: VenueCaller;
  readonly limiter: RequestLimiter;
  readonly ledger: OpenLedger;
  readonly commits: CommitTimes;
  readonly time: Timeline;
  /** Place of the ledger, as `ledgerPlace` gives it, for messages. */
  readonly ledgerFile: string;
  /** Names of this address and this credential in the ledger. */
  readonly subjects: { readonly ip: string; readonly token: string };
  close(): Promise<void>;
}

/** A real exchange, with real orders. */
export interface LiveVenue extends Venue {
  readonly remote: RemoteExchange;
}

/**
 * Connects to an exchange at an address, with the ledger that all processes of this machine, or all machines
 * of the account, share.
 * @throws SarrafError `DATA_UNUSABLE` for a file that is no valid ledger, or a Redis that cannot store one.
 */
export async function openRemoteExchange(options: {
  readonly config: { readonly exchange: Omit<ExchangeAccess, 'baseUrl' | 'credentials'> };
  readonly baseUrl: string;
  readonly credentials: CredentialSettings | null;
  readonly wrap?: WrapTransport;
  /** Called with problems that do not stop it, such as a file that cannot be written. */
  readonly onProblem?: (message: string) => void;
  readonly onTrouble?: Opening['onTrouble'];
  /** True to use the limits that a bot has set in this ledger, as a command by hand does. */
  readonly isGuest?: boolean;
}): Promise<RemoteExchange> {
  const {
    config,
    baseUrl,
    credentials,
    wrap = (inner) => inner,
    onProblem = () => undefined,
    onTrouble,
  } = options;
  const { name, limits, headroom, ledgerFolder, orderBook } = config.exchange;
  const sleep = new SleepClock((ms) =>
    onProblem(`this machine slept for ${lengthText(ms)}, and the bot with it: it goes on at the time of now`),
  );
  const sleptMs = (): number => sleep.sleptMs();
  const time = new MachineTimeline({ startMs: Date.now(), speed: 1, sleptMs });
  const commits = new CommitTimes(() => performance.now());
  const commitMs = (): number => commits.totalMs;
  const redactor = new Redactor(credentialTexts(credentials), { isForReplies: true });
  const stored =
    credentials?.kind === 'login' ? storedLogIn({ ledgerFolder, baseUrl, credentials, onProblem }) : null;
  // The redactor learns a token of this run from its log-in.
  if (stored?.token !== undefined) redactor.learn(stored.token.key);
  const client = createLimitedClient({
    transport: wrap(
      timelyTransport(new UndiciTransport({ baseUrl, redactor, commitMs }), {
        time,
        wallMs: Date.now,
        log: onProblem,
      }),
      () => time.now(),
    ),
    serviceName: name,
    credentials: clientCredentials(credentials, Date.now, stored ?? {}),
    orderBook,
    onOrderBookV3: () => onProblem(V3_BOOKS),
    limits,
    headroom,
    limiterMs: monotonicMs,
    limiter: () => limiter,
  });
  const budgets = [...client.budgets.values()];
  const place = ledgerPlace(baseUrl, config.exchange);
  const subjects = ledgerSubjects({ credentials, publicAddress: config.exchange.publicAddress });
  const ledger = await openLedger({
    place,
    budgets,
    subjects,
    isGuest: options.isGuest ?? false,
    commits,
    cancelBudgets: [INTERFACE_PROFILE.budgets.cancel, INTERFACE_PROFILE.budgets['cancel-old']],
    timeoutMs: config.exchange.ledgerTimeoutMs,
    log: onProblem,
  });
  const limiter = new RequestLimiter({
    budgets,
    admittance: ledger.admittance,
    nowMs: monotonicMs,
    sleptMs,
    commits,
    onTrouble: (trouble) => onTrouble?.(troubleText(trouble, place)),
  });
  return {
    client,
    caller: createVenueCaller(client),
    limiter,
    ledger,
    commits,
    time,
    ledgerFile: place,
    subjects,
    async close() {
      await limiter.close();
      await client.close();
      await ledger.close();
    },
  };
}

/** Returns data stored by earlier logins of this user at this address, and callbacks that store the next. */
function storedLogIn(of: {
  readonly ledgerFolder: string | null;
  readonly baseUrl: string;
  readonly credentials: { readonly username: string };
  readonly onProblem: (message: string) => void;
}): KnownDevice & KnownToken {
  const { baseUrl, credentials, onProblem } = of;
  const file = { folder: stateFolder(of.ledgerFolder), baseUrl, username: credentials.username };
  return {
    ...knownDevice(stateFile({ ...file, kind: 'device' }), onProblem),
    ...knownToken(stateFile({ ...file, kind: 'token' }), onProblem),
  };
}

/** Abort signal and callback for the wait for the first answers. */
export interface AnswerWait {
  readonly signal: AbortSignal;
  /** Called when the wait is long, and, as a warning, when a lost answer is requested again. */
  readonly onWait: (message: string, level?: 'warning') => void;
}

/** Options for opening a venue: the wait, a wrapper of the transport, the start of an embedded one. */
export interface Opening extends AnswerWait {
  readonly wrap?: WrapTransport;
  readonly startMs?: number;
  /** Called with each lockout, and when the ledger becomes unusable. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

const MOST_TRIES = 5;
const RETRY_AFTER_MS = 3_000;

/** Delay before a wait is reported. */
const QUIET_FOR_MS = 2_000;

/** Reads the markets of an exchange, within its limits. Throws `ABORTED` when it is aborted. */
export async function readMarkets(remote: RemoteExchange, waiting: AnswerWait): Promise<readonly Market[]> {
  const answer = await askFirst(remote, { kind: 'options' }, waiting);
  if (answer.outcome === 'value') return (answer.value as readonly MarketRule[]).flatMap(marketOf);
  const why = answer.outcome === 'unsent' ? answer.reason : `${answer.code}: ${answer.message}`;
  throw new SarrafError(
    'SERVER_ERROR',
    `expected the options of the exchange, which name its markets: ${why}`,
  );
}

/**
 * Asks the exchange a question before the engine runs. A lost answer is requested again, a few times with
 * longer and longer pauses: a bot that starts while the exchange restarts must not need a person.
 */
export async function askFirst(
  remote: RemoteExchange,
  call: VenueCall,
  waiting: AnswerWait,
): Promise<VenueAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await askOnce(remote, call, waiting);
    if (answer.outcome !== 'failed' || tries === MOST_TRIES) return answer;
    const waitMs = RETRY_AFTER_MS * tries;
    const { code, message } = answer;
    const text = `the exchange did not answer, and is asked again in ${waitMs / 1_000} s: ${code}: ${message}`;
    waiting.onWait(text, 'warning');
    await setTimeout(waitMs, null, { signal: waiting.signal }).catch(() => {
      throw ended();
    });
  }
}

async function askOnce(remote: RemoteExchange, call: VenueCall, waiting: AnswerWait): Promise<VenueAnswer> {
  const { signal, onWait } = waiting;
  if (signal.aborted) throw ended();
  using _stop = addAbortListener(signal, () => {
    void remote.limiter.close();
    // Otherwise requests without an answer would be waited for until they time out.
    void remote.client.close();
  });
  using _timer = startTimer(() => onWait(waitText(remote, call)), QUIET_FOR_MS);
  const request = { id: 0, call, requestClass: 'account', dedupe: null } as const;
  const { answer } = await sendRequest(
    { ...request, expiresAtMs: remote.time.now() + FIRST_ANSWER_WITHIN_MS },
    { ...remote, canLogIn: false, engineMs: () => remote.time.now(), limiterMs: monotonicMs },
  );
  if (isAborted(signal)) throw ended();
  return answer;
}

/** Reads the signal anew, since it may have been aborted during a wait. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

function ended(): SarrafError {
  return new SarrafError(
    'ABORTED',
    'the run was ended before the exchange had answered; nothing was traded',
    {
      outcome: 'none',
    },
  );
}

function waitText({ caller, ledger, ledgerFile }: RemoteExchange, call: VenueCall): string {
  const budget = caller.budgetOf(call);
  const row = ledger.rows().find((other) => other.budget === budget);
  const waitMs = Math.max(row?.fullForMs ?? 0, row?.lockedForMs ?? 0, row?.stoppedForMs ?? 0);
  if (waitMs === 0 || (row?.onTheWay ?? 0) > 0) return 'waiting for the exchange to answer';
  const why =
    (row?.lockedForMs ?? 0) > 0
      ? 'the exchange has locked this address out'
      : 'what was sent before is not known, so the limits count as used up';
  return `waiting ${Math.ceil(waitMs / 1_000)} s before the first request: ${why}. Ledger: ${ledgerFile}; see "sarraf budget" and "sarraf ledger --help"`;
}

/** Logs when trading can begin: a new ledger or a lockout delays the first order by minutes or hours. */
function logWhenTradingBegins(
  { ledger, time, subjects }: RemoteExchange,
  log: (message: string) => void,
): void {
  const begins = tradingBegins(ledger.rows(), {
    subjects: new Set(Object.values(subjects)),
    budgetOf: INTERFACE_PROFILE.budgets,
  });
  if (begins.waitMs < QUIET_FOR_MS) return;
  const at = secondText(time.now() + begins.waitMs);
  const when =
    begins.latestMs > begins.waitMs
      ? `Should it answer at once, that is at ${at} UTC`
      : `That is at ${at} UTC`;
  log(`${english(beginsText(begins))}. ${when}; see "sarraf ledger --help"`);
}

/** Creates the venue for real trading. */
export async function createLiveVenue(
  config: { readonly exchange: ExchangeAccess },
  waiting: Opening,
): Promise<LiveVenue> {
  const { baseUrl, credentials } = config.exchange;
  if (baseUrl === null || credentials === null)
    throw invalidOptions('expected exchange.baseUrl and exchange.credentials for the mode live');
  const { wrap, onTrouble, onWait } = waiting;
  const remote = await openRemoteExchange({
    config,
    baseUrl,
    credentials,
    onProblem: (message) => onWait(message, 'warning'),
    onTrouble,
    ...(wrap === undefined ? {} : { wrap }),
  });
  try {
    logWhenTradingBegins(remote, onWait);
    const markets = await readMarkets(remote, waiting);
    return {
      remote,
      profile: {
        ...profileOf(remote.caller),
        ...(credentials.kind === 'key' ? { unserved: NO_MARGIN_BY_KEY } : {}),
      },
      ledgerSubjects: Object.values(remote.subjects),
      time: remote.time,
      caller: remote.caller,
      limiter: remote.limiter,
      limiterMs: monotonicMs,
      commits: remote.commits,
      cancelWait: () => remote.limiter.waitOf('cancel'),
      budgets: remote.client.budgets,
      canLogIn: credentials.kind === 'login',
      accountReader: createAccountReader({ ...remote, limiterMs: monotonicMs, credentials }),
      markets,
      isNew: false,
      pollStretch: 1,
      mostOccupied: () => new Map(),
      namedLimits: () => remote.ledger.admittance.namedLimits(monotonicMs()),
      isOver: () => false,
      ledgerFile: remote.ledgerFile,
      close: async () => remote.close(),
    };
  } catch (error) {
    await remote.close();
    throw error;
  }
}

function marketOf({ symbol, priceStep, amountStep, minOrderValue }: MarketRule): readonly Market[] {
  if (priceStep === null || amountStep === null) return [];
  return [
    createMarket({ market: parseMarket(symbol), priceStep, amountStep, minOrderValue: minOrderValue ?? '0' }),
  ];
}

/** Times in ms after which a log-in is not sent any more, and after which it is given up. */
const LOGIN_EXPIRES_MS = 30_000;
const LOGIN_TIMEOUT_MS = 60_000;

interface BudgetedClientOptions extends ClientOptions {
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  /** Returns the limiter. Called at the first log-in, since the limiter needs the client's budgets first. */
  readonly limiter: () => RequestLimiter;
}

/** Result of a log-in, for its slot: null for a token. */
type LogInEnd = SarrafError | null;

/**
 * Creates a client whose log-ins keep to the limits. The engine's calls pass the limiter before they reach
 * the client; a log-in, which the client makes within a call, takes its own slot here, and holds it until its
 * reply.
 */
export function createLimitedClient(options: BudgetedClientOptions): ExchangeClient {
  const endings = new Map<OutgoingRequest, (end: LogInEnd) => void>();
  return new ExchangeClient({
    ...options,
    async admit(outgoing) {
      if (outgoing.endpoint !== 'login') return;
      await admitted(options, outgoing.budget.name, (end) => endings.set(outgoing, end));
    },
    onSettled(outgoing, { status, backOffMs, error }) {
      endings.get(outgoing)?.(endOf({ status, backOffMs }, error));
      endings.delete(outgoing);
    },
  });
}

/** Returns the result that a status means if there was a reply; the client reads the rest of the body. */
function endOf(
  { status, backOffMs }: { readonly status: number | null; readonly backOffMs: number | null },
  error: SarrafError | null,
): LogInEnd {
  if (error !== null || status === null || status < 400) return error;
  const details = { httpStatus: status, backOffMs };
  if (status === 401)
    return new SarrafError('UNAUTHORIZED', 'login: the credentials were refused', { details });
  if (status === 403 || status === 429)
    return new SarrafError('RATE_LIMITED', 'login: over a limit', { details });
  return new SarrafError('SERVER_ERROR', `login: HTTP ${status}`, { details });
}

/** Waits for a slot, and passes `began` the function to call when the log-in has ended. */
async function admitted(
  options: BudgetedClientOptions,
  budget: string,
  began: (end: (how: LogInEnd) => void) => void,
): Promise<void> {
  return new Promise((go, stay) => {
    const logIn = options.limiter().run<null>({
      budget,
      requestClass: 'account',
      kind: null,
      credential: 'log-in',
      canLogIn: true,
      expiresAtMs: options.limiterMs() + LOGIN_EXPIRES_MS,
      timeoutMs: LOGIN_TIMEOUT_MS,
      isLogIn: () => true,
      send: async () =>
        new Promise((resolve, reject) => {
          began((end) => (end === null ? resolve(null) : reject(end)));
          go();
        }),
    });
    const unsent = (why: string): void =>
      stay(new SarrafError('TOO_MANY_CALLS', `login: it was not sent: ${why}`));
    // The call itself returns its result; only its beginning matters here.
    void logIn.then(
      (reply) => (reply.sent ? undefined : unsent(reply.reason)),
      () => unsent('it took too long'),
    );
  });
}
