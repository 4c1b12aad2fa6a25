import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { formatUnits } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import { timedCall } from '../plugins/timed-call.ts';
import { VirtualTime } from '../virtual/virtual-time.ts';
import type { BotVenue } from './bot-venue.ts';
import { createBot, type CreatedBot } from './create-bot.ts';
import { createEmbeddedVenue } from './embedded-venue.ts';
import { openFreshMirror } from './fresh-mirror.ts';
import { loadSeats } from './load-seats.ts';
import { readReplayFile, type ReplayFile } from './replay-file.ts';
import { replaySpan } from './replay-start.ts';
import { clock as clockText, createScreen, type Screen } from './screen.ts';
import type { BotConfig } from './settings/create-bot-config.ts';
import { forPeople, summarize, summaryLines, type Summary } from './summary.ts';

export interface RunOptions {
  readonly config: BotConfig;
  /** Folder of the bundled strategies. */
  readonly bundledStrategies: string;
  /** How long to run, of the wall's time; null: until it is stopped. */
  readonly forMs: number | null;
  readonly json: boolean;
  readonly write: (line: string) => void;
  /** Asks for the end: orders are canceled and the summary is printed. */
  readonly signal: AbortSignal;
}

/** How often a status line is printed, of the wall's time. */
const STATUS_EVERY_MS = 5_000;

/** How far virtual time runs before the wall's time is looked at. */
const VIRTUAL_SLICE_MS = 1_000;

/** How long a handler of a strategy may take, of the wall's time. */
const HANDLER_LIMIT_MS = 1_000;

/** How long the end waits for the last comparison of the books. */
const LAST_COMPARISON_MS = 5_000;

/** Letters and digits of an epoch. */
const EPOCH_DIGITS = 36;

/**
 * Runs the bot until its time is over, its recording has ended or it is told to stop; then cancels its orders and sums up. Throws where it can not begin,
 * and where it can not go on.
 */
export async function runBot(options: RunOptions): Promise<Summary> {
  const { config } = options;
  const screen = createScreen({ json: options.json, write: options.write, wallMs: () => performance.now() });
  const replay = config.embedded.replay === null ? null : await readReplayFile(config.embedded.replay);
  const venue = createVenue(config, replay);
  try {
    return await runAt(venue, { options, screen, replay });
  } finally {
    await venue.limiter.close();
    await venue.close();
  }
}

async function runAt(
  venue: BotVenue,
  of: { readonly options: RunOptions; readonly screen: Screen; readonly replay: ReplayFile | null },
): Promise<Summary> {
  const { options, screen, replay } = of;
  const { config } = options;
  const { seats, problems } = await loadSeats({
    strategies: config.strategies.map((strategy) => inReplay(strategy, replay)),
    folders: [...config.strategiesFolders, options.bundledStrategies],
    knownMarkets: new Set(venue.markets.map(({ symbol }) => symbol)),
    // Where time is virtual no clock runs while a handler does.
    ...(venue.time instanceof VirtualTime ? {} : { call: timedCall(HANDLER_LIMIT_MS) }),
  });
  const mirror = openMirror(config, venue);
  try {
    const bot = createBot({ config, venue, seats, mirror, screen });
    for (const problem of problems) screen.say('notice', problem);
    sayBegin(screen, { venue, replay, bot, path: mirror.path });
    await live(bot, { options, venue, screen });
    const summary = summarize(bot.engine, bot.counts);
    if (options.json) screen.say('summary', 'end', { ...summary });
    else summaryLines(summary).forEach(options.write);
    return summary;
  } finally {
    mirror.close();
  }
}

function createVenue(config: BotConfig, replay: ReplayFile | null): BotVenue {
  const { embedded, strategies, exchange } = config;
  return createEmbeddedVenue({
    config: embedded.exchange,
    balances: embedded.balances,
    seed: embedded.seed,
    speed: embedded.speed,
    replay,
    traded: replay === null ? strategies.map(({ market }) => market) : [replay.market.symbol],
    limits: exchange.limits,
  });
}

/** A recording has one market, and bars of its own length. */
function inReplay(
  strategy: BotConfig['strategies'][number],
  replay: ReplayFile | null,
): BotConfig['strategies'][number] {
  if (replay === null) return strategy;
  return { ...strategy, market: replay.market.symbol as typeof strategy.market, span: replaySpan(replay) };
}

function openMirror(config: BotConfig, venue: BotVenue): MirrorStore {
  const { folder, retention } = config.data;
  const options = {
    path: join(folder, venue.isNew ? 'embedded.sqlite' : 'mirror.sqlite'),
    retention,
    nowMs: venue.time.now(),
    epoch: drawEpoch,
    // At another speed than the wall's, a crash of the machine leaves nothing that would be missed.
    durability: venue.time instanceof VirtualTime ? 'off' : 'full',
  } as const;
  return venue.isNew ? openFreshMirror(options) : MirrorStore.open(options);
}

