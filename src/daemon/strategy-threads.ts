import type { Timeframe } from '../domain/candle.ts';
import { WorkerRunner, type IsolationLimits } from '../plugins/worker-runner.ts';
import type { StrategyPort } from '../strategy/strategy-port.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';

interface ThreadedStrategy {
  readonly file: string;
  readonly shownFile: string;
  /** Null: its own. */
  readonly name: string | null;
  readonly market: string;
  /** Universe whose markets it runs in, in place of `market`; null to run in `market`. */
  readonly universe: UniverseWish | null;
  readonly timeframe: Timeframe;
  readonly params: Readonly<Record<string, unknown>>;
  /** Null: any market is believed. */
  readonly knownMarkets: ReadonlySet<string> | null;
  /** True if a thread that ended is to be restarted. */
  readonly restarts: boolean;
}

/** The threads of the strategies of one run. */
export class StrategyThreads {
  /** Called with a strategy whose thread ended outside of any call. */
  onEnd: () => void = () => undefined;
  private readonly limits: IsolationLimits;
  private readonly onPrint: (strategy: string, line: string) => void;
  private readonly runners: WorkerRunner[] = [];

  constructor(options: {
    readonly limits: IsolationLimits;
    /** Told what strategies print, line by line. */
    readonly onPrint: (strategy: string, line: string) => void;
  }) {
    this.limits = options.limits;
    this.onPrint = options.onPrint;
  }

  /**
   * Begins one. Throws `INVALID_STRATEGY` with what is wrong with it, and the line in `details.line` where
   * there is one.
   */
  async begin(strategy: ThreadedStrategy): Promise<StrategyPort> {
    const { restarts, knownMarkets, ...setup } = strategy;
    const runner = await WorkerRunner.start({
      setup: {
        ...setup,
        quotes: MARKET_NAMES.quotes,
        knownMarkets: knownMarkets === null ? null : [...knownMarkets],
      },
      limits: this.limits,
      restarts,
      onEnd: () => this.onEnd(),
      onPrint: (line) => this.onPrint(setup.name ?? setup.shownFile, line),
    });
    this.runners.push(runner);
    return runner;
  }

  /** Ends all of them, whatever they are at. */
  async dispose(): Promise<void> {
    this.onEnd = () => undefined;
    await Promise.all(this.runners.map(async (runner) => runner.dispose()));
  }
}
