import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkParity, type ParityReport } from '../../src/backtest/check-parity.ts';
import { calibrateReplay, DEFAULT_REPLAY_RULES } from '../../src/backtest/fill-calibration.ts';
import { OrderReplay } from '../../src/backtest/replay-orders.ts';
import type { SessionReplay } from '../../src/backtest/replay-session.ts';
import { ControlClient } from '../../src/daemon/control-client.ts';
import { recordRun } from '../support/embedded-bot.ts';
import { closing } from '../../src/domain/closing.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { isoText } from '../../src/domain/time-text.ts';
import type { OrderRecord } from '../../src/records/order.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import type { OrderQuality } from '../../src/portfolio/execution-quality.ts';

const MINUTE_MS = 60_000;
const SESSION_MS = 16 * MINUTE_MS;
const bundledStrategies = resolve('strategies');

let folder: string;

interface KeptSession {
  readonly config: { readonly strategies: readonly { readonly name: string; params: unknown }[] };
}

/** Checks parity with a strategy that quotes another spread than it did in the session. */
async function parityOfAnotherSpread(): Promise<ParityReport> {
  const path = join(folder, 'session.json');
  const text = readFileSync(path, 'utf8');
  const session = JSON.parse(text) as KeptSession;
  for (const strategy of session.config.strategies) {
    if (strategy.name === 'market-maker') strategy.params = { spreadBps: 1.6 };
  }
  writeFileSync(path, JSON.stringify(session));
  try {
    return await checkParity({ folder, bundledStrategies });
  } finally {
    writeFileSync(path, text);
  }
}

const ofCode = ({ differences }: ParityReport): ParityReport['differences'] =>
  differences.filter(({ cause }) => cause === 'code');

/** Stored answer with a book. */
interface BookAnswer {
  readonly atMs: number;
  readonly answer: {
    readonly value: { readonly bids: [string, string][]; readonly asks: [string, string][] };
  };
}

interface DebuggerMessage {
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly callFrames?: readonly { readonly location: { readonly scriptId: string } }[];
  };
}

/** Attaches a debugger to a program that waits for it, and returns the file in which it stops. */
async function stopOf(address: string): Promise<string> {
  const socket = new WebSocket(address);
  const scripts = new Map<string | undefined, string>();
  await once(socket, 'open');
  for (const [id, method] of ['Debugger.enable', 'Runtime.runIfWaitingForDebugger'].entries())
    socket.send(JSON.stringify({ id, method }));
  for await (const [{ data }] of on(socket, 'message', { close: ['close'] })) {
    const { method, params = {} } = JSON.parse(String(data)) as DebuggerMessage;
    if (method === 'Debugger.scriptParsed') scripts.set(params.scriptId, params.url ?? '');
    if (method !== 'Debugger.paused') continue;
    socket.close();
    return scripts.get(params.callFrames?.[0]?.location.scriptId) ?? '';
  }
  return 'nowhere';
}

/** The orders of the session, or of a strategy of it. */
function ordersOf(strategy: string | null = null): readonly OrderRecord[] {
  using reader = closing(new MirrorReader(join(folder, 'embedded.sqlite')));
  return reader.orders({ strategy, market: null, last: 100_000, state: 'all' });
}

