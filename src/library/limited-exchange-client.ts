import { type LimitedReply, RequestLimiter } from '../budget/limiter.ts';
import { type Hold, MemoryLockouts } from '../budget/lockouts.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import type { RequestClass, Budget } from '../domain/rate-limit.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { CallOptions, ClientOptions, Credentials, OutgoingRequest } from '../exchange/client-options.ts';
import type { Access, Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { createHash } from 'node:crypto';
import { BudgetLedger } from '../budget/ledger.ts';
import { MACHINE_TIMERS, type QueueExecutor, type QueueTimers } from '../budget/waiting-queue.ts';

/** The client's options, with limits that it keeps by itself. */
export interface LimitedClientOptions extends Omit<ClientOptions, 'limits'> {
  /**
   * The rate limits that the client keeps to: those of the interface (`'default'`), the same with some that
   * differ, by budget name, or none (`'none'`). `'default'` unless `admit` is given, which is a limiter of
   * your own.
   */
  readonly limits?: 'default' | 'none' | ClientOptions['limits'];
  /** Maximum time a call waits for its turn, in ms (2 minutes). One that would wait longer fails at once. */
  readonly maxWaitMs?: number;
}

const MAX_WAIT_MS = 120_000;
const LONGEST_WAIT_MS = 86_400_000;

const CLASSES: Readonly<Partial<Record<EndpointName, RequestClass>>> = {
  updateOrderStatus: 'cancel',
  cancelOldOrders: 'cancel',
  orderStatus: 'resolve',
  addOrder: 'place',
};

/**
 * The client as a library gives it: it keeps to the exchange's limits, since going over one locks its user
 * out for hours. A call waits for its turn, at most `maxWaitMs` and at most 256 of them a limit; its `signal`
 * ends the wait. A call that can not have its turn in time throws `RATE_LIMITED` with `details.sent: false`,
 * and nothing was sent.
 *
 * The limits count what this process sends to the exchange, from its start on: other processes and earlier
 * runs are not known. For bots that share an address use `sarraf run`, whose ledger is on the disk.
 */
export class LimitedExchangeClient extends ExchangeClient {
  private readonly limits: LimitsOfClient | null;
  private readonly maxWaitMs: number;
  /** One for each call that waits or is under way. */
  private readonly calls = new Set<AbortController>();
  private isClosed = false;
  private readonly credentialKind: Credentials['kind'];

  /** @throws SarrafError `INVALID_OPTIONS` as the options say. `clock` is for tests. */
  constructor(options: LimitedClientOptions, clock: LimitsClock = MACHINE_CLOCK) {
    const {
      limits = options.admit === undefined ? 'default' : 'none',
      maxWaitMs = MAX_WAIT_MS,
      ...rest
    } = options;
    if (typeof limits === 'string' && limits !== 'default' && limits !== 'none')
      throw invalidOptions(`expected default, none or limits by name for limits, was "${String(limits)}"`);
    if (!(maxWaitMs >= 0 && maxWaitMs <= LONGEST_WAIT_MS))
      throw invalidOptions(`expected 0 to ${LONGEST_WAIT_MS} ms for maxWaitMs, was ${maxWaitMs}`);
    super(typeof limits === 'string' ? rest : { ...rest, limits });
    const { baseUrl = null, transport, credentials } = options;
    this.maxWaitMs = maxWaitMs;
    this.credentialKind = credentials?.kind ?? 'none';
    this.limits =
      limits === 'none'
        ? null
        : new LimitsOfClient({
            budgets: this.budgets,
            baseUrl: transport === undefined ? baseUrl : null,
            credentials,
            clock,
          });
  }

  /** Ends all sockets and the wait of every call. */
  override async close(): Promise<void> {
    this.isClosed = true;
    for (const giveUp of this.calls) giveUp.abort();
    await super.close();
  }

  protected override get isLimited(): boolean {
    return super.isLimited || this.limits !== null;
  }

  protected override async admitted<Value>(
    outgoing: OutgoingRequest,
    call: CallOptions,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const { endpoint: name, budget } = outgoing;
    if (this.limits === null || !this.mayAsk(ENDPOINTS[name].access))
      return super.admitted(outgoing, call, work);
    const { limiter, lockouts, nowMs } = this.limits.of(budget);
    const endpoint: Endpoint = ENDPOINTS[name];
    const credential = name === 'login' ? 'log-in' : isAnonymous(endpoint.access) ? 'none' : 'with';
    const ask = { budget: budget.name, credential } as const;
    const hold = lockouts.holdOf(ask, nowMs());
    if (hold !== null && hold.untilMs - nowMs() > this.maxWaitMs)
      throw notSent(outgoing, hold.by, hold.untilMs - nowMs());
    const giveUp = new AbortController();
    const onAbort = (): void => giveUp.abort();
    call.signal?.addEventListener('abort', onAbort, { once: true });
    if (call.signal?.aborted === true) onAbort();
    this.calls.add(giveUp);
    const reply: LimitedReply<Value> = await limiter
      .run({
        budget: budget.name,
        requestClass: CLASSES[name] ?? (endpoint.access === 'none' ? 'market' : 'account'),
        kind: null,
        credential,
        canLogIn: this.credentialKind === 'login',
        // One ms more, so that a client which never waits still sends what may go now.
        expiresAtMs: nowMs() + this.maxWaitMs + 1,
        // The transport's own deadline ends the request.
        timeoutMs: LONGEST_WAIT_MS,
        isLogIn: () => name === 'login',
        send: () => super.admitted(outgoing, call, work),
        signal: giveUp.signal,
      })
      .finally(() => {
        this.calls.delete(giveUp);
        call.signal?.removeEventListener('abort', onAbort);
      });
    if (reply.sent) return reply.value;
    if (this.isClosed)
      throw new SarrafError('CLOSED', `${name}: the client was closed before the call had its turn`);
    if (reply.reason === 'aborted')
      throw new SarrafError('ABORTED', `${name}: the caller gave up (nothing was sent)`, { outcome: 'none' });
    if (reply.reason === 'queue full')
      throw new SarrafError(
        'TOO_MANY_CALLS',
        `${name}: expected fewer calls that wait for the limit ${budget.name}`,
      );
    if (lockouts.holdOf(ask, nowMs())?.by === 'credential')
      throw notSent(outgoing, 'credential', reply.retryInMs);
    throw notSent(outgoing, `no turn came within ${this.maxWaitMs} ms`, reply.retryInMs);
  }

  /** True if the credentials can make a call. One that they can not make throws before it is sent. */
  private mayAsk(access: Access): boolean {
    if (isAnonymous(access) || access === 'optional-token') return true;
    return this.credentialKind === 'key' ? access !== 'token' : this.credentialKind !== 'none';
  }
}

/** The error for a call that did not leave: for a hold, or for other reasons in words. */
function notSent(
  { endpoint, budget }: OutgoingRequest,
  why: Hold['by'] | `no turn ${string}`,
  retryInMs: number | null,
): SarrafError {
  if (why === 'credential')
    return new SarrafError(
      'UNAUTHORIZED',
      `${endpoint}: the exchange refused these credentials with 401, and more tries could lock out this address: ` +
        `expected other credentials${retryInMs === null ? '' : `; these may be tried again in ${Math.ceil(retryInMs)} ms`}. Nothing was sent`,
      { details: { endpoint, backOffMs: retryInMs, sent: false }, outcome: 'none' },
    );
  const limit = `${budget.limit} in ${budget.windowMs / 1000} s`;
  const next = retryInMs === null ? '' : `; the next may go in ${Math.ceil(retryInMs)} ms`;
  const reason = why === 'limit' ? 'the exchange asked to stay away' : why;
  return new SarrafError(
    'RATE_LIMITED',
    `${endpoint}: ${reason} (limit ${budget.name}, ${limit})${next}. Nothing was sent`,
    { details: { endpoint, budget: budget.name, limit: budget.limit, backOffMs: retryInMs, sent: false } },
  );
}

/** State for counting the limits of some callers: the requests of this process. */
interface LocalLimits {
  readonly limiter: RequestLimiter;
  readonly lockouts: MemoryLockouts;
  readonly nowMs: () => number;
}

/** The clock that windows are measured with, in whole ms, and its timers. */
interface LimitsClock {
  readonly nowMs: () => number;
  readonly timers: QueueTimers;
}

const MACHINE_CLOCK: LimitsClock = {
  nowMs: () => Math.floor(performance.now()),
  timers: MACHINE_TIMERS,
};

/** Requests of one budget on their way at once: as many as the transport has sockets. */
const MOST_CONCURRENT = 8;

/** The transport has a deadline of its own for each request, so only a turn is waited for here. */
const AT_ONCE: QueueExecutor = {
  execute: async (_job, work) => work(),
  close: async () => undefined,
};

/** A limiter whose windows are empty at its start: it knows of no earlier requests. */
function createLocalLimits(budgets: Iterable<Budget>, clock: LimitsClock): LocalLimits {
  // A person who makes calls by hand wants every slot: none is reserved for cancels.
  const whole = [...budgets].map((budget) => ({ ...budget, reserve: 0 }));
  const lockouts = new MemoryLockouts();
  const limiter = new RequestLimiter({
    budgets: whole,
    ledger: new BudgetLedger(whole),
    lockouts,
    nowMs: clock.nowMs,
    mostConcurrent: MOST_CONCURRENT,
    executorFor: () => AT_ONCE,
    timers: clock.timers,
    areAtOnce: true,
  });
  return { limiter, lockouts, nowMs: clock.nowMs };
}

/** Callers remembered; beyond, those that came first are forgotten, and with them what they have used. */
const MOST_CALLERS = 256;

const known = new Map<string, LocalLimits>();

/** Returns the caller as the exchange counts it: its credential, hashed; null for nobody. */
function subjectOf(credentials: Credentials | undefined): string | null {
  if (credentials === undefined || credentials.kind === 'none') return null;
  const { kind } = credentials;
  const text =
    kind === 'token'
      ? credentials.token
      : kind === 'key'
        ? credentials.key.publicKey
        : credentials.login.username;
  return createHash('sha256').update(`${kind}:${text}`).digest('hex');
}

/**
 * The limits of a client: those counted per address and those counted per credential. Clients of one process
 * that call the same exchange share them, however many there are and however short they live, since the
 * exchange tells them apart by nothing else. A client with a transport of its own shares with nobody.
 */
class LimitsOfClient {
  private readonly ofAddress: LocalLimits;
  private readonly ofCredential: LocalLimits;

  constructor(options: {
    readonly budgets: ReadonlyMap<string, Budget>;
    readonly baseUrl: string | null;
    readonly credentials: Credentials | undefined;
    readonly clock: LimitsClock;
  }) {
    const { budgets, baseUrl, credentials, clock } = options;
    const all = [...budgets.values()];
    const open = (per: Budget['per'], subject: string): LocalLimits => {
      const own = all.filter((budget) => budget.per === per);
      if (baseUrl === null) return createLocalLimits(own, clock);
      const limits = own.map(({ name, limit, windowMs }) => [name, limit, windowMs]);
      return shared(JSON.stringify([URL.parse(baseUrl)?.origin ?? baseUrl, per, subject, limits]), () =>
        createLocalLimits(own, clock),
      );
    };
    this.ofAddress = open('ip', '');
    this.ofCredential = open('token', subjectOf(credentials) ?? '');
  }

  /** Returns the limits in which a budget is counted. */
  of(budget: Budget): LocalLimits {
    return budget.per === 'ip' ? this.ofAddress : this.ofCredential;
  }
}

function shared(key: string, create: () => LocalLimits): LocalLimits {
  const found = known.get(key);
  if (found !== undefined) return found;
  retainNewest(known, MOST_CALLERS - 1);
  const created = create();
  known.set(key, created);
  return created;
}
