import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { checkedPlots, SENT, SharedLine } from '../../../src/plugins/worker-messages.ts';
import { loadStrategy } from '../../../src/plugins/load-strategy.ts';
import { StrategyThread } from '../../../src/plugins/strategy-thread.ts';
import { WorkerRunner, type WorkerRunnerOptions } from '../../../src/plugins/worker-runner.ts';
import type { PlotSeries } from '../../../src/strategy/plots.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import type { FeedingEvent, ShownLock } from '../../../src/strategy/strategy-event.ts';
import { bookEvent, closedCandle, engineView, ownOrder } from '../strategy/engine-view.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

/** A strategy that does what the name of its timer says. */
const SOURCE = `import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';
const DEEDS = {
  loop() { for (;;); },
  exit() { process.exit(4); },
  later() { setTimeout(() => { throw new Error('later'); }); },
  look(ctx) { ctx.log('saw', { position: ctx.markets.of('ETHIRT').position, average: ctx.indicators.average }); },
  buy(ctx) { ctx.setState({ count: ctx.state.count + 1 }); ctx.buy({ amount: 1, price: 2 }); },
  print() { console.log('hello'); },
  throws() {
    throw new Error('thrown');
  },
  fault(ctx) {
    ctx.buy({ amount: Number.NaN });
  },
  locks(ctx) { ctx.log('locks', { own: ctx.locks, others: ctx.markets.of('ETHIRT').locks, isFrozen: Object.isFrozen(ctx.locks[0] ?? ctx.locks) }); },
  plot(ctx) { ctx.plot('count', ctx.state.count); ctx.markets.of('ETHIRT').plot('count', null, { pane: 'counts' }); },
  weigh(ctx) { ctx.log('weighed', { characters: ctx.orders[0].tag.length }); },
};
export default defineStrategy({
  name: 'deeds',
  params: z.strictObject({ size: z.number().default(3) }),
  state: z.strictObject({ count: z.int().default(0) }),
  migrate: (stored) => ({ count: stored.seen }),
  data: ({ market, timer }) => ({
    book: market.book(),
    bars: market.candles('1h', { history: 2 }),
    ...Object.fromEntries(Object.keys(DEEDS).map((name) => [name, timer('@yearly')])),
  }),
  indicators: ({ bars }) => ({ average: sma(bars, 2) }),
  beforeWarm: 'call',
  on: DEEDS,
});
`;

/** A strategy that keeps its context, and prints how many late uses were tried and which succeeded. */
const KEEPER = `import { defineStrategy, sma } from '#sdk';
import { LATE, usesOf } from ${JSON.stringify(new URL('../../support/late-uses.ts', import.meta.url).href)};
export default defineStrategy({
  name: 'keeper',
  data: ({ market }) => ({ book: market.book(), bars: market.candles('1h') }),
  indicators: ({ bars }) => ({ average: sma(bars, 2) }),
  beforeWarm: 'call',
  on: { book(ctx) {
    const kept = { ctx, other: ctx.markets.of('ETHIRT') };
    setImmediate(() => {
      const uses = Object.entries(usesOf(kept));
      console.log(JSON.stringify([uses.length, ...uses.filter(([, said]) => said !== LATE).map(([name, said]) => name + ' ' + said)]));
    });
  } },
});
`;

const READER = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'reader',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book() }),
  on: { book({ log, data }, { bestBid }) { log('saw', { inEvent: bestBid.price, looked: data.book.bestBid.price }); } },
});
`;

const BORROWER = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'borrower',
  params: z.strictObject({}),
  data: ({ margin }) => ({ limit: margin.delegationLimit('btc'), pools: margin.pools() }),
  on: { limit({ log, data }, { limit }) { log('saw', { inEvent: limit, looked: data.limit.exact.limit, pools: data.pools }); } },
});
`;

const LISTENER = `import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';
export default defineStrategy({
  name: 'listener',
  data: ({ market, signal }) => ({
    bars: market.candles('1h'),
    alert: signal(z.strictObject({ side: z.string().refine((side) => { while (side === 'loop'); return side !== 'none'; }) })),
  }),
  indicators: ({ bars }) => ({ average: sma(bars, 2) }),
  on: { alert({ log, sell }, { payload, id }) { log('told', { side: payload.side, id }); sell({ amount: 1, price: 3 }); } },
});
`;

const folder = folderOfAllTests();
const runners: WorkerRunner[] = [];

