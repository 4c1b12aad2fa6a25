import { messageOf } from '../../domain/errors.ts';
import type { PromoteCommand } from '../../engine/engine-event.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { SharedAnswers } from '../../venues/shared-answers.ts';
import type { ReplayFile } from '../../venues/replay-file.ts';
import type { VenueAnswer, VenueCall } from '../../venues/port.ts';
import type { Venue } from '../../venues/venue.ts';
import type { BotConfig, ConfiguredShadow, ConfiguredStrategy } from '../create-bot-config.ts';
import { loadInstances } from '../load-instances.ts';
import { otherVenueAges } from '../modes.ts';
import { Promotions, readPromotions } from '../promotions.ts';
import type { RunRecord } from '../run-record.ts';
import type { StrategyThreads } from '../strategy-threads.ts';
import type { CreatedBot } from './create-bot.ts';
import { prepareSetup, reloadStrategy, type ReloadOptions } from './reload-strategy.ts';
import { notify, type Screen } from './screen.ts';
import { Shadow } from './shadow.ts';

interface ShadowsOptions {
  readonly config: BotConfig;
  /** Folders searched for plugins by name, in this order. */
  readonly folders: readonly string[];
  readonly threads: StrategyThreads;
  readonly record: Pick<RunRecord, 'setStart'>;
  /** Path of the bot's mirror. */
  readonly mirrorPath: string;
  readonly venue: Venue;
  readonly screen: Screen;
  readonly replay: ReplayFile | null;
}

/** Command of a person to promote a shadow, or to undo it. */
export type PromotionOrder = Pick<PromoteCommand, 'act' | 'shadow' | 'by'>;

/** Shadows of a bot: loads, begins, promotes and ends them. */
export class Shadows {
  /** Strategies of the bot as promotions have left them. */
  readonly strategies: readonly ConfiguredStrategy[];
  private readonly options: ShadowsOptions;
  private readonly promotions: Promotions;
  private readonly answers: SharedAnswers;
  private readonly loaded: {
    readonly shadow: ConfiguredShadow;
    readonly instance: StrategyInstanceSettings;
  }[] = [];
  private running: readonly Shadow[] = [];
  private bot: CreatedBot | null = null;
  private isPromoting = false;
  private exchanged: Promise<void> = Promise.resolve();

  constructor(options: ShadowsOptions) {
    const { config, mirrorPath, venue, replay } = options;
    this.options = options;
    this.promotions = venue.isNew ? new Promotions([]) : readPromotions(mirrorPath);
    this.strategies = this.promotions.apply(config).strategies.map((one) => inReplay(one, replay));
    this.answers = new SharedAnswers(venue.time, venue.profile.barAnchors);
  }

  /** Loads the plugin of each shadow. One that cannot run is reported, and the bot runs without it. */
  async load(): Promise<void> {
    const { config, folders, threads, venue, replay } = this.options;
    for (const shadow of this.promotions.apply(config).shadows) {
      const strategy = inReplay(shadow.strategy, replay);
      try {
        const { instances } = await loadInstances({
          strategies: [strategy],
          folders,
          knownMarkets: new Set(venue.markets.map(({ symbol }) => symbol)),
          venues: otherVenueAges(config),
          threads,
        });
        this.loaded.push(...instances.map((instance) => ({ shadow: { ...shadow, strategy }, instance })));
      } catch (error) {
        this.report(shadow, error);
      }
    }
  }

  /** Gives an answer that the bot gets at this moment to its shadows. An error ends them, not the bot. */
  apply(call: VenueCall, answer: VenueAnswer, askedAtMs: number): void {
    if (this.loaded.length === 0) return;
    try {
      this.answers.apply(call, answer, { askedAtMs });
    } catch (error) {
      for (const shadow of this.running) shadow.fail(error);
    }
  }

  /** Begins the shadows of a bot that has started. */
  begin(live: CreatedBot): void {
    const { answers } = this;
    this.bot = live;
    for (const command of this.promotions.outdated(this.options.config)) {
      live.shell.control(command);
      this.promotions.note(command);
    }
    this.running = this.loaded.map((loaded) => new Shadow({ ...this.options, ...loaded, live, answers }));
    for (const shadow of this.running) shadow.begin();
  }

