import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseUnits } from '../../../src/domain/money.ts';
import type { SignalCommand } from '../../../src/engine/engine-event.ts';
import {
  signalsKeyOf,
  MOST_SIGNAL_IDS,
  MOST_SIGNALS_A_MINUTE,
  SIGNAL_IDS_RETAINED_MS,
} from '../../../src/engine/signal-record.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../../../src/engine/lock.ts';
import { defineStrategy, sma } from '../../../src/strategy/sdk.ts';
import { EngineWorld, START_MS } from './engine-world.ts';
import { scenarios } from '../../support/scenarios.ts';

const told: unknown[] = [];

/** Buys the amount in a signal, and stores the ids of the signals that it received. */
const LISTENER = defineStrategy({
  name: 'one',
  state: z.strictObject({ ids: z.array(z.string()).default([]) }),
  data: ({ market, signal }) => ({
    book: market.book(),
    alert: signal(z.strictObject({ price: z.string(), side: z.enum(['buy', 'throw']).default('buy') })),
    slow: signal(z.unknown(), { maxAgeMs: 600_000 }),
  }),
  on: {
    alert(ctx, signal) {
      if (signal.payload.side === 'throw') throw new Error('thrown');
      told.push(signal);
      ctx.setState({ ids: [...ctx.state.ids, signal.id] });
      ctx.buy({ amount: '1', price: signal.payload.price });
    },
    slow(ctx, { id }) {
      ctx.setState({ ids: [...ctx.state.ids, id] });
    },
  },
});

const signal = (id: string, more: Partial<SignalCommand> = {}): SignalCommand => ({
  kind: 'signal',
  strategy: 'one',
  name: 'alert',
  id,
  payload: { price: '98' },
  sentAtMs: null,
  source: 'command',
  ...more,
});

function ready(): EngineWorld {
  told.length = 0;
  return EngineWorld.ready({ strategies: [LISTENER] });
}

/** Gives a signal to the engine; returns the reply so far. */
function give(world: EngineWorld, command: SignalCommand) {
  world.control(command);
  return world.engine.signals.replyTo(command);
}

const idsOf = ({ engine }: EngineWorld): unknown =>
  (JSON.parse(engine.instances[0]?.runner.stateJson() ?? 'null') as { readonly ids?: unknown }).ids;

const journalOf = ({ mirror }: EngineWorld): readonly unknown[] =>
  mirror.journal.filter(({ kind }) => kind === 'signal').map(({ json }) => JSON.parse(json) as unknown);

