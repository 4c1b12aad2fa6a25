import { sentence } from '../language/sentence.ts';
import { CancelWait } from './control/control-inbox.ts';
import type { ControlProgress, ControlResult } from './control-command.ts';
import { createBot } from './run/create-bot.ts';
import { closeVenue } from './modes.ts';
import { openMirror, runUntil } from './run/run-loop.ts';
import { createLiveVenue } from '../venues/live-venue.ts';
import { checkedCaller } from './account-check.ts';
import { acquireProcessLocks } from './process-locks.ts';
import { accountIdentity } from '../venues/client-credentials.ts';
import type { BotConfig } from './create-bot-config.ts';

interface HaltWithoutDaemonOptions {
  /** Configuration of the bot to halt: its exchange, credentials, ledger, instance name and data folder. */
  readonly config: BotConfig;
  readonly reason: string;
  /** True if orders of others on the account are canceled too. */
  readonly wholeAccount: boolean;
  /** Called after each order that has ended. */
  readonly onProgress: (progress: ControlProgress) => void;
  /** Called when the rate limits make it wait before the first request. */
  readonly onWait?: (message: string) => void;
  /** Stops the cancels; orders not canceled by then are named in the result. */
  readonly signal: AbortSignal;
}

/**
 * Cancels the orders of a bot that does not run: acquires the locks of its data folder and account, as a run
 * does, reads its mirror and the open orders, and cancels them within the limits of the same ledger. It runs
 * a bot without strategies that begins halted. The result names the orders that are left. Throws
 * `DATA_UNUSABLE` if a bot uses the folder after all.
 */
export async function haltWithoutDaemon(options: HaltWithoutDaemonOptions): Promise<ControlResult> {
  const { config, reason, wholeAccount, onProgress, signal, onWait = () => {} } = options;
  using locks = acquireProcessLocks(config, accountIdentity(config.exchange.credentials));
  await using opened = new AsyncDisposableStack();
  const venue = opened.adopt(await createLiveVenue(config, { signal, onWait }), closeVenue);
  const mirror = opened.adopt(
    openMirror(config, venue, () => {}),
    (it) => it.close(),
  );
  const silent = { log: () => {}, show: () => {} };
  const caller = await checkedCaller(venue, mirror, { log: onWait, locks });
  const bot = createBot({ config, venue: { ...venue, caller }, instances: [], mirror, screen: silent });
  bot.shell.start();
  bot.shell.control({ kind: 'halt', reason, wholeAccount });
  const wait = new CancelWait(venue, {
    onWait: (waitsFor) => onProgress({ left: reported, closed: most - reported, waitsFor }),
  });
  let most = 0;
  let reported = -1;
  const isOver = (): boolean => {
    const { liveOrders } = bot.engine.status();
    most = Math.max(most, liveOrders);
    wait.update(liveOrders, performance.now());
    if (liveOrders !== reported) onProgress({ left: liveOrders, closed: most - liveOrders });
    reported = liveOrders;
    return bot.engine.isAccountRead() && liveOrders === 0 && bot.shell.requestsInFlight === 0;
  };
  await runUntil(bot, { venue, signal, isOver });
  bot.shell.close();
  const left = bot.engine.liveOrderKeys();
  if (left.length === 0) return { ok: true, message: sentence('control-done', { count: most }), left };
  return { ok: false, message: sentence('control-may-be-open', { count: left.length }), left };
}
