import { DEFAULT_ENGINE_TIMES } from '../engine/engine-settings.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { LedgerStore } from '../budget/store.ts';
import { readPulse } from '../daemon/heartbeat.ts';
import { cancelEntries, type CanceledEntries } from '../daemon/watchdog/cancel-entries.ts';
import { readOwnOrders } from '../daemon/watchdog/own-orders.ts';
import type { WatchRule } from '../daemon/watchdog/pulse-watch.ts';
import { Watchdog, type SilentBot, type WatchdogNews } from '../daemon/watchdog/watchdog.ts';
import { WhileSilent } from '../daemon/watchdog/while-silent.ts';
import { ProcessTime } from '../virtual/process-time.ts';
import { INSTANCE } from './bot-engine.ts';
import type { BotMachine } from './bot-machine.ts';
import type { WireWitness } from './checkers/watched-transport.ts';
import type { Dice } from './dice.ts';
import { openExchangeWay } from './exchange-way.ts';
import type { FuzzWorld } from './world.ts';

export interface WatchdogLifeOptions {
  readonly world: FuzzWorld;
  readonly machine: BotMachine;
  readonly heartbeatFolder: string;
  /** Its name in the ledger. */
  readonly owner: string;
  readonly dice: Dice;
  readonly logsIn: boolean;
  readonly rule: WatchRule;
  readonly witnesses: readonly WireWitness[];
  readonly onNews: (news: WatchdogNews) => void;
  /** It begins to cancel, and it has ended. */
  readonly onTry: { readonly begins: () => void; readonly ends: () => void };
  readonly onMistake: (error: unknown) => void;
}

const LOOK_EVERY_MS = 1_000;

/** One life of a watchdog beside the bot: the daemon's own, with a link and a ledger of its own. */
export class WatchdogLife {
  private readonly options: WatchdogLifeOptions;
  private readonly time: ProcessTime;
  /** While it cancels. */
  private ledger: LedgerStore | null = null;

  constructor(options: WatchdogLifeOptions) {
    this.options = options;
    this.time = new ProcessTime(options.world.time);
    void this.run().catch(options.onMistake);
  }

  /** Stands still. */
  stop(durationMs: number): void {
    this.time.stop(durationMs);
  }

  /** Ends it at once. */
  crash(): void {
    this.time.kill();
    this.options.machine.deadOwners.add(this.options.owner);
    this.ledger?.close();
    this.ledger = null;
  }

  private async run(): Promise<void> {
    const { world, rule, heartbeatFolder, onNews } = this.options;
    const watchdog = new Watchdog({
      rule,
      readPulse: () => readPulse(heartbeatFolder),
      steadyMs: () => world.time.now(),
      cancel: async (bot) => this.cancel(bot),
      onNews,
    });
    for (;;) {
      await this.time.sleep(LOOK_EVERY_MS);
      watchdog.look();
    }
  }

  private async cancel({ forMs, isBack }: SilentBot): Promise<CanceledEntries> {
    const { machine, onTry } = this.options;
    onTry.begins();
    const way = openExchangeWay({
      ...this.options,
      time: this.time,
      mutator: null,
      isGuest: true,
      wrap: (inner) => new WhileSilent(inner, isBack),
    });
    this.ledger = way.ledger;
    try {
      return await cancelEntries({
        ...way,
        nowMs: () => this.time.now(),
        limiterMs: () => this.time.now(),
        instance: INSTANCE,
        lateArrivalMs: DEFAULT_ENGINE_TIMES.lateArrivalMs,
        readOwn: () => readOwnOrders(machine.mirrorPath, MARKET_NAMES),
        forMs,
        isBack,
      });
    } finally {
      await way.limiter.close();
      way.ledger.close();
      this.ledger = null;
      onTry.ends();
    }
  }
}