beforeAll(() => {
  writeFileSync(join(folder, 'deeds.ts'), SOURCE);
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map(async (runner) => runner.dispose()));
});
let shared: WorkerRunner | null = null;
afterAll(async () => shared?.dispose());

const view = engineView({ nowMs: 5, position: '4' });

/** Makes the setup of a strategy in a file of the folder. */
const setupOf = (shownFile: string): WorkerRunnerOptions['setup'] => ({
  file: join(folder, shownFile),
  shownFile,
  name: null,
  market: 'BTCIRT',
  quotes: MARKET_NAMES.quotes,
  timeframe: '1h',
  params: {},
  universe: null,
  knownMarkets: null,
  venues: null,
});

function written(shownFile: string, source: string): WorkerRunnerOptions['setup'] {
  writeFileSync(join(folder, shownFile), source);
  return setupOf(shownFile);
}

async function begin(options: Partial<WorkerRunnerOptions> & { readonly handlerMs?: number } = {}) {
  const { handlerMs = 60_000, ...more } = options;
  const runner = await WorkerRunner.start({
    setup: setupOf('deeds.ts'),
    limits: { handlerMs, loadMs: 120_000, memoryMb: 64, restartsAnHour: 1 },
    restarts: false,
    onEnd: () => undefined,
    onPrint: () => undefined,
    ...more,
  });
  runners.push(runner);
  return runner;
}

/** Returns a shared runner for tests that leave it alive; each takes 0.3 s of CPU to start. */
async function rested(): Promise<WorkerRunner> {
  if (shared === null) {
    shared = await begin();
    runners.pop();
  }
  shared.clearFailure();
  shared.restore('{"count":0}');
  shared.plots = null;
  return shared;
}

const deed = (runner: WorkerRunner, name: string) => runner.handle({ kind: 'timer', name, dueMs: 0 }, view);

/** Makes a bar of a member's market. */
const bar = (minute: number): FeedingEvent => ({
  kind: 'candle',
  candle: closedCandle(minute, { market: 'ETHIRT', timeframe: '1m', openTimeMs: minute * 60_000 }),
});

