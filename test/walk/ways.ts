import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { VenueOrderId } from '../../src/domain/order.ts';
import { AlertWorld } from '../property/alert-world.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { buy } from '../support/intents.ts';
import { EngineWorld } from '../unit/engine/engine-world.ts';
import { CoverageMeter, functionsRun, modulesLoaded, type FunctionRun } from './coverage.ts';

/** The code that runs for one event. */
export interface Way {
  readonly functions: ReadonlySet<FunctionRun>;
  /** Modules that a command loads; null for other events. */
  readonly modules: ReadonlySet<string> | null;
  /** True for a command that only reads: how long it takes is the code that it loads. */
  readonly isReading?: boolean;
}

type Ways = Readonly<Record<string, Way>>;

const MINUTE_MS = 60_000;

const without = (all: ReadonlySet<FunctionRun>, others: ReadonlySet<FunctionRun>): Way => ({
  functions: new Set([...all].filter((run) => !others.has(run))),
  modules: null,
});

/** Code paths of one limit order in the engine alone. */
async function inEngine(): Promise<Ways> {
  const world = EngineWorld.ready();
  world.answers.add('order');
  const meter = new CoverageMeter();
  await meter.start();
  const ran = async (act: () => void): Promise<Way> => {
    await meter.take();
    act();
    return { functions: await meter.take(), modules: null };
  };
  const intent = await ran(() => world.want(buy('BTCUSDT', { amount: '1', price: '98' })));
  let id: VenueOrderId | null = null;
  const acceptance = await ran(() => {
    ({ id } = world.accept());
  });
  return {
    'intent to request': intent,
    acceptance,
    fill: await ran(() => {
      if (id !== null) world.venue.fill(id);
      world.advance(11_000);
    }),
  };
}

/** Code paths of one market order at noon and its fill in the whole bot, without those of its polls. */
async function inBot(): Promise<Ways> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-walk-'));
  const startMs = Date.UTC(2026, 0, 5, 12);
  const plugin = join(folder, 'once.ts');
  writeFileSync(
    plugin,
    `import { defineStrategy } from '#sdk';
import { z } from 'zod';
let hasBought = false;
export default defineStrategy({
  name: 'once',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book(ctx) {
      if (hasBought || ctx.nowMs < ${startMs + 12.5 * MINUTE_MS}) return;
      hasBought = true;
      ctx.buy({ amount: 0.001 });
    },
  },
});
`,
  );
  const config = { strategies: [{ plugin, market: 'BTCIRT' }] };
  const life = await BotLife.prepare(
    createEmbeddedWorld({ seed: 3, startMs, config }),
    join(folder, 'm.sqlite'),
  );
  try {
    const meter = new CoverageMeter();
    await meter.start();
    life.bot.shell.start();
    await life.run(10 * MINUTE_MS);
    await meter.take();
    await life.run(2 * MINUTE_MS);
    const quiet = await meter.take(false);
    await life.run(2 * MINUTE_MS);
    return { 'market buy and fill': without(await meter.take(false), quiet) };
  } finally {
    await life.drop();
    rmSync(folder, { recursive: true });
  }
}

/** Code paths of one halt, notified to three channels. */
async function ofAlert(): Promise<Ways> {
  const world = new AlertWorld({ groupMs: 0, mostPerHour: 30, quietHours: null }, 10);
  const meter = new CoverageMeter();
  await meter.start();
  await world.pass(1, 1_000);
  await meter.take();
  await world.pass(1, 1_000);
  const quiet = await meter.take();
  world.write('control', 'halt', { reason: 'news' }, { halt: { reason: 'news', sinceMs: world.nowMs } });
  await world.pass(4, 1_000);
  return { 'alert to channels': without(await meter.take(), quiet) };
}

/** Hourly bars of a walk as CSV, as a user has them. */
function barsCsv(rows: number): string {
  let close = 60_000;
  const lines = Array.from({ length: rows }, (_, index) => {
    const open = close;
    close += ((index * 7_919) % 401) - 199;
    const [high, low] = [Math.max(open, close) + 50, Math.min(open, close) - 50];
    return `${new Date(Date.UTC(2024, 0, 1, index)).toISOString()},${open},${high},${low},${close},12.5`;
  });
  return ['time,open,high,low,close,volume', ...lines, ''].join('\n');
}

/** The rules of `ma-cross`, written with handlers. */
const CROSS = `import { defineStrategy, search, sma } from '#sdk';
import { z } from 'zod';
export default defineStrategy({
  name: 'cross',
  params: z.strictObject({
    fast: search(z.int().positive().default(2), { max: 50 }),
    slow: search(z.int().positive().default(4), { min: 2, max: 200 }),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({ fast: sma(bars, params.fast), slow: sma(bars, params.slow) }),
  on: {
    bars(ctx, { close }) {
      const { fast, slow } = ctx.indicators;
      ctx.plot('fast', fast);
      ctx.plot('slow', slow);
      const holds = ctx.isTradable(ctx.position, close);
      if (fast === slow || fast > slow === holds || ctx.orders.length > 0) return;
      if (holds) ctx.sell({ amount: ctx.position });
      else ctx.buy({ value: ctx.freeQuote * 0.1 });
    },
  },
});
`;

/** Runs a command; returns all that ran, in its threads and processes too. */
async function ofCommand(folder: string, words: readonly string[]): Promise<Way> {
  const kept = join(folder, 'coverage');
  mkdirSync(kept);
  await promisify(execFile)(process.execPath, ['src/cli/main.ts', ...words], {
    env: { ...process.env, NODE_V8_COVERAGE: kept, NO_COLOR: '1' },
    maxBuffer: 10_000_000,
  });
  const functions = new Set<FunctionRun>();
  const modules = new Set<string>();
  for (const file of readdirSync(kept)) {
    const { result } = JSON.parse(readFileSync(join(kept, file), 'utf8')) as {
      readonly result: readonly Profiler.ScriptCoverage[];
    };
    for (const run of functionsRun(result)) functions.add(run);
    for (const path of modulesLoaded(result)) modules.add(path);
  }
  return { functions, modules };
}

/** Code paths of backtests on 3,000 rows of CSV, with handlers and rules, a study of 4 trials, and a status. */
async function ofCommands(): Promise<Ways> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-walk-'));
  try {
    const csv = join(folder, 'hours.csv');
    writeFileSync(csv, barsCsv(3_000));
    const cross = join(folder, 'cross.ts');
    writeFileSync(cross, CROSS);
    const of = ['--csv', csv, '--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%'];
    const under = (name: string): string => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    };
    const [backtest, study, status, rules] = [
      under('backtest'),
      under('study'),
      under('status'),
      under('rules'),
    ];
    await ofCommand(under('run'), ['run', '--for', '1s', '--data', join(status, 'data')]);
    return {
      'rules on CSV to report': await ofCommand(rules, ['backtest', 'ma-cross', ...of, '--data', rules]),
      'CSV to report': await ofCommand(backtest, ['backtest', cross, ...of, '--data', backtest]),
      'study of 4 trials': await ofCommand(study, [
        'study',
        'run',
        cross,
        ...of,
        '--trials',
        '4',
        '--data',
        study,
      ]),
      'status of a bot': {
        ...(await ofCommand(status, ['status', '--data', join(status, 'data')])),
        isReading: true,
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Groups of code paths. Each runs in its own process: code that ran in one is compiled for the next. */
export const WAYS = { engine: inEngine, bot: inBot, alert: ofAlert, commands: ofCommands } as const;
