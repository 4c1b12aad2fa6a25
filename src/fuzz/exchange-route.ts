import type { Budget } from '../domain/rate-limit.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { LedgerStore } from '../budget/store.ts';
import type { Transport, HttpRequest, HttpResponse } from '../exchange/transport.ts';
import { createLimitedClient } from '../venues/service-venue.ts';
import type { VenueConnection } from '../venues/venue-definition.ts';
import { createVenueCaller, type VenueCaller } from '../venues/venue-caller.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import { createVirtualLimiter } from '../virtual/virtual-executor.ts';
import type { BotMachine, SlowProcess } from './slow-machine.ts';
import { WatchedTransport, type WireWitness } from './checkers/exchange-truth.ts';
import type { Dice } from './dice.ts';
import type { ReplyMutator } from './reply-mutator.ts';
import { BOT_NAME, BOT_PASSWORD, BOT_TOKEN, type FuzzWorld } from './world.ts';
import { SarrafError } from '../domain/errors.ts';

/** Longest time from an admission to the send, in ms, which the executor's own timers take. */
const MOST_START_MS = 4;

export interface ExchangeRouteOptions {
  readonly world: FuzzWorld;
  readonly machine: BotMachine;
  /** Process of the route, and its name in the ledger. */
  readonly time: ProcessTime;
  readonly owner: string;
  readonly dice: Dice;
  readonly logsIn: boolean;
  readonly mutator: ReplyMutator | null;
  /** Called with each sent request, and with its reply. */
  readonly witnesses: readonly WireWitness[];
  /** True if limits that a bot wrote to the ledger stay in force. */
  readonly isGuest?: boolean;
  /** Effects of a slow machine on the process; null if the machine is not slow. */
  readonly slow?: SlowProcess | null;
  readonly wrap?: (inner: Transport) => Transport;
}

/** Route of one process to the exchange. */
interface ExchangeRoute {
  readonly caller: VenueCaller;
  readonly limiter: RequestLimiter;
  readonly ledger: LedgerStore;
  readonly budgets: readonly string[];
}

/** Opens a route with the daemon's own client, limiter and ledger, with virtual timers and a link. */
export function openExchangeRoute(options: ExchangeRouteOptions): ExchangeRoute {
  const {
    world,
    machine,
    time,
    dice,
    logsIn,
    mutator,
    witnesses,
    slow = null,
    wrap = (inner) => inner,
  } = options;
  const { tested } = world;
  const nowMs = (): number => world.time.now() + machine.wallOffsetMs;
  const limiting = { limiterMs: () => time.now(), limiter: () => limiter };
  const transport = wrap(
    new WatchedTransport({
      transport: new Link({ world, process: time, dice, mutator }),
      witnesses,
      nowMs: () => time.now(),
    }),
  );
  const { caller, budgets } =
    tested === null
      ? ownConnection(transport, { logsIn, nowMs, ...limiting })
      : tested.connect({ transport, token: BOT_TOKEN, nowMs, ...limiting });
  const ledger = openLedger(options, budgets.values());
  const limiter = createVirtualLimiter({
    time,
    budgets: budgets.values(),
    ledger,
    lockouts: ledger,
    startMs: () => dice.integer(0, MOST_START_MS),
    ...(slow === null ? {} : { ...slow, nowMs: () => time.clockMs(), areAtOnce: false }),
  });
  return { caller, limiter, ledger, budgets: [...budgets.keys()] };
}

/** Connects to the built-in exchange with its own client. */
function ownConnection(
  transport: Transport,
  {
    logsIn,
    ...clocks
  }: { readonly logsIn: boolean } & Pick<
    Parameters<typeof createLimitedClient>[0],
    'limiterMs' | 'limiter'
  > & { readonly nowMs: () => number },
): Pick<VenueConnection, 'caller' | 'budgets'> {
  const client = createLimitedClient({
    transport,
    credentials: logsIn
      ? { kind: 'login', login: { username: BOT_NAME, password: BOT_PASSWORD } }
      : { kind: 'token', token: BOT_TOKEN },
    ...clocks,
  });
  return { caller: createVenueCaller(client), budgets: client.budgets };
}

