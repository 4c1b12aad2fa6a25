import { INTERFACE_PROFILE } from '../../src/venues/interface-profile.ts';
import { join } from 'node:path';
import { BudgetLedger } from '../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../src/budget/lockouts.ts';
import type { RequestLimiter } from '../../src/budget/limiter.ts';
import { createBot, type CreatedBot } from '../../src/daemon/run/create-bot.ts';
import { createEmbeddedVenue, type EmbeddedVenue } from '../../src/venues/embedded-venue.ts';
import { loadInstances } from '../../src/daemon/load-instances.ts';
import { LedgerWatch } from '../../src/daemon/health-source.ts';
import { Operator } from '../../src/daemon/run/operator.ts';
import { drain } from '../../src/daemon/run/run-loop.ts';
import { createScreen, type Summary } from '../../src/daemon/run/screen.ts';
import type { BotConfig } from '../../src/daemon/create-bot-config.ts';
import { readBotConfig } from '../../src/daemon/read-bot-config.ts';
import type { StrategyThreads } from '../../src/daemon/strategy-threads.ts';
import type { VenueCaller, VenueEnd } from '../../src/venues/venue-caller.ts';
import type { StrategyInstanceSettings } from '../../src/engine/engine-settings.ts';
import { ownStrategies } from '../../src/plugins/own-files.ts';
import { MirrorStore } from '../../src/mirror/mirror-store.ts';
import { createVirtualLimiter } from '../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../src/virtual/virtual-time.ts';

const NOON_MS = Date.UTC(2026, 0, 5, 12);

/** Returns the default configuration of a bot in a folder with some values overridden. */
export function configWith(
  overrides: Readonly<Record<string, unknown>>,
  workingFolder = process.cwd(),
): BotConfig {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder,
    overrides: Object.entries(overrides).map(([path, value]) => [path, JSON.stringify(value)]),
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.config;
}

/** Runs a bot on an embedded exchange for some of its time; returns what a person sees. */
export async function runEmbedded(
  overrides: Readonly<Record<string, unknown>>,
  { startMs = NOON_MS, lengthMs }: { readonly startMs?: number; readonly lengthMs: number },
): Promise<{ readonly lines: readonly string[]; readonly summary: Summary }> {
  // Most tests have no need of it, and it loads all of a bot.
  const { runBot } = await import('../../src/daemon/run-bot.ts');
  const lines: string[] = [];
  const summary = await runBot({
    config: configWith({ 'embedded.speed': 'max', ...overrides }),
    bundledStrategies: ownStrategies(),
    forMs: null,
    json: false,
    write: (line) => lines.push(line),
    signal: new AbortController().signal,
    marketTime: { startMs, lengthMs },
  });
  return { lines, summary };
}

/** Records a run for some of the exchange's time, of the bundled strategies unless others are named. */
export const recordRun = async (folder: string, lengthMs: number, more: object = {}) =>
  runEmbedded(
    {
      'embedded.seed': 11,
      // Books here carry the time of their reading. If they carried that of their last change, the recording
      // would have each book a moment earlier than the session saw it.
      'embedded.exchange': { forms: { lastUpdateOf: 'snapshot' } },
      'data.folder': folder,
      record: { folder: join(folder, 'catalogue') },
      ...more,
    },
    { lengthMs },
  );

/** A simulated exchange in virtual time in this process, on which lives of a bot follow one another. */
export interface EmbeddedWorld {
  readonly config: BotConfig;
  readonly venue: EmbeddedVenue;
  readonly time: VirtualTime;
  /** User id of the bot at the exchange. */
  readonly userId: number;
  /** Ledger of requests: it survives the end of a bot, as its file does. */
  readonly ledger: BudgetLedger;
}