function drawEpoch(): string {
  return Array.from({ length: 4 }, () => randomInt(EPOCH_DIGITS).toString(EPOCH_DIGITS)).join('');
}

function sayBegin(
  screen: Screen,
  of: { readonly venue: BotVenue; readonly replay: ReplayFile | null; readonly bot: CreatedBot; readonly path: string },
): void {
  const { venue, replay, bot, path } = of;
  const strategies = bot.engine.seats.map(({ name }) => name);
  const markets = [...new Set(bot.engine.seats.map(({ runner }) => runner.market))];
  const source =
    replay === null ? 'synthetic traders' : `${replay.rows.length} recorded ${replay.kind} of ${replay.path}`;
  const text = `${clockText(venue.time.now())} ${strategies.join(' and ')} on the embedded exchange, ${markets.join(' and ')}, ${source}. Ctrl-C ends it.`;
  screen.say('begin', text, { markets, strategies, mirror: path });
}

/** From the first step to the last. Whatever ends the run, no order of ours is left behind if that can be helped. */
async function live(
  bot: CreatedBot,
  of: { readonly options: RunOptions; readonly venue: BotVenue; readonly screen: Screen },
): Promise<void> {
  const { options, venue, screen } = of;
  const { shell } = bot;
  shell.start();
  try {
    await until(bot, {
      venue,
      signal: options.signal,
      forMs: options.forMs,
      isOver: () => venue.isOver(),
      onStatus: () => screen.say('status', statusLine(bot, venue)),
    });
    await drain(bot, { config: options.config, venue });
  } finally {
    shell.close();
  }
}

async function drain(bot: CreatedBot, of: { readonly config: BotConfig; readonly venue: BotVenue }): Promise<void> {
  const { config, venue } = of;
  const { openOrders, withinMs } = config.drain;
  bot.shell.control({ kind: 'drain', openOrders });
  const waitMs = venue.time instanceof VirtualTime ? DRAIN_AT_MOST_MS : withinMs;
  await until(bot, { venue, forMs: null, deadlineMs: venue.time.now() + waitMs, isOver: () => bot.engine.isDrained() });
  const before = bot.engine.status().conclusions;
  bot.engine.reconciler.tryNow();
  await until(bot, {
    venue,
    forMs: null,
    deadlineMs: venue.time.now() + LAST_COMPARISON_MS,
    isOver: () => bot.engine.status().conclusions > before,
  });
}

/** In virtual time the end may take as long as it takes to know that an order whose reply is missing never arrived. */
const DRAIN_AT_MOST_MS = 600_000;

/** How often the end of a wait is looked for, of the wall's time. */
const LOOK_EVERY_MS = 20;

/** Lets the bot go on until something ends the wait. Throws when the bot can not go on. */
async function until(
  bot: CreatedBot,
  of: {
    readonly venue: BotVenue;
    readonly signal?: AbortSignal;
    readonly forMs: number | null;
    /** By the venue's time. */
    readonly deadlineMs?: number;
    readonly isOver: () => boolean;
    readonly onStatus?: () => void;
  },
): Promise<void> {
  const { venue, signal, forMs, deadlineMs = Number.POSITIVE_INFINITY, isOver, onStatus } = of;
  const { time } = venue;
  const begunMs = performance.now();
  let statusMs = begunMs;
  const failure = bot.shell.failure;
  while (signal?.aborted !== true && !isOver() && time.now() < deadlineMs) {
    const nowMs = performance.now();
    if (forMs !== null && nowMs - begunMs >= forMs) return;
    if (nowMs - statusMs >= STATUS_EVERY_MS) {
      statusMs = nowMs;
      onStatus?.();
    }
    const step = time instanceof VirtualTime ? time.run(time.now() + VIRTUAL_SLICE_MS) : pause(LOOK_EVERY_MS);
    await Promise.race([step, failure]);
  }
}

function statusLine({ engine, counts }: CreatedBot, venue: BotVenue): string {
  const made = engine.seats.map((seat) => {
    const { market } = seat.runner;
    const price = engine.markets.priceOf(market);
    const dst = engine.markets.get(market)?.market.dst ?? 'rls';
    const profit =
      price === null
        ? '-'
        : forPeople(
            formatUnits(seat.cash(market, dst) + divideHalfEven(seat.position(market, dst) * price, UNITS_PER_ONE)),
            dst,
          );
    return `${seat.name} ${seat.fills} fills, profit ${profit}`;
  });
  const prices = [...new Set(engine.seats.map(({ runner }) => runner.market))].map((market) => {
    const price = engine.markets.priceOf(market);
    return `${market} ${price === null ? '-' : formatUnits(price)}`;
  });
  return `${clockText(venue.time.now())} -- ${prices.join(', ')}, ${engine.status().liveOrders} open, ${counts.total} requests; ${made.join('; ')}`;
}
