import type { Budget } from '../domain/rate-limit.ts';
import { createHash } from 'node:crypto';
import { BudgetLedger } from '../budget/ledger.ts';
import { RequestLimiter } from '../budget/limiter.ts';
import { MemoryLockouts } from '../budget/lockouts.ts';
import { MACHINE_TIMERS, type LaneExecutor, type LaneTimers } from '../budget/lane-executor.ts';
import type { Credentials } from '../exchange/client-options.ts';

/** State for counting the limits of some callers: the requests of this process. */
interface LocalLimits {
  readonly limiter: RequestLimiter;
  readonly lockouts: MemoryLockouts;
  readonly nowMs: () => number;
}

/** The clock that windows are measured with, in whole ms, and its timers. */
export interface LimitsClock {
  readonly nowMs: () => number;
  readonly timers: LaneTimers;
}

export const MACHINE_CLOCK: LimitsClock = {
  nowMs: () => Math.floor(performance.now()),
  timers: MACHINE_TIMERS,
};

/** Requests of one budget on their way at once: as many as the transport has sockets. */
const MOST_CONCURRENT = 8;

/**
 * The transport has a deadline of its own for each request, so nothing more than a turn is waited for here.
 */
const AT_ONCE: LaneExecutor = {
  execute: async (_job, work) => work(),
  close: async () => undefined,
};

/** A limiter whose windows are empty at its start: it knows of no earlier requests. */
function createLocalLimits(budgets: Iterable<Budget>, clock: LimitsClock): LocalLimits {
  // Who decides by hand what to call wants every slot: nothing is kept back for cancels.
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
export class LimitsOfClient {
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
  const [oldest] = known.keys();
  if (known.size >= MOST_CALLERS && oldest !== undefined) known.delete(oldest);
  const created = create();
  known.set(key, created);
  return created;
}