export function createEmbeddedWorld(options: {
  readonly seed: number;
  /** When the market opens; without it noon of a day in 2026. */
  readonly startMs?: number;
  readonly config?: Readonly<Record<string, unknown>>;
}): EmbeddedWorld {
  const config = configWith({ 'embedded.speed': 'max', 'embedded.seed': options.seed, ...options.config });
  const { embedded, strategies, exchange } = config;
  const venue = createEmbeddedVenue({
    config: embedded.exchange,
    balances: embedded.balances,
    seed: embedded.seed,
    speed: 'max',
    replay: null,
    traded: strategies.flatMap(({ market }) => market ?? []),
    limits: exchange.limits,
    headroom: exchange.headroom,
    startMs: options.startMs ?? NOON_MS,
  });
  const { time } = venue;
  if (!(time instanceof VirtualTime)) throw new Error('expected virtual time');
  const userId = venue.simulation.config.users.at(-1)?.id ?? 0;
  return { config, venue, time, userId, ledger: new BudgetLedger(venue.budgets.values()) };
}

/** One life of a bot, begun from the mirror at a path. Nothing happens before its shell is started. */
export class BotLife {
  readonly bot: CreatedBot;
  readonly mirror: MirrorStore;
  readonly lines: readonly string[];
  private readonly world: EmbeddedWorld;
  private readonly limiter: RequestLimiter;
  private areRepliesLost = false;

  private constructor(
    world: EmbeddedWorld,
    of: { readonly path: string; readonly instances: readonly StrategyInstanceSettings[] },
  ) {
    const { config, venue, time, ledger } = world;
    this.world = world;
    const budgets = venue.budgets.values();
    this.limiter = createVirtualLimiter({ time, budgets, ledger, lockouts: new MemoryLockouts() });
    this.mirror = MirrorStore.open({
      path: of.path,
      retention: config.data.retention,
      nowMs: time.now(),
      epoch: () => 'e2e1',
      durability: 'off',
    });
    const lines: string[] = [];
    this.lines = lines;
    this.bot = createBot({
      config,
      venue: { ...venue, limiter: this.limiter, caller: this.forgetful(venue.caller) },
      instances: of.instances,
      mirror: this.mirror,
      screen: createScreen({ json: false, write: (line) => lines.push(line), wallMs: () => time.now() }),
    });
  }

  /** With `threads`, each strategy runs in a thread of its own. */
  static async prepare(world: EmbeddedWorld, path: string, threads?: StrategyThreads): Promise<BotLife> {
    const { instances, problems } = await loadInstances({
      strategies: world.config.strategies,
      folders: ['strategies'],
      knownMarkets: new Set(world.venue.markets.map(({ symbol }) => symbol)),
      ...(threads === undefined ? {} : { threads }),
    });
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return new BotLife(world, { path, instances });
  }

  /** Creates the operator, which carries out the commands that arrive in the bot's folder. */
  createOperator(): Operator {
    return new Operator({
      bot: this.bot,
      config: this.world.config,
      venue: this.world.venue,
      mirror: this.mirror,
      ledger: new LedgerWatch({ ledgerFile: null, ledgerSubjects: [], profile: INTERFACE_PROFILE }),
      reload: async () => Promise.reject(new Error('its strategies have no files')),
      promote: async () => Promise.reject(new Error('its strategies have no files')),
      onError(error) {
        throw error;
      },
    });
  }

  /** Lets time pass, in ms. */
  async run(durationMs: number): Promise<void> {
    const { time } = this.world;
    await time.run(time.now() + durationMs);
    this.bot.shell.throwIfFailed();
  }

  /** From now on the exchange still places and cancels orders, but no reply to those requests arrives. */
  loseReplies(): void {
    this.areRepliesLost = true;
  }

  /** Ends the bot as a kill does: no request leaves, no reply is read, and unwritten data is lost. */
  async drop(): Promise<void> {
    this.mirror.abandon();
    this.bot.shell.close();
    await this.limiter.close();
  }

  /** Ends the bot in order: cancels its orders, and compares its books once more. */
  async drain(): Promise<void> {
    await drain(this.bot, { config: this.world.config, venue: this.world.venue });
    this.bot.shell.close();
    await this.limiter.close();
  }

  private forgetful(caller: VenueCaller): VenueCaller {
    return {
      ...caller,
      send: (call, signal, { onEnd, onError }) => {
        const isChange = call.kind === 'place' || call.kind === 'cancel' || call.kind === 'transfer';
        const heard = (end: VenueEnd): void => {
          if (!this.areRepliesLost || !isChange) onEnd(end);
        };
        caller.send(call, signal, { onEnd: heard, onError });
      },
    };
  }
}
