import { randomBytes } from 'node:crypto';
import { BudgetLedger } from '../budget/ledger.ts';
import { formatUnits } from '../domain/money.ts';
import { ExchangeClient } from '../exchange/client.ts';
import { Mirror } from '../mirror/mirror.ts';
import { Bot } from './bot.ts';
import { createVirtualClock, createWallClock, type Clock } from './clock.ts';
import { createRunners } from './create-runners.ts';
import { BOT_TOKEN, type EmbeddedExchange } from './embedded-exchange.ts';
import { createReplayExchange, replayStart } from './replay-exchange.ts';
import { createSyntheticExchange } from './synthetic-exchange.ts';
import { RateGate } from './rate-gate.ts';
import { readReplayFile, type ReplayFile } from './replay-file.ts';
import { clock as clockText, createScreen } from './screen.ts';
import { forPeople, summarize, summaryLines, type Summary } from './summary.ts';

export interface RunOptions {
  /** How much faster than the wall time goes; `max`: from event to event without waiting. */
  readonly speed: number | 'max';
  /** How long to run, of the wall's time; null: until it is stopped. */
  readonly forMs: number | null;
  readonly replay: string | null;
  readonly market: string;
  readonly dataFolder: string;
  readonly strategies: string;
  readonly seed: number;
  readonly json: boolean;
  readonly write: (line: string) => void;
  /** Asks for the end: orders are canceled and the summary is printed. */
  readonly signal: AbortSignal;
}

/** How often a status line is printed, of the wall's time. */
const STATUS_EVERY_MS = 5_000;

/** Candles of this length or shorter are worth the fastest polls; longer ones in proportion less. */
const BAR_FOR_FASTEST_POLLS_MS = 900_000;

/** Writes gathered into one transaction where time runs faster than the wall's. */
const WRITES_AT_ONCE_FAST = 2_000;

/**
 * Runs the bot on the embedded exchange until its time is over, its replay has ended or it is told to stop; then cancels its orders and sums up.
 * Throws where it can not begin: a bad file, a folder that can not be written to, no strategy at all.
 */
export async function runBot(options: RunOptions): Promise<Summary> {
  const file = options.replay === null ? null : await readReplayFile(options.replay);
  const clock = createClock(options, file);
  const embedded = createExchange(options, { file, clock });
  const { market, span, simulation, venue } = embedded;
  const markets = new Map([[market.symbol as string, market]]);
  const screen = createScreen({ markets, json: options.json, write: options.write, wallMs: () => performance.now() });
  const { runners, problems } = await createRunners(options.strategies, { market: market.symbol, span });
  const mirror = Mirror.replace(options.dataFolder, 'embedded.sqlite', {
    writesAtOnce: options.speed === 1 ? 1 : WRITES_AT_ONCE_FAST,
  });
  const client = new ExchangeClient({
    transport: venue,
    credentials: { kind: 'token', token: BOT_TOKEN },
    nowMs: () => clock.now(),
  });
  const gate = new RateGate({ ledger: new BudgetLedger(client.budgets.values()), clock, budgets: client.budgets });
  const pollStretch = (file?.lengthMs ?? 0) / BAR_FOR_FASTEST_POLLS_MS;
  const bot = new Bot({
    pollStretch,
    client,
    clock,
    gate,
    mirror,
    listener: screen,
    markets,
    runners,
    run: randomBytes(3).toString('hex'),
  });
  for (const problem of problems) screen.say('notice', problem);
  const names = runners.map(({ name }) => name).join(' and ');
  const source = file === null ? 'synthetic traders' : `${file.rows.length} recorded ${file.kind} of ${file.path}`;
  screen.say(
    'begin',
    `${clockText(clock.now())} ${names} on the embedded exchange, ${market.symbol}, ${source}. Ctrl-C ends it.`,
    {
      market: market.symbol,
      strategies: runners.map(({ name }) => name),
      mirror: mirror.path,
    },
  );
  try {
    await bot.start();
    try {
      await loop(bot, {
        options,
        embedded,
        clock,
        status: () => screen.say('status', statusLine(bot, { clock, embedded, requests: simulation.door.log.count })),
      });
    } finally {
      // Whatever ended the loop, no order of ours is left behind.
      await bot.stop();
    }
    const summary = summarize(bot, gate);
    if (options.json) screen.say('summary', 'end', { ...summary });
    else summaryLines(summary).forEach(options.write);
    return summary;
  } finally {
    mirror.close();
    await client.close();
  }
}

async function loop(
  bot: Bot,
  of: {
    readonly options: RunOptions;
    readonly embedded: EmbeddedExchange;
    readonly clock: Clock;
    readonly status: () => void;
  },
): Promise<void> {
  const { options, embedded, status } = of;
  const { forMs } = options;
  const begunMs = performance.now();
  const deadline = new AbortController();
  const signal = AbortSignal.any([options.signal, deadline.signal]);
  // Where time is virtual the loop looks at the wall itself: no timer would have its turn.
  const timer = forMs === null ? undefined : setTimeout(() => deadline.abort(), forMs);
  let statusMs = begunMs;
  try {
    while (!signal.aborted && !embedded.isOver()) {
      await bot.step(signal);
      const nowMs = performance.now();
      if (forMs !== null && nowMs - begunMs >= forMs) return;
      if (nowMs - statusMs < STATUS_EVERY_MS) continue;
      statusMs = nowMs;
      status();
    }
  } finally {
    clearTimeout(timer);
  }
}

function statusLine(
  bot: Bot,
  of: { readonly clock: Clock; readonly embedded: EmbeddedExchange; readonly requests: number },
): string {
  const { symbol } = of.embedded.market;
  const middle = bot.middleOf(symbol);
  const made = bot.seats.map(({ runner, account }) => {
    const profit = middle === null ? '-' : forPeople(formatUnits(account.profitAt(middle)), of.embedded.market.dst);
    return `${runner.name} ${account.fills} fills, profit ${profit}`;
  });
  const price = middle === null ? '-' : formatUnits(middle);
  return `${clockText(of.clock.now())} -- ${symbol} ${price}, ${bot.orders.unfinished().length} open, ${of.requests} requests; ${made.join('; ')}`;
}

function createClock({ speed }: RunOptions, file: ReplayFile | null): Clock {
  const startMs = file === null ? Date.now() : replayStart(file).startMs;
  return speed === 'max' ? createVirtualClock(startMs) : createWallClock({ startMs, speed });
}

function createExchange(
  { seed, market }: RunOptions,
  { file, clock }: { readonly file: ReplayFile | null; readonly clock: Clock },
): EmbeddedExchange {
  if (file === null) return createSyntheticExchange({ clock, seed, market });
  return createReplayExchange({ clock, seed, file });
}