  /** Runs a step of each, as after the end of a thread. */
  poll(): void {
    for (const shadow of this.running) shadow.poll();
  }

  /** Loads a strategy or a shadow anew; returns and throws as `reloadStrategy`. */
  async reload(
    name: string,
    { configured, readAgain }: Pick<ReloadOptions, 'configured' | 'readAgain'>,
  ): Promise<() => void> {
    const ofShadows = this.loaded.map(({ shadow: { strategy } }) => [strategy.name, strategy] as const);
    const shadow = this.running.find((one) => one.name === name);
    const put = await reloadStrategy(name, {
      ...this.options,
      ...(shadow === undefined ? {} : { record: shadow }),
      mirror: this.options.mirrorPath,
      configured: new Map([...configured, ...ofShadows]),
      readAgain: readAgain && (() => this.promotions.apply(readAgain())),
    });
    return () => {
      put();
      shadow?.restart();
    };
  }

  /**
   * Prepares the exchange of code and params between a shadow and its strategy. Returns the function that
   * makes and stores it. Throws with the reason; then nothing has changed.
   */
  async promote({ act, shadow: name, by }: PromotionOrder): Promise<() => void> {
    const { config, mirrorPath } = this.options;
    if (this.isPromoting) throw new Error('another promotion is being made: see what became of it first');
    const command = this.promotions.commandFor(name, { config, isUndone: act !== 'promote', by });
    const after = new Promotions([]);
    after.note(command);
    const { strategies, shadows } = after.apply(config);
    const strategy = strategies.find((one) => one.name === command.strategy);
    const shadow = shadows.find((one) => one.strategy.name === name);
    const running = this.running.find((one) => one.name === name);
    if (strategy === undefined || shadow === undefined || running === undefined)
      throw new Error(`expected ${name} and the strategy that it is compared with to run`);
    this.isPromoting = true;
    try {
      const put = await prepareSetup(strategy.name, strategy, { ...this.options, mirror: mirrorPath });
      return () => {
        put();
        // The step stores it durably. A bot that is killed before it goes on as before.
        this.bot?.shell.control(command);
        this.promotions.note(command);
        this.exchanged = this.exchange(running, shadow.strategy);
      };
    } finally {
      this.isPromoting = false;
    }
  }

  /** Gives a shadow what its strategy had. If that fails, it goes on with what was promoted. */
  private async exchange(shadow: Shadow, strategy: ConfiguredStrategy): Promise<void> {
    const { mirrorPath: mirror, screen } = this.options;
    try {
      (await prepareSetup(shadow.name, strategy, { ...this.options, mirror, record: shadow }))();
      shadow.restart();
      shadow.note();
    } catch (error) {
      const reason = messageOf(error);
      notify(screen, {
        level: 'warning',
        message: `the shadow ${shadow.name} goes on with the code that was promoted: ${reason}`,
        atMs: this.options.venue.time.now(),
      });
    }
  }

  async end(): Promise<void> {
    await this.exchanged;
    await Promise.all(this.running.map(async (shadow) => shadow.end()));
  }

  private report({ strategy: { name } }: ConfiguredShadow, error: unknown): void {
    const { screen, venue } = this.options;
    const message = `the shadow ${name} does not run, the bot goes on without it: ${messageOf(error)}`;
    notify(screen, { level: 'error', message, atMs: venue.time.now() });
  }
}

/** Returns a strategy for a replay: with the recording's market and timeframe, or 1m if it has trades. */
function inReplay(strategy: ConfiguredStrategy, replay: ReplayFile | null): ConfiguredStrategy {
  if (replay === null) return strategy;
  const { timeframe } = replay;
  // A universe has the one market of the recording to choose from.
  const place = strategy.market === null ? {} : { market: replay.market.symbol };
  return { ...strategy, ...place, timeframe: timeframe ?? '1m' };
}
