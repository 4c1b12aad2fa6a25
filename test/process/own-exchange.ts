import { join } from 'node:path';
import { checkAgreement } from '../../src/fuzz/checkers/agreement-checker.ts';
import { readMirrorRows, type Violation } from '../../src/fuzz/checkers/exchange-truth.ts';
import { checkOrders } from '../../src/fuzz/checkers/order-checker.ts';
import type { RunnerTestCase } from 'vitest';
import { BotProcess } from './bot-process.ts';
import {
  createBotHome,
  createEmptyLedger,
  createTestFolder,
  type BotHome,
  type BotHomeOptions,
} from './bot-home.ts';
import { ServedExchange, type ExchangeOptions } from './served-exchange.ts';

/** Options that differ between the bots of a test. */
type OwnHome = Pick<BotHomeOptions, 'instance' | 'seed'> & Partial<BotHomeOptions>;

/** An exchange with an empty ledger, and all processes that were started; none of them outlives its test. */
export class OwnExchange {
  readonly exchange: ServedExchange;
  readonly folder: string;
  readonly ledgerFolder: string;
  private readonly remove: () => void;
  private readonly bots: BotProcess[] = [];

  private constructor(exchange: ServedExchange, files: ReturnType<typeof createTestFolder>) {
    this.exchange = exchange;
    this.folder = files.folder;
    this.ledgerFolder = join(files.folder, 'ledgers');
    this.remove = files.remove;
    createEmptyLedger(exchange, this.ledgerFolder);
  }

  static async open(options: ExchangeOptions): Promise<OwnExchange> {
    return new OwnExchange(await ServedExchange.open(options), createTestFolder());
  }

  /** Writes the home of a bot; the given options override those that all bots have. */
  home(options: OwnHome): BotHome {
    const { exchange, folder, ledgerFolder } = this;
    return createBotHome({ exchange, folder, ledgerFolder, ...options });
  }

  start(
    home: BotHome,
    nodeArguments: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): BotProcess {
    const bot = new BotProcess(home, nodeArguments, environment);
    this.bots.push(bot);
    return bot;
  }

  /** Ends every process that still runs, by its id. */
  async endBots(): Promise<void> {
    for (const bot of this.bots) if (bot.isRunning) await bot.kill();
  }

  /** Ends everything that still runs. If the test failed, its files are kept and their place is printed. */
  async close({ task }: { readonly task: Pick<RunnerTestCase, 'name' | 'result'> }): Promise<void> {
    await this.endBots();
    await this.exchange.close();
    if (task.result?.state === 'fail') console.log(`The files of "${task.name}" are in ${this.folder}.`);
    else this.remove();
  }
}

/**
 * Returns broken promises after a bot ended in order: a limit exceeded, an order placed twice, or a mirror
 * that differs from the exchange. The market must stand still by then.
 */
export function brokenPromises(exchange: ServedExchange, home: BotHome): readonly Violation[] {
  const truth = exchange.truth();
  const rows = readMirrorRows(home.mirrorPath);
  return [
    ...exchange.budgetViolations(),
    ...checkOrders(truth, rows, undefined, exchange.tolerances),
    ...checkAgreement(truth, rows, { instance: home.instance }),
    ...truth.orders
      .filter(({ isOpen }) => isOpen)
      .map(({ id }) => ({ check: 'open orders', message: `expected no open order, ${id} is open` })),
  ];
}