describe('a signal', () => {
  it('is told with who sent it and when, typed by its schema, and its order goes through risk', () => {
    const world = ready();
    expect(give(world, signal('a', { sentAtMs: START_MS }))).toEqual({
      outcome: 'told',
      code: 'told',
      message: 'told to the strategy',
    });
    const seenAtMs = world.nowMs;
    const payload = { price: '98', side: 'buy' };
    expect(told).toEqual([{ id: 'a', payload, sentAtMs: START_MS, seenAtMs, source: 'command' }]);
    expect(Object.isFrozen((told[0] as { readonly payload: unknown }).payload)).toBe(true);
    expect(world.accept()).toMatchObject({ side: 'buy', price: parseUnits('98') });
    // The price is far from the market: the price collar refuses the order, as any other.
    give(world, signal('b', { payload: { price: '150' } }));
    expect(world.waitingKinds()).not.toContain('place');
    expect([...world.mirror.intents.values()].map(({ status }) => status)).toContain('refused');
  });

  it('is in the journal before what comes of it, in one durable step', () => {
    const world = ready();
    give(world, signal('a'));
    world.restart({ losing: true });
    const kinds = world.mirror.journal.map(({ kind }) => kind);
    expect(kinds.indexOf('signal')).toBeLessThan(kinds.lastIndexOf('intent'));
    expect(journalOf(world)).toEqual([
      {
        name: 'alert',
        id: 'a',
        payload: { price: '98' },
        sentAtMs: null,
        source: 'command',
        seenAtMs: START_MS + 2_000,
        outcome: 'told',
        code: 'told',
        reason: null,
      },
    ]);
    expect(idsOf(world)).toEqual(['a']);
  });

  it('is told once for its id, also after kill -9', () => {
    const world = ready();
    give(world, signal('a'));
    expect(give(world, signal('a'))).toMatchObject({ outcome: 'told', code: 'repeated' });
    world.restart({ losing: true }).advance(2_000);
    expect(give(world, signal('a', { source: 'other' }))).toMatchObject({
      outcome: 'told',
      code: 'repeated',
      message: 'this id came before, at 2023-11-14T22:13:22Z, and was told: each is told once',
    });
    expect(give(world, signal('a', { name: 'slow' }))).toMatchObject({ code: 'told' });
    expect(idsOf(world)).toEqual(['a', 'a']);
  });

  scenarios<readonly [() => Partial<SignalCommand>, string]>((part, [more, code]) => {
    const world = ready();
    const reply = give(world, signal('a', more()));
    expect(reply).toMatchObject({ outcome: 'refused', code });
    expect(reply?.message).toContain(part);
    expect(idsOf(world)).toEqual([]);
    world.mirror.flush();
    expect(journalOf(world)).toMatchObject([{ id: 'a', outcome: 'refused', code, reason: reply?.message }]);
  }, '%s is refused, and is in the journal')`
    of another shape ${[() => ({ payload: { price: 98 } }), 'invalid']}
      payload.price: Invalid input: expected string, received number
    of a strange field ${[() => ({ payload: { price: '9', '\u001B[2J\n': 1 } }), 'invalid']}
      payload: Unrecognized key: " [2J "
    that is long ${[() => ({ payload: { price: 'x'.repeat(9_000) } }), 'too-large']}
      at most 8192 characters of JSON, were 9012
    that is deep ${[() => ({ payload: deep(17) }), 'too-large']}: at most 16 levels of JSON
    that is very deep ${[() => ({ payload: deep(100_000) }), 'too-large']}: at most 16 levels of JSON
    that is none ${[() => ({ payload: undefined }), 'too-large']}: payload: expected JSON, was none
    of long ago ${[() => ({ ageMs: 61_001 }), 'too-old']}: expected a signal of the last 60 s, was 62 s old
    of the future ${[() => ({ ageMs: -60_001 }), 'too-old']}: see that both clocks are right
    of another name ${[() => ({ name: 'other' }), 'unknown']}
      expected a signal that one declares (alert, slow), was other
    for nobody ${[() => ({ strategy: 'two' }), 'unknown']}
      expected one of the strategies of this bot (one), was two
  `;

  it('may be as old as its declaration says', () => {
    const world = ready();
    expect(give(world, signal('a', { name: 'slow', ageMs: 599_000 }))).toMatchObject({ outcome: 'told' });
  });

  it('waits while the bot starts, and is told then', () => {
    told.length = 0;
    const world = new EngineWorld({ strategies: [LISTENER] });
    expect(give(world, signal('a'))).toBeNull();
    expect(give(world, signal('a'))).toBeNull();
    expect(give(world, signal('b'))).toBeNull();
    expect(give(world, signal('old', { ageMs: 59_990 }))).toBeNull();
    world.advance(2_000);
    expect(idsOf(world)).toEqual(['a', 'b']);
    expect(world.engine.signals.replyTo(signal('a'))).toMatchObject({ code: 'told' });
    // This signal had become too old before the start was over.
    expect(world.engine.signals.replyTo(signal('old'))).toMatchObject({ code: 'too-old' });
    expect(journalOf(world)).toHaveLength(3);
  });

  it('is dropped while its strategy is paused, and not told later', () => {
    const world = ready();
    world.control({
      kind: 'lock',
      name: PAUSE,
      strategy: 'one',
      market: null,
      reason: 'a test',
      untilMs: UNTIL_RESUMED_MS,
      entries: 'keep',
      pauses: true,
    });
    expect(give(world, signal('a'))).toMatchObject({ outcome: 'dropped', code: 'paused' });
    world.control({ kind: 'unlock', name: PAUSE, strategy: 'one', market: null, isAll: false });
    expect(give(world, signal('a'))).toMatchObject({ outcome: 'dropped', code: 'repeated' });
    expect(idsOf(world)).toEqual([]);
  });

  it('is told in a halt, which refuses its orders', () => {
    const world = ready();
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: false });
    expect(give(world, signal('a'))).toEqual({
      outcome: 'told',
      code: 'told',
      message: 'told to the strategy; trading is halted: a test',
    });
    expect(idsOf(world)).toEqual(['a']);
    expect(world.waitingKinds()).not.toContain('place');
  });

  it('whose handler throws says so, and the next is dropped', () => {
    const world = ready();
    const thrown = signal('a', { payload: { price: '9', side: 'throw' } });
    expect(give(world, thrown)?.message).toContain('on.alert: thrown');
    expect(give(world, signal('b'))).toMatchObject({
      outcome: 'dropped',
      code: 'failed',
      message: expect.stringContaining('the strategy is stopped: on.alert: thrown') as string,
    });
  });

  it('is dropped when the run ends', () => {
    const world = ready();
    world.control({ kind: 'drain', openOrders: 'cancel' });
    expect(give(world, signal('a'))).toMatchObject({ outcome: 'dropped', code: 'ending' });
  });

  it('is one of so many a minute', () => {
    const world = ready();
    const send = (id: string) => give(world, signal(id, { name: 'slow' }));
    for (let sent = 0; sent < MOST_SIGNALS_A_MINUTE; sent += 1)
      expect(send(`n${sent}`)).toMatchObject({ code: 'told' });
    expect(send('more')).toMatchObject({ outcome: 'refused', code: 'too-many' });
    world.advance(60_000);
    expect(send('more')).toMatchObject({ code: 'told' });
  });

  it('is remembered for a day, with so many others', () => {
    const world = ready();
    const keep = (atMs: number): void => {
      const seen = Array.from({ length: MOST_SIGNAL_IDS }, (_, index) => ({
        id: `n${index}`,
        name: 'slow',
        atMs,
        outcome: 'told',
      }));
      world.mirror.apply([{ kind: 'kept', name: signalsKeyOf('one'), json: JSON.stringify(seen) }], true);
      world.restart().advance(2_000);
    };
    keep(world.nowMs - SIGNAL_IDS_RETAINED_MS + 10_000);
    expect(give(world, signal('n0', { name: 'slow' }))).toMatchObject({ code: 'repeated' });
    give(world, signal('more', { name: 'slow' }));
    expect(give(world, signal('n1', { name: 'slow' }))).toMatchObject({ code: 'repeated' });
    expect(give(world, signal('n0', { name: 'slow' }))).toMatchObject({ code: 'told' });
    keep(world.nowMs - SIGNAL_IDS_RETAINED_MS - 10_000);
    give(world, signal('more', { name: 'slow' }));
    expect(JSON.parse(world.mirror.load(world.nowMs).stored[signalsKeyOf('one')] ?? '')).toHaveLength(1);
  });

  it('is dropped while an indicator has no value', () => {
    const cold = defineStrategy({
      name: 'one',
      data: ({ market, signal: declare }) => ({ bars: market.candles('1m'), alert: declare(z.unknown()) }),
      indicators: ({ bars }) => ({ average: sma(bars, 3) }),
      on: { alert: () => undefined },
    });
    const world = EngineWorld.ready({ strategies: [cold] });
    expect(give(world, signal('a'))).toMatchObject({ outcome: 'dropped', code: 'not-ready' });
  });
});

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