describe('a strategy in a thread', () => {
  test('says what it is and wants before its first call', async () => {
    const runner = await begin();
    const candlesOf = runner.subscriptions.find((wanted) => wanted.kind === 'candles');
    expect([runner.name, runner.params, runner.stateJson()]).toEqual(['deeds', { size: 3 }, '{"count":0}']);
    expect([runner.wants('timer'), runner.wants('book'), runner.wantsCandles]).toEqual([true, false, true]);
    expect(candlesOf === undefined ? null : runner.warmUpLength(candlesOf)).toBe(2);
    expect(runner.handle(bookEvent('1', '2'), view)).toEqual([]);
  });

  test('answers with intents and a state, and goes on from a stored one', async () => {
    const runner = await rested();
    expect(deed(runner, 'buy')).toEqual([
      { kind: 'place', market: 'BTCIRT', side: 'buy', amount: '1', price: '2' },
    ]);
    expect([runner.drainChangedState(), runner.drainChangedState()]).toEqual(['{"count":1}', null]);
    runner.restore('{"count":41}');
    deed(runner, 'buy');
    expect(runner.drainChangedState()).toBe('{"count":42}');
    expect(() => runner.restore('{')).toThrow('expected a state as JSON');
    expect(() => runner.restore('{"seen":"many"}')).toThrow('state of deeds after migrate: state.count');
    runner.restore('{"seen":7}');
    expect([runner.stateJson(), runner.drainChangedState()]).toEqual(['{"count":7}', '{"count":7}']);
  });

  test('sees of the engine what it looks at, and its own indicators', async () => {
    const runner = await rested();
    for (const close of [10, 20]) runner.warmUp(closedCandle(close, { openTimeMs: close }));
    deed(runner, 'look');
    deed(runner, 'look');
    const line = { text: 'saw', fields: { position: 4, average: 15 } };
    expect(runner.drainLog()).toEqual([line, line]);
    expect(runner.drainLog()).toEqual([]);
  });

  test('that is paused is fed and not asked', async () => {
    const runner = await rested();
    deed(runner, 'buy');
    for (const close of [10, 20])
      runner.feed({ kind: 'candle', candle: closedCandle(close, { openTimeMs: close }) });
    expect([runner.stateJson(), runner.drainLog()]).toEqual(['{"count":1}', []]);
    deed(runner, 'look');
    expect(runner.drainLog()).toEqual([{ text: 'saw', fields: { position: 4, average: 15 } }]);
  });

  test('hands over what it plots to whoever draws it, a series as the same object each time', async () => {
    const runner = await rested();
    deed(runner, 'plot');
    const drawn: [PlotSeries, number, number][] = [];
    runner.plots = { add: (series, atMs, value) => drawn.push([series, atMs, value]) };
    deed(runner, 'plot');
    deed(runner, 'buy');
    deed(runner, 'plot');
    const own = { market: 'BTCIRT', name: 'count', pane: null, style: 'line', color: null };
    const other = { ...own, market: 'ETHIRT', pane: 'counts' };
    expect(drawn).toEqual([
      [own, 5, 0],
      [other, 5, Number.NaN],
      [own, 5, 1],
      [other, 5, Number.NaN],
    ]);
    expect(drawn[2]?.[0]).toBe(drawn[0]?.[0]);
  });

  test('leaves out plots of a thread that are none', () => {
    const series = { market: 'BTCIRT', name: 'x', pane: null, style: 'line', color: null };
    const good = { series, atMs: 5, value: 1 };
    const bad: unknown[] = [
      7,
      null,
      { ...good, atMs: 0.5 },
      { ...good, value: '1' },
      { ...good, series: { ...series, name: '' } },
    ];
    expect(checkedPlots([...bad, good])).toEqual([good]);
    expect(checkedPlots('none')).toEqual([]);
    expect(checkedPlots(Array.from({ length: 1_001 }, () => good))).toHaveLength(1_000);
  });

  test('that is paused follows its universe, as one without a thread does', async () => {
    const roaming = 'test/support/plugins/roaming.ts';
    const { definition } = await loadStrategy(join(process.cwd(), roaming));
    const setup = { market: 'BTCIRT', timeframe: '1m', params: {} } as const;
    const knownMarkets = ['BTCIRT', 'ETHIRT', 'XRPIRT'];
    const direct = new StrategyRunner(definition, {
      ...setup,
      marketNames: MARKET_NAMES,
      knownMarkets: new Set(knownMarkets),
    });
    const inThread = await begin({
      setup: {
        ...setupOf(roaming),
        ...setup,
        file: join(process.cwd(), roaming),
        knownMarkets,
      },
    });
    const members = [{ market: 'ETHIRT', rank: 1, sinceMs: 0 }];
    const universe = { rankBy: 'spread', members, kept: [], out: {}, rankedAtMs: 0 } as const;
    const past = [bar(1), bar(2)].flatMap((event) => (event.kind === 'candle' ? [event.candle] : []));
    const change = { name: 'members', entered: ['ETHIRT'], left: [], universe, follows: ['ETHIRT'], past };
    const said = [direct, inThread].map((runner) => {
      runner.feed({ kind: 'universe', ...change });
      runner.feed(bar(3));
      expect([runner.failure, runner.drainLog()]).toEqual([null, []]);
      runner.handle(bar(4), engineView({ universe }));
      return runner.drainLog().map(({ fields }) => fields);
    });
    expect(said[0]).toMatchObject([{ market: 'ETHIRT', average: 3, history: [2, 3, 4] }]);
    expect(said[1]).toEqual(said[0]);
  });

  test('sees the locks that hold as they come and go', async () => {
    const runner = await rested();
    const lock = {
      name: 'stops',
      kind: 'stops',
      market: null,
      strategy: 'deeds',
      reason: '3 stop-outs within 6h, the rule is 3',
      beganAtMs: 1,
      endsAtMs: 9,
      entries: 'cancel',
    } as const;
    const none: readonly ShownLock[] = Object.freeze([]);
    for (const locks of [none, [lock], [{ ...lock, endsAtMs: 12 }], none])
      runner.handle({ kind: 'timer', name: 'locks', dueMs: 0 }, engineView({ locks }));
    expect(runner.failure).toBe(null);
    expect(runner.drainLog().map(({ fields }) => fields)).toEqual(
      [none, [lock], [{ ...lock, endsAtMs: 12 }], none].map((locks) => ({
        own: locks,
        others: locks,
        isFrozen: true,
      })),
    );
  });

  test('sees what is too large for the memory that it shares', async () => {
    const runner = await rested();
    for (const characters of [9_000_000, 9_000_001]) {
      const orders = [ownOrder('one', { tag: 'x'.repeat(characters) })];
      runner.handle({ kind: 'timer', name: 'weigh', dueMs: 0 }, engineView({ orders }));
    }
    expect(runner.failure).toBe(null);
    expect(runner.drainLog().map(({ fields }) => fields)).toEqual([
      { characters: 9_000_000 },
      { characters: 9_000_001 },
    ]);
  });

  test('sees the book of an event also where it looks for it, then and later', async () => {
    const runner = await begin({ setup: written('reader.ts', READER) });
    const events = [bookEvent('1', '2'), bookEvent('3', '4')];
    for (const event of [...events, ...events.slice(-1)]) {
      if (event.kind === 'book') runner.handle(event, engineView({ book: event.book }));
    }
    expect(runner.drainLog().map(({ fields }) => fields)).toEqual([
      { inEvent: 1, looked: 1 },
      { inEvent: 3, looked: 3 },
      { inEvent: 3, looked: 3 },
    ]);
  });

  test('refuses every use of its context between two calls, in the words of a strategy without a thread', async () => {
    const printed = Promise.withResolvers<string>();
    const runner = await begin({
      setup: written('keeper.ts', KEEPER),
      onPrint: (text) => printed.resolve(text),
    });
    runner.handle(bookEvent('1', '2'), view);
    const [count, ...others] = JSON.parse(await printed.promise) as [number, ...string[]];
    expect(count).toBeGreaterThan(70);
    expect(others).toEqual(
      ['ctx', 'other'].flatMap((of) => ['market', 'base', 'quote'].map((name) => `${of}.${name} shown`)),
    );
  });

  test('sees margin in its event and where it looks for it', async () => {
    const runner = await begin({ setup: written('borrower.ts', BORROWER) });
    expect(runner.subscriptions.map(({ kind }) => kind)).toEqual(['delegation-limit', 'pools']);
    expect(runner.wants('margin')).toBe(true);
    for (const limit of ['0.5', '0.25']) {
      const seen = {
        reading: { kind: 'delegation-limit', currency: 'btc', limit: decimalText(limit) },
        seenAtMs: 3,
      } as const;
      const shows = { ...engineView(), margin: (topic: string) => (topic === 'pools' ? null : seen) };
      runner.handle({ kind: 'margin', seen }, shows);
    }
    expect(runner.drainLog().map(({ fields }) => fields)).toEqual([
      { inEvent: 0.5, looked: '0.5', pools: null },
      { inEvent: 0.25, looked: '0.25', pools: null },
    ]);
  });

  test('that can not be set up says why, however late anybody looks', async () => {
    const gone = join(folder, 'gone');
    const leaves = `import { writeFileSync } from 'node:fs';\nprocess.on('exit', () => writeFileSync('${gone}', ''));\n`;
    const thread = new StrategyThread({
      setup: { ...written('wrong.ts', `${leaves}${SOURCE}`), params: { size: 'large' } },
      limits: { handlerMs: 60_000, loadMs: 120_000, memoryMb: 64 },
      onEnd: () => undefined,
      onPrint: () => undefined,
    });
    // This thread is blocked until the other one has ended.
    const sleep = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(gone)) Atomics.wait(sleep, 0, 0, 10);
    expect(await thread.loaded()).toMatchObject({ kind: 'problem', params: [{ path: ['size'] }] });
    await thread.dispose();
  });

  test('that loops is ended after its time, and ends nothing else', async () => {
    const [runner, other] = [await begin({ handlerMs: 200 }), await rested()];
    expect(deed(runner, 'loop')).toEqual([]);
    expect(runner.failure).toBe(
      'on.loop: expected an answer within 200 ms, was still at work; its thread was ended (deeds.ts)',
    );
    expect(runner.fault).toMatchObject({ handler: 'on.loop', file: 'deeds.ts', line: null, stack: null });
    expect(deed(other, 'buy')).toHaveLength(1);
  });

  test('that wants what can not be is named with its line', async () => {
    const runner = await rested();
    deed(runner, 'fault');
    expect(runner.failure).toMatch(
      /^on\.fault: ctx\.buy\.amount: expected a positive .* was NaN \(deeds\.ts:\d+\)$/,
    );
  });

  test('that throws is named with its line, and stands still', async () => {
    const runner = await begin({ restarts: true });
    deed(runner, 'throws');
    expect(runner.failure).toBe('on.throws: thrown (deeds.ts:11)');
    expect(deed(runner, 'buy')).toEqual([]);
    runner.clearFailure();
    expect([deed(runner, 'buy').length, runner.stateJson(), runner.failure]).toEqual([
      1,
      '{"count":1}',
      null,
    ]);
  });

  test('that ends outside of its handlers is reported', async () => {
    const ended = Promise.withResolvers<void>();
    const runner = await begin({ onEnd: ended.resolve });
    deed(runner, 'later');
    // If the timer fires before the answer is read, the call itself reports the error.
    if (runner.failure === null) await ended.promise;
    expect(runner.failure).toMatch(/outside of a handler: later \(deeds\.ts:6\)$/);
  });

  test('that exited begins anew after its pause, warmed up and with its last state, as often as it may', async () => {
    const runner = await begin({ restarts: true });
    for (const close of [10, 20]) runner.warmUp(closedCandle(close, { openTimeMs: close }));
    deed(runner, 'buy');
    deed(runner, 'exit');
    expect(runner.failure).toBe('on.exit: it called process.exit(4) (deeds.ts)');
    for (runner.clearFailure(); runner.failure !== null; runner.clearFailure()) {
      expect(runner.failure).toBe('its thread is still starting again (deeds.ts)');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(runner.isBeyondRepair).toBe(false);
    deed(runner, 'look');
    expect(runner.drainLog()).toEqual([{ text: 'saw', fields: { position: 4, average: 15 } }]);
    deed(runner, 'buy');
    expect(runner.stateJson()).toBe('{"count":2}');
    deed(runner, 'exit');
    expect(runner.isBeyondRepair).toBe(true);
  });

  test('can say what it prints', async () => {
    const printed = Promise.withResolvers<string>();
    const runner = await begin({ onPrint: printed.resolve });
    deed(runner, 'print');
    expect(await printed.promise).toBe('hello');
  });
});

