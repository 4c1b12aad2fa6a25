import { addAbortListener } from 'node:events';
import { setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { CommitTimes } from '../budget/commit-times.ts';
import { ledgerPlace } from '../budget/ledger-file.ts';
import type { OpenLedger } from '../budget/ledger-report.ts';
import { openLedger } from '../budget/open-ledger.ts';
import { troubleText, RequestLimiter } from '../budget/limiter.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import { waitSentence, neededBudgets, tradingBegins } from '../budget/trading-begins.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { createMarket, type Market } from '../domain/market.ts';
import type { MarketRule, VenueAnswer, VenueCall, VenueProfile } from './port.ts';
import { Redactor } from '../exchange/redactor.ts';
import { UndiciTransport } from '../exchange/undici-transport.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import {
  type ExchangeAccess,
  credentialFields,
  credentialTexts,
  ledgerSubjects,
  type CredentialSettings,
} from './client-credentials.ts';
import { loadVenue } from './load-venue.ts';
import type { Venue, WrapTransport } from './venue.ts';
import type { VenueConnection, VenueDefinition } from './venue-definition.ts';
import { MachineTimeline, SleepClock, timelyTransport } from './machine-timeline.ts';
import { sendRequest, type VenueCaller } from './venue-caller.ts';
import { lengthText } from '../domain/time-text.ts';
import { readMarket } from '../exchange/reply-types.ts';
import { english } from '../language/sentence.ts';

/** Longest wait in ms for the first answer: it may need a whole full window, and the end of a lockout. */
const FIRST_ANSWER_WITHIN_MS = 86_400_000;

/** Parts of a live exchange that real and paper trading share. */
export interface RemoteExchange<Connection extends VenueConnection = VenueConnection> {
  readonly connection: Connection;
  readonly profile: VenueProfile;
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

interface RemoteOptions {
  readonly config: { readonly exchange: Omit<ExchangeAccess, 'baseUrl' | 'credentials'> };
  readonly baseUrl: string;
  readonly credentials: CredentialSettings | null;
  readonly wrap?: WrapTransport;
  /** Called with problems that do not stop it, such as a file that cannot be written. */
  readonly onProblem?: (message: string) => void;
  readonly onTrouble?: Opening['onTrouble'];
  /** True to use the limits that a bot has set in this ledger, as a command by hand does. */
  readonly isGuest?: boolean;
}

/** Connects to the exchange of a configuration by its venue. */
export const openRemoteExchange = async (options: RemoteOptions): Promise<RemoteExchange> =>
  connectExchange(await loadVenue(options.config.exchange.venue), options);

/**
 * Connects to an exchange at an address, with the ledger that all processes of this machine, or all machines
 * of the account, share.
 * @throws SarrafError `DATA_UNUSABLE` for a file that is no valid ledger, or a Redis that cannot store one;
 * `INVALID_OPTIONS` for credentials that the venue does not take.
 */
export async function connectExchange<Connection extends VenueConnection>(
  venue: VenueDefinition<Connection>,
  options: RemoteOptions,
): Promise<RemoteExchange<Connection>> {
  const {
    config: { exchange },
    baseUrl,
    credentials,
    wrap = (inner) => inner,
    onProblem = () => undefined,
    onTrouble,
  } = options;
  if (credentials !== null && !venue.credentials.has(credentials.kind))
    throw invalidOptions(
      `exchange.credentials: expected ${[...venue.credentials].map(credentialFields).join(', or ')} for the venue ${venue.name}, was ${credentialFields(credentials.kind)}`,
    );
  const sleep = new SleepClock((ms) =>
    onProblem(`this machine slept for ${lengthText(ms)}, and the bot with it: it goes on at the time of now`),
  );
  const sleptMs = (): number => sleep.sleptMs();
  const time = new MachineTimeline({ startMs: Date.now(), speed: 1, sleptMs });
  const commits = new CommitTimes(() => performance.now());
  const redactor = new Redactor(credentialTexts(credentials), { isForReplies: true });
  const transport = new UndiciTransport({ baseUrl, redactor, commitMs: () => commits.totalMs });
  const connection = venue.connect({
    transport: wrap(timelyTransport(transport, { time, wallMs: Date.now, log: onProblem }), () => time.now()),
    credentials,
    settings: { ...exchange, baseUrl },
    wallMs: Date.now,
    limiterMs: monotonicMs,
    limiter: () => limiter,
    onSecret: (secret) => redactor.learn(secret),
    onProblem,
  });
  const profile = venue.profileFor({ ...exchange, credentials });
  const budgets = [...connection.budgets.values()];
  const place = ledgerPlace(baseUrl, exchange);
  const subjects = ledgerSubjects({ credentials, publicAddress: exchange.publicAddress });
  const ledger = await openLedger({
    place,
    budgets,
    subjects,
    isGuest: options.isGuest ?? false,
    commits,
    cancelBudgets: [profile.budgets.cancel, profile.budgets['cancel-old']],
    timeoutMs: exchange.ledgerTimeoutMs,
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
    connection,
    profile,
    caller: connection.caller,
    limiter,
    ledger,
    commits,
    time,
    ledgerFile: place,
    subjects,
    async close() {
      await limiter.close();
      await connection.close();
      await ledger.close();
    },
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
    void remote.connection.close();
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
  { ledger, time, subjects, profile }: RemoteExchange,
  log: (message: string) => void,
): void {
  const begins = tradingBegins(ledger.rows(), {
    subjects: new Set(Object.values(subjects)),
    needed: neededBudgets(profile),
  });
  if (begins.waitMs < QUIET_FOR_MS) return;
  log(english(waitSentence(begins, time.now())));
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
      profile: remote.profile,
      ledgerSubjects: Object.values(remote.subjects),
      time: remote.time,
      caller: remote.caller,
      limiter: remote.limiter,
      limiterMs: monotonicMs,
      commits: remote.commits,
      cancelWait: () => remote.limiter.waitOf('cancel'),
      budgets: remote.connection.budgets,
      canLogIn: credentials.kind === 'login',
      accountReader: remote.connection.accountReader,
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

/** Returns the market of a rule; none if it lacks a step, or its currency has no name here. */
function marketOf({ symbol, priceStep, amountStep, minOrderValue }: MarketRule): readonly Market[] {
  const market = readMarket(symbol);
  if (market === null || priceStep === null || amountStep === null) return [];
  return [createMarket({ market, priceStep, amountStep, minOrderValue: minOrderValue ?? '0' })];
}