function openLedger(
  { world, machine, owner, isGuest = false, slow = null }: ExchangeRouteOptions,
  budgets: Iterable<Budget>,
): LedgerStore {
  return new LedgerStore({
    path: machine.ledgerPath,
    budgets,
    subjects: { ip: 'here', token: 'bot' },
    whenMissing: 'empty',
    isGuest,
    commits: slow?.commits,
    machine: {
      bootId: 'boot',
      owner,
      lifeSignOf: (other) => (machine.deadOwners.has(other) ? 'dead' : 'alive'),
      monotonicMs: () => world.time.now(),
      wallMs: () => world.time.now() + machine.wallOffsetMs,
    },
  });
}

/** Range of the transit time of a request or a reply, in ms. */
const LEAST_TRIP_MS = 1;
const MOST_TRIP_MS = 60;

interface LinkOptions {
  readonly world: FuzzWorld;
  /** Process of the link. */
  readonly process: ProcessTime;
  readonly dice: Dice;
  /** Mutator that makes replies wrong; null in a run without one. */
  readonly mutator: ReplyMutator | null;
}

/** The link from one process to the exchange. A sent request arrives or is lost, even if its process dies. */
class Link implements Transport {
  private readonly options: LinkOptions;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { process, dice } = this.options;
    const target = `${request.method} ${request.path.split('?', 1)[0]}`;
    if (request.signal?.aborted === true)
      throw new SarrafError('ABORTED', `${target}: the caller gave up (nothing was sent)`, {
        outcome: 'none',
      });
    const startMs = process.now();
    const winsOverTimer = dice.happens(0.5);
    const reply = await this.unlessAborted(request, target);
    await process.awake();
    // A process that stood still finds the reply and its own time-out waiting, and takes either first.
    if (process.now() - startMs >= request.timeoutMs && !winsOverTimer)
      throw new SarrafError('TIMED_OUT', `${target}: expected a reply within ${request.timeoutMs} ms`);
    if (reply.kind === 'failed') throw reply.error;
    return reply.response;
  }

  async close(): Promise<void> {}

  private async unlessAborted(request: HttpRequest, target: string): Promise<Arrival> {
    const { signal } = request;
    const arrival = this.exchange(request);
    if (signal === undefined) return arrival;
    const given = Promise.withResolvers<Arrival>();
    const giveUp = (): void => {
      given.resolve({ kind: 'failed', error: new SarrafError('ABORTED', `${target}: the caller gave up`) });
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([arrival, given.promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Handles a sent request: the exchange's reply with the faults of the world. */
  private async exchange(request: HttpRequest): Promise<Arrival> {
    const { world, process, dice, mutator } = this.options;
    const { signal: _signal, ...bytes } = request;
    const outMs = Math.round(dice.logUniform(LEAST_TRIP_MS, MOST_TRIP_MS));
    const backMs = Math.round(dice.logUniform(LEAST_TRIP_MS, MOST_TRIP_MS));
    const isLostWithSender = dice.happens(0.5);
    await world.time.sleep(outMs);
    if (process.isDead && isLostWithSender) return new Promise<never>(() => {});
    const timeoutMs = Math.max(1, request.timeoutMs - outMs);
    const refusal = mutator?.refusal(bytes) ?? null;
    if (refusal?.isHandled === false) {
      await world.time.sleep(backMs);
      return { kind: 'reply', response: refusal.response };
    }
    const { stallLeftMs } = world;
    if (stallLeftMs >= timeoutMs) {
      // Its process stops waiting once it is handled.
      world.time.at(
        world.time.now() + stallLeftMs,
        () => void world.venue.send(bytes).catch(() => undefined),
      );
      await world.time.sleep(timeoutMs);
      return {
        kind: 'failed',
        error: new SarrafError('TIMED_OUT', `expected a reply within ${request.timeoutMs} ms`),
      };
    }
    if (stallLeftMs > 0) await world.time.sleep(stallLeftMs);
    try {
      const sent = await world.venue.send({ ...bytes, timeoutMs });
      const response = world.standingBooks.reply(bytes, sent, world.time.now());
      await world.time.sleep(backMs);
      return { kind: 'reply', response: refusal?.response ?? mutator?.reply(bytes, response) ?? response };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}

/** Result that comes back to the process. */
type Arrival =
  | { readonly kind: 'reply'; readonly response: HttpResponse }
  | { readonly kind: 'failed'; readonly error: unknown };