const beginListener = async (handlerMs: number): Promise<WorkerRunner> =>
  begin({ setup: written('listener.ts', LISTENER), handlerMs });

test('a strategy in a thread says what it holds of a signal, which it is then told', async () => {
  const runner = await beginListener(60_000);
  expect(runner.subscriptions).toContainEqual({ kind: 'signal', name: 'alert', maxAgeMs: 60_000 });
  const objection = (side: string) => runner.objectionTo({ name: 'alert', payload: { side } });
  expect(objection('none')).toEqual({
    outcome: 'refused',
    code: 'invalid',
    reason: 'payload.side: Invalid input',
  });
  expect(objection('buy')).toMatchObject({ outcome: 'dropped', code: 'not-ready' });
  for (const hour of [1, 2])
    runner.warmUp(closedCandle(hour, { market: 'BTCIRT', timeframe: '1h', openTimeMs: hour * 3_600_000 }));
  expect(objection('buy')).toBeNull();
  const of = { id: 'a', sentAtMs: null, seenAtMs: 5, source: 'command' } as const;
  const event = { kind: 'signal', name: 'alert', payload: { side: 'buy' }, ...of } as const;
  expect(runner.handle(event, view)).toMatchObject([{ kind: 'place', side: 'sell' }]);
  expect(runner.drainLog()).toEqual([{ text: 'told', fields: { side: 'buy', id: 'a' } }]);
});

