import type { Budget } from '../domain/rate-limit.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { LedgerStore } from '../budget/store.ts';
import type { Transport } from '../exchange/transport.ts';
import { createLimitedClient } from '../venues/limited-client.ts';
import { createVenueCaller, type VenueCaller } from '../venues/venue-caller.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import { createVirtualLimiter } from '../virtual/virtual-limiter.ts';
import type { BotMachine } from './bot-machine.ts';
import { WatchedTransport, type WireWitness } from './checkers/watched-transport.ts';
import type { Dice } from './dice.ts';
import { Link } from './link.ts';
import type { ReplyMutator } from './reply-mutator.ts';
import type { SlowProcess } from './slow-machine.ts';
import { BOT_NAME, BOT_PASSWORD, BOT_TOKEN, type FuzzWorld } from './world.ts';

/** From an admission to the send: what the executor's own timers take. */
const MOST_START_MS = 4;

interface ExchangeWayOptions {
  readonly world: FuzzWorld;
  readonly machine: BotMachine;
  /** The process whose way it is, and its name in the ledger. */
  readonly time: ProcessTime;
  readonly owner: string;
  readonly dice: Dice;
  readonly logsIn: boolean;
  readonly mutator: ReplyMutator | null;
  /** Called with what leaves for the exchange, and with its replies. */
  readonly witnesses: readonly WireWitness[];
  /** True if the limits that a bot wrote to the ledger stay in force. */
  readonly isGuest?: boolean;
  /** Effects of a slow machine on the process; null on one that is not slow. */
  readonly slow?: SlowProcess | null;
  readonly wrap?: (inner: Transport) => Transport;
}

/** The way of one process to the exchange. */
interface ExchangeWay {
  readonly caller: VenueCaller;
  readonly limiter: RequestLimiter;
  readonly ledger: LedgerStore;
  readonly budgets: readonly string[];
}

/** The daemon's own client, limiter and ledger, with virtual time for timers and a link for sockets. */
export function openExchangeWay(options: ExchangeWayOptions): ExchangeWay {
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
  const client = createLimitedClient({
    transport: wrap(
      new WatchedTransport({
        transport: new Link({ world, process: time, dice, mutator }),
        witnesses,
        nowMs: () => time.now(),
      }),
    ),
    credentials: logsIn
      ? { kind: 'login', login: { username: BOT_NAME, password: BOT_PASSWORD } }
      : { kind: 'token', token: BOT_TOKEN },
    nowMs: () => world.time.now() + machine.wallOffsetMs,
    limiterMs: () => time.now(),
    limiter: () => limiter,
  });
  const ledger = openLedger(options, client.budgets.values());
  const limiter = createVirtualLimiter({
    time,
    budgets: client.budgets.values(),
    ledger,
    lockouts: ledger,
    startMs: () => dice.integer(0, MOST_START_MS),
    ...(slow === null ? {} : { ...slow, nowMs: () => time.clockMs(), areAtOnce: false }),
  });
  return { caller: createVenueCaller(client), limiter, ledger, budgets: [...client.budgets.keys()] };
}

function openLedger(
  { world, machine, owner, isGuest = false, slow = null }: ExchangeWayOptions,
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
