import type { WorkerSetup } from '../plugins/worker-messages.ts';
import { WorkerRunner, type IsolationLimits } from '../plugins/worker-runner.ts';
import type { StrategyPort } from '../strategy/strategy-port.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';

interface ThreadedStrategy extends Pick<
  WorkerSetup,
  'file' | 'shownFile' | 'market' | 'timeframe' | 'params' | 'venues'
> {
  /** Name of the strategy; null: the one in its own definition. */
  readonly name: string | null;
  /** Universe whose markets it runs in, instead of `market`; null to run in `market`. */
  readonly universe: UniverseWish | null;
  /** Markets of the exchange; null: any market is accepted. */
  readonly knownMarkets: ReadonlySet<string> | null;
  /** True if a thread that ended is to be restarted. */
  readonly restarts: boolean;
}

/** The threads of the strategies of one run. */
export class StrategyThreads {
  /** Called when a strategy's thread ends while no call is running. */
  onEnd: () => void = () => undefined;
  private readonly limits: IsolationLimits;
  private readonly onPrint: (strategy: string, line: string) => void;
  private readonly runners: WorkerRunner[] = [];

  constructor(options: {
    readonly limits: IsolationLimits;
    /** Called with each line that a strategy prints. */
    readonly onPrint: (strategy: string, line: string) => void;
  }) {
    this.limits = options.limits;
    this.onPrint = options.onPrint;
  }

  /**
   * Starts a strategy in a thread. Throws `INVALID_STRATEGY` with the mistake, and its line in `details.line`
   * if known.
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

  /** Returns the runner of a strategy by its name; null if none has its thread here. */
  runnerOf(name: string): WorkerRunner | null {
    return this.runners.find((runner) => runner.name === name) ?? null;
  }

  /** Ends all threads at once. */
  async dispose(): Promise<void> {
    this.onEnd = () => undefined;
    await Promise.all(this.runners.map(async (runner) => runner.dispose()));
  }
}