test('a schema that does not come back ends its thread, and nothing else', async () => {
  const runner = await beginListener(200);
  expect(runner.objectionTo({ name: 'alert', payload: { side: 'loop' } })).toMatchObject({
    outcome: 'dropped',
    code: 'failed',
  });
  expect(runner.failure).toContain('expected an answer within 200 ms');
});

test('the end of a thread leaves an answer that waits to be read, and is not forgotten with it', () => {
  const line = new SharedLine();
  line.post(SENT.answer, 'an answer');
  new SharedLine(line.memory).postEnd('an end');
  expect([line.kind, line.read()]).toEqual([SENT.answer, 'an answer']);
  line.clear();
  expect([line.kind, line.wait(0), line.readEnd()]).toEqual([SENT.end, SENT.end, 'an end']);
});

/** Source of a strategy that counts its calls, and averages some bars; `more` is added to its definition. */
const countingSource = (more = '', log = 'one'): string => `import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';
export default defineStrategy({
  name: 'counting',
  params: z.strictObject({ bars: z.int().min(1).default(2) }),
  state: z.strictObject({ count: z.int().max(5).default(0) }),
  data: ({ market, timer }) => ({ hours: market.candles('1h'), go: timer('@yearly') }),
  indicators: ({ hours }, { params }) => ({ average: sma(hours, params.bars) }),
  beforeWarm: 'call',
  on: { go(ctx) { ctx.log('${log}', { count: ctx.state.count, average: ctx.indicators.average }); ctx.setState({ count: ctx.state.count + 1 }); } },
  ${more}
});
`;