describe('a recorded session of the embedded exchange', () => {
  let report: ParityReport;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sarraf-parity-'));
    await recordRun(folder, SESSION_MS);
    report = await checkParity({ folder, bundledStrategies });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('has no difference of the code', () => {
    expect(report.endMs - report.beganMs).toBe(SESSION_MS);
    expect(ofCode(report)).toEqual([]);
  });

  test('makes every decision again from the events that it received', () => {
    using reader = closing(new MirrorReader(join(folder, 'embedded.sqlite')));
    const intents = reader
      .intents({ strategy: null, market: null, last: 100_000, status: 'all' })
      .filter(({ atMs }) => atMs < report.endMs);
    const orders = ordersOf().filter(({ plannedAtMs }) => plannedAtMs < report.endMs);
    expect(orders.length).toBeGreaterThan(24);
    expect(report.decidedAgain).toBe(orders.length + intents.length);
  });

  test('sees the same books at the same moments in the second run, until a fill is another one', () => {
    expect(report.again.books).toBe(report.session.books);
    expect(report.decisionsOnSameInputs).toBeGreaterThanOrEqual(2);
    expect(report.differences[0]?.what).toBe('fill');
  });

  test('fills no less of its orders by the rules of a backtest if they are first in every queue', async () => {
    const replay = new OrderReplay(folder);
    const shareOf = async (kind: 'back' | 'front'): Promise<number> => {
      const { session, replay: again } = await replay.run({ queue: { kind }, latencyMs: 50 });
      expect(again.map(({ order }) => order.key)).toEqual(session.map(({ order }) => order.key));
      return again.reduce((sum, { order, wanted }) => sum + Number(order.filled) / Number(wanted), 0);
    };
    const { session } = await replay.run(DEFAULT_REPLAY_RULES);
    // Its strategies read no trades.
    const queues = session.flatMap(({ queue }) => queue ?? []);
    expect(queues.filter(({ ahead }) => ahead !== null).length).toBeGreaterThan(10);
    expect(queues.filter(({ traded }) => traded !== null)).toEqual([]);
    const back = await shareOf('back');
    expect(back).toBeGreaterThan(0);
    expect(await shareOf('front')).toBeGreaterThanOrEqual(back);
  });

  test('is replayed to the moment of an order, with what the bot knew there', async () => {
    const order = ordersOf().filter(({ plannedAtMs }) => plannedAtMs < report.endMs)[7] as OrderRecord;
    const { code, out, error } = await sarrafHere(['replay', '--session', folder, '--until', order.key]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('With the params of the session, the code decides what it decided then.');
    expect(out).toContain(`\n${isoText(order.plannedAtMs)}: `);
    expect(out).toMatch(new RegExp(`\\n  book ${order.market}: bid \\d+, ask \\d+\\n`));
    expect(out).toContain(
      `\n  order ${order.key}: ${order.side} ${formatUnits(order.amount)} ${order.market}`,
    );
    expect(out).toMatch(/\n {2}bar BTCIRT 1m of 2026-01-05T1[12]:\d\d:00Z: \d+, \d+, \d+, \d+\n/);
    expect(out).toMatch(/\n {2}market-maker held -?[\d.]+ (?:btc|rls)\n/);
    const ofIntent = await sarrafHere([
      'replay',
      '--session',
      folder,
      '--until',
      order.intentId ?? '',
      '--json',
    ]);
    const { moment } = JSON.parse(ofIntent.out) as SessionReplay;
    expect(moment).toMatchObject({ phase: 'trading', locks: [] });
    expect(moment?.intents.map(({ id, strategy }) => [id, strategy])).toContainEqual([
      order.intentId,
      order.strategy,
    ]);
    const unknown = await sarrafHere(['replay', '--session', folder, '--until', 'order-of-nobody']);
    expect([unknown.code, unknown.error]).toEqual([2, expect.stringContaining('was order-of-nobody')]);
  });

  test('stops a debugger in the file of the strategy at the moment of an order', async () => {
    const orders = ordersOf('market-maker');
    const { key } = orders.filter(({ plannedAtMs }) => plannedAtMs < report.endMs)[7] as OrderRecord;
    const { child, finished } = startSarraf(['replay', '--session', folder, '--until', key, '--inspect']);
    const error = createInterface({ input: child.stderr as Readable });
    const [line] = (await once(error, 'line')) as [string];
    expect(await stopOf(/ws:\S+/.exec(line)?.[0] ?? '')).toMatch(/\/strategies\/market-maker\.ts$/);
    const { code, out } = await finished;
    expect(code).toBe(0);
    expect(out).toContain(`\n  order ${key}: `);
  });

  test('shows from which moment it decides otherwise where one received book was changed', async () => {
    const path = join(folder, 'session-events.jsonl.gz');
    const packed = readFileSync(path);
    const lines = gunzipSync(packed).toString().split('\n');
    const plannedAtMs = new Set(ordersOf('market-maker').map((order) => order.plannedAtMs));
    const read = lines.map((line) => (line.includes('"bids":[["') ? (JSON.parse(line) as BookAnswer) : null));
    const changed = read.findIndex((event) => event !== null && plannedAtMs.has(event.atMs));
    const event = read[changed] as BookAnswer;
    const { atMs } = event;
    const [bid, ask] = [event.answer.value.bids[0], event.answer.value.asks[0]].map((level) =>
      Number(level?.[0]),
    );
    // A better bid moves the middle of the book, around which the market maker quotes.
    event.answer.value.bids[0] = [String(Math.round((Number(bid) * 3 + Number(ask)) / 40) * 10), '1'];
    lines[changed] = JSON.stringify(event);
    writeFileSync(path, gzipSync(lines.join('\n')));
    try {
      const { code, out } = await sarrafHere(['replay', '--session', folder, '--json']);
      const { differences } = JSON.parse(out) as {
        readonly differences: readonly { readonly atMs: number }[];
      };
      expect([code, differences[0]?.atMs]).toEqual([1, atMs]);
    } finally {
      writeFileSync(path, packed);
    }
  });

  test('has differences of the code in both comparisons when a strategy decides otherwise', async () => {
    const reasons = new Set(ofCode(await parityOfAnotherSpread()).map(({ why }) => why));
    expect(reasons).toContain('on the same events, another decision was made');
    expect(reasons).toContain('everything that was seen before was the same');
  });
});

/** Returns what each order filled, for how much, and at which fee. */
const filled = (qualities: readonly OrderQuality[]) =>
  qualities.map(({ order: { key, filled: amount, filledTotal, fee } }) => [key, amount, filledTotal, fee]);

/** Source of a strategy that takes a little with every fifth book, so that no place in a queue matters. */
const TAKER = `
import { z } from 'zod';
import { defineStrategy } from '#sdk';

export default defineStrategy({
  name: 'taker',
  params: z.strictObject({}),
  state: z.strictObject({ seen: z.int().default(0) }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book({ state, setState, buy, sell }) {
      const seen = state.seen + 1;
      setState({ seen });
      if (seen % 10 === 0) buy({ amount: 0.0001 });
      else if (seen % 5 === 0) sell({ amount: 0.0001 });
    },
  },
});
`;

describe('a session that only takes', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sarraf-parity-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('is in the second run what it was, to the last digit', async () => {
    const path = join(folder, 'taker.ts');
    writeFileSync(path, TAKER);
    await recordRun(folder, 10 * MINUTE_MS, { strategies: [{ plugin: path, market: 'BTCIRT' }] });
    const report = await checkParity({ folder, bundledStrategies });
    expect(report.differences).toEqual([]);
    expect(report.again).toEqual(report.session);
    expect(report.session.fills).toBeGreaterThan(32);
    expect(report.decisionsOnSameInputs).toBe(report.decisions);
  });

  test('costs by the fill rules of a backtest what it cost, order by order', async () => {
    const replay = new OrderReplay(folder);
    const { session, replay: again } = await replay.run({ queue: { kind: 'back' }, latencyMs: 0 });
    expect(session.length).toBeGreaterThan(32);
    expect(filled(again)).toEqual(filled(session));
    expect((await calibrateReplay(replay)).found).toMatchObject([
      { market: 'BTCIRT', rules: { queue: 'back' }, heldOut: expect.any(Number) },
    ]);
  });
});

describe('a session whose strategy was told signals', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sarraf-parity-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('is told the same at the same moments in the second run, and orders the same', async () => {
    const client = new ControlClient(folder);
    const of = {
      kind: 'signal',
      strategy: 'listener',
      name: 'alert',
      sentAtMs: null,
      source: 'desk',
    } as const;
    for (const side of ['buy', 'sell']) client.post({ ...of, id: side, payload: { side, amount: '0.0001' } });
    const plugin = resolve('test/support/plugins/listener.ts');
    const strategies = [{ plugin, market: 'BTCIRT', inventory: { btc: '0.001' } }];
    await recordRun(folder, MINUTE_MS / 2, { strategies });
    client.close();
    const report = await checkParity({ folder, bundledStrategies });
    expect([report.session.signals, report.again.signals]).toEqual([2, 2]);
    expect(report.session.orders).toBe(2);
    expect(report.differences.filter(({ what }) => what !== 'fill' && what !== 'money')).toEqual([]);
    expect(report.decidedAgain).toBe(report.session.intents + report.session.orders);
  });
});