const noStored = (): never => {
  throw new Error('no stored bars are needed');
};

const anew = (file: string, params = {}) => ({
  name: null,
  file: join(folder, file),
  shownFile: file,
  params,
});

describe('a strategy that is loaded anew', () => {
  const bars = [10, 20, 30, 40].map((close, index) => closedCandle(close, { openTimeMs: index * 3_600_000 }));
  /** Starts the counting strategy, which has seen the last two of four bars and was called once. */
  async function counting(file: string) {
    const runner = await begin({ setup: written(file, countingSource()) });
    for (const candle of bars.slice(2)) runner.warmUp(candle);
    deed(runner, 'go');
    expect(runner.drainLog()).toEqual([{ text: 'one', fields: { count: 0, average: 35 } }]);
    return runner;
  }

  test('goes on with its state and its bars, those of meanwhile too, and with its new code', async () => {
    const runner = await counting('anew.ts');
    writeFileSync(join(folder, 'anew.ts'), countingSource('', 'two'));
    const replace = await runner.prepare(anew('anew.ts'), noStored);
    deed(runner, 'go');
    runner.warmUp(closedCandle(50, { openTimeMs: 4 * 3_600_000 }));
    expect(runner.drainLog()).toEqual([{ text: 'one', fields: { count: 1, average: 35 } }]);
    replace();
    deed(runner, 'go');
    expect(runner.drainLog()).toEqual([{ text: 'two', fields: { count: 2, average: 45 } }]);
    expect(runner.stateJson()).toBe('{"count":3}');
  });

  test('takes earlier bars from those that are stored where its new parameters need more', async () => {
    const runner = await counting('longer.ts');
    const replace = await runner.prepare(anew('longer.ts', { bars: 3 }), () => bars);
    replace();
    deed(runner, 'go');
    expect([runner.params, runner.drainLog()]).toEqual([
      { bars: 3 },
      [{ text: 'one', fields: { count: 1, average: 30 } }],
    ]);
    await expect(runner.prepare(anew('longer.ts', { bars: 9 }), () => bars)).rejects.toThrow(
      'expected 9 closed bars of BTCIRT 1h for its warm-up, the bot has 4: start the bot again, which reads them, or wait for 5 more',
    );
  });

  test('goes on after a fault that had stopped it', async () => {
    const runner = await begin({
      setup: written('cured.ts', countingSource('', "' + null.x + '")),
    });
    deed(runner, 'go');
    expect(runner.failure).toContain("Cannot read properties of null (reading 'x')");
    writeFileSync(join(folder, 'cured.ts'), countingSource());
    (await runner.prepare(anew('cured.ts'), () => bars))();
    deed(runner, 'go');
    expect([runner.failure, runner.stateJson()]).toEqual([null, '{"count":1}']);
  });

  test('is not replaced once its bot ends, loaded or while it loads', async () => {
    const runner = await counting('ended.ts');
    const replace = await runner.prepare(anew('ended.ts'), () => bars);
    const ended = 'the bot has ended meanwhile';
    const loading = expect(runner.prepare(anew('ended.ts'), () => bars)).rejects.toThrow(ended);
    await runner.dispose();
    await loading;
    expect(replace).toThrow(ended);
  });

  test('is not replaced by one with a mistake, another name or data, or that cannot read its state', async () => {
    const runner = await counting('stays.ts');
    const source = countingSource();
    for (const [changed, message] of [
      [source.replace('on: {', 'on {'), 'Expected'],
      [source.replace("'counting'", "'other'"), 'expected the name counting, was other'],
      [
        source.replace("market.candles('1h')", "market.candles('1d')"),
        'it needs also candles BTCIRT 1d, no longer candles BTCIRT 1h: start the bot again to change that',
      ],
      [source.replace('max(5)', 'max(0)'), 'state.count'],
      [source.replace('min(1)', 'min(3)'), 'bars'],
    ] as const) {
      writeFileSync(join(folder, 'stays.ts'), changed);
      await expect(runner.prepare(anew('stays.ts', { bars: 2 }), () => bars)).rejects.toThrow(message);
    }
    deed(runner, 'go');
    expect(runner.drainLog()).toEqual([{ text: 'one', fields: { count: 1, average: 35 } }]);
  });
});
