import { beforeEach, describe, expect, test } from 'vitest';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../../src/budget/lockouts.ts';
import { BotShell } from '../../../src/daemon/bot-shell.ts';
import type { VenueCaller, VenueEnd } from '../../../src/venues/venue-caller.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { VenueCall } from '../../../src/venues/port.ts';
import type { EngineOutput, EngineRequest, EngineEvent } from '../../../src/engine/engine-event.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { createVirtualLimiter } from '../../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';

type Answer = Extract<EngineEvent, { kind: 'answer' }>;

const START_MS = 1_000_000;
const NOTHING: EngineOutput = {
  changes: [],
  isDurable: false,
  requests: [],
  wakeAtMs: Number.POSITIVE_INFINITY,
  notices: [],
};

const kept = (name: string): MirrorChange => ({ kind: 'kept', name, json: '1' });
const place: VenueCall = {
  kind: 'place',
  order: {
    clientOrderId: 'bot-a-1',
    base: 'btc',
    quote: 'usdt',
    side: 'buy',
    execution: 'limit',
    amount: '0.001' as never,
    price: '64900' as never,
    stopPrice: null,
  },
};
const cancel: VenueCall = { kind: 'cancel', market: 'BTCUSDT', venueId: orderIdOf(1), clientOrderId: null };

const request = (id: number, call: VenueCall): EngineRequest => ({
  id,
  call,
  requestClass: call.kind === 'cancel' ? 'cancel' : call.kind === 'place' ? 'place' : 'market',
  dedupe: null,
  expiresAtMs: START_MS + 3_600_000,
});

/** A shell with a scripted engine, and with a store and an exchange that log what they are given. */
class ShellWorld {
  readonly time = new VirtualTime(START_MS);
  /** Calls of the store and the exchange, in order. */
  readonly log: string[] = [];
  readonly events: EngineEvent[] = [];
  readonly reported: string[] = [];
  /** Outputs of the engine for the next events; empty ones once all are used. */
  readonly says: (Partial<EngineOutput> | Error)[] = [];
  storeError: Error | null = null;
  isDiskFull = false;
  reply: () => Promise<VenueEnd> = async () => ({ answer: { outcome: 'value', value: null }, error: null });
  readonly shell: BotShell;

  constructor(limit = 100) {
    const { time } = this;
    const budgets = [{ name: 'all', limit, windowMs: 60_000 }];
    const caller: VenueCaller = {
      endpointOf: () => 'wallets',
      budgetOf: () => 'all',
      credentialOf: () => 'with',
      timeoutMsOf: () => 5_000,
      send: (call, _signal, { onEnd, onError }) => {
        this.log.push(`send ${call.kind}`);
        void this.reply().then(onEnd, onError);
      },
    };
    this.shell = new BotShell({
      time,
      caller,
      limiter: createVirtualLimiter({
        time,
        budgets,
        ledger: new BudgetLedger(budgets),
        lockouts: new MemoryLockouts(),
      }),
      limiterMs: () => time.now(),
      canLogIn: false,
      engine: { step: (event) => this.step(event) },
      store: {
        apply: (changes, { isDurable }) => {
          if (this.storeError !== null) throw this.storeError;
          const names = changes.map((change) => (change.kind === 'kept' ? change.name : change.kind));
          this.log.push(`apply ${names.join(' ')}${isDurable ? ' durably' : ''}`);
        },
        flush: () => this.log.push('flush'),
        isRunningOut: () => this.isDiskFull,
      },
      onNotices: (notices) => {
        for (const notice of notices)
          this.reported.push(notice.kind === 'notice' ? notice.message : notice.kind);
      },
    });
  }

  /** Sends a control command to the shell; the engine answers it with `output`. */
  async hear(output: Partial<EngineOutput> | Error): Promise<void> {
    this.says.push(output);
    this.shell.control({ kind: 'resume' });
    await this.time.run(this.time.now());
  }

  answers(): readonly Answer[] {
    return this.events.filter((event) => event.kind === 'answer');
  }

  private step(event: EngineEvent): EngineOutput {
    this.events.push(event);
    const said = this.says.shift();
    if (said instanceof Error) throw said;
    return { ...NOTHING, ...said };
  }
}

const unwritable = (): SarrafError => new SarrafError('DATA_UNUSABLE', 'the disk is full');

let world: ShellWorld;
beforeEach(() => {
  world = new ShellWorld();
});

describe('the shell of the bot', () => {
  test('writes what a step changes before its requests leave, and hands the engine what came back', async () => {
    await world.hear({ changes: [kept('a')], isDurable: true, requests: [request(7, place)] });
    expect(world.log).toEqual(['apply a durably', 'send place']);
    expect(world.answers()).toEqual([
      {
        kind: 'answer',
        atMs: START_MS,
        requestId: 7,
        sentAtMs: START_MS,
        answer: { outcome: 'value', value: null },
      },
    ]);
  });

  test('tells the end of a request that a newer one replaces once its step is carried out', async () => {
    const narrow = new ShellWorld(1);
    const polls = [1, 2, 3].map((id) => ({ ...request(id, { kind: 'wallets' }), dedupe: 'wallets' }));
    narrow.says.push({ requests: polls, wakeAtMs: START_MS + 500 }, { wakeAtMs: START_MS + 900 });
    narrow.shell.start();
    await narrow.time.run(START_MS + 600);
    expect(narrow.log).toEqual(['send wallets']);
    expect(narrow.answers().map(({ requestId, answer }) => [requestId, answer.outcome])).toEqual([
      [2, 'unsent'],
      [1, 'value'],
    ]);
    await narrow.time.run(START_MS + 901);
    expect(narrow.events.filter(({ kind }) => kind === 'tick')).toHaveLength(1);
  });

  test('wakes the engine when it asked for it, and once only', async () => {
    world.says.push({ wakeAtMs: START_MS + 500 }, { wakeAtMs: START_MS + 800 });
    world.shell.start();
    await world.time.run(START_MS + 2_000);
    expect(world.events).toEqual([0, 500, 800].map((after) => ({ kind: 'tick', atMs: START_MS + after })));
  });

  test('forgets an earlier wake when the engine asks for another', async () => {
    world.says.push({ wakeAtMs: START_MS + 500 });
    world.shell.start();
    await world.hear({ wakeAtMs: START_MS + 900 });
    await world.time.run(START_MS + 2_000);
    expect(world.events.map(({ kind, atMs }) => [kind, atMs - START_MS])).toEqual([
      ['tick', 0],
      ['control', 0],
      ['tick', 900],
    ]);
  });

  test('has what was gathered written once a second', async () => {
    world.shell.start();
    await world.time.run(START_MS + 3_500);
    expect(world.log).toEqual(['flush', 'flush', 'flush']);
  });

  describe('whose mirror can not be written', () => {
    test('sends only cancels, and reports the rest to the engine as not sent', async () => {
      world.storeError = unwritable();
      const requests = [request(1, place), request(2, cancel), request(3, { kind: 'wallets' })];
      await world.hear({ changes: [kept('a')], isDurable: true, requests });
      expect(world.log).toEqual(['send cancel']);
      expect(world.reported).toEqual(['the disk is full']);
      const byId = world.answers().toSorted((left, right) => left.requestId - right.requestId);
      expect(byId).toMatchObject([
        {
          requestId: 1,
          sentAtMs: null,
          answer: { outcome: 'unsent', reason: 'the mirror can not be written' },
        },
        { requestId: 2, sentAtMs: START_MS, answer: { outcome: 'value' } },
        { requestId: 3, sentAtMs: null, answer: { outcome: 'unsent' } },
      ]);
    });

    test('places nothing while only the room for cancels is left, and does the rest', async () => {
      world.isDiskFull = true;
      const requests = [request(1, place), request(2, cancel), request(3, { kind: 'wallets' })];
      await world.hear({ changes: [kept('a')], isDurable: true, requests });
      expect(world.log).toEqual(['apply a durably', 'send cancel', 'send wallets']);
      expect(world.answers().find(({ requestId }) => requestId === 1)).toMatchObject({
        sentAtMs: null,
        answer: { outcome: 'unsent', reason: 'the disk is full', retryInMs: 10_000 },
      });
    });

    test('keeps the changes and writes them before later ones, once', async () => {
      world.storeError = unwritable();
      await world.hear({ changes: [kept('a')], isDurable: true });
      await world.hear({ changes: [kept('b')], isDurable: true });
      world.storeError = null;
      await world.hear({ changes: [kept('c')], isDurable: true, requests: [request(1, place)] });
      await world.hear({ changes: [kept('d')], isDurable: true });
      expect(world.log).toEqual(['apply a b c durably', 'send place', 'apply d durably']);
    });

    test('ends when it would have to keep too many', async () => {
      world.storeError = unwritable();
      const changes = Array.from({ length: 50_001 }, () => kept('a'));
      await world.hear({ changes, isDurable: true });
      await world.hear({ changes, isDurable: true });
      await expect(world.shell.failure).rejects.toThrow('the disk is full');
    });

    test('ends when the store has a mistake, and nothing of the step leaves', async () => {
      world.storeError = new TypeError('a mistake');
      await world.hear({ changes: [kept('a')], isDurable: true, requests: [request(1, cancel)] });
      await expect(world.shell.failure).rejects.toThrow('a mistake');
      expect(world.log).toEqual([]);
    });
  });

  describe('whose engine finds something that must not be', () => {
    const broken = new SarrafError('INVARIANT', 'expected the impossible');

    test('ends, and takes no more steps', async () => {
      world.says.push({ wakeAtMs: START_MS + 500 });
      world.shell.start();
      await world.hear(broken);
      await expect(world.shell.failure).rejects.toBe(broken);
      const before = world.events.length;
      await world.hear({ changes: [kept('a')], requests: [request(1, cancel)] });
      await world.time.run(START_MS + 5_000);
      expect(world.events).toHaveLength(before);
      expect(world.log.filter((line) => line !== 'flush')).toEqual([]);
    });

    test('sends nothing more of what waits for its slot', async () => {
      world = new ShellWorld(1);
      await world.hear({ requests: [1, 2].map((id) => request(id, cancel)) });
      expect(world.log).toEqual(['send cancel']);
      world.says.length = 0;
      await world.hear(broken);
      await world.time.run(START_MS + 180_000);
      expect(world.log).toEqual(['send cancel']);
    });
  });

  test('reports a mirror that can not be written once, until a write works again', async () => {
    const change = { changes: [kept('a')], isDurable: true };
    for (const error of [unwritable(), unwritable(), null, unwritable()]) {
      world.storeError = error;
      await world.hear(change);
    }
    expect(world.reported).toEqual(['the disk is full', 'the disk is full']);
  });

  test('ends when a request runs into a mistake of the program, and takes no more steps', async () => {
    world.reply = async () => {
      throw new TypeError('a mistake');
    };
    await world.hear({ requests: [request(1, { kind: 'wallets' })] });
    await expect(world.shell.failure).rejects.toThrow('a mistake');
    const before = world.events.length;
    await world.hear({ requests: [request(2, cancel)] });
    expect(world.events).toHaveLength(before);
  });

  test('once closed takes in nothing more, and has written what was gathered', async () => {
    const late = Promise.withResolvers<VenueEnd>();
    world.reply = async () => late.promise;
    world.says.push({ wakeAtMs: START_MS + 1_500, requests: [request(1, cancel)] });
    world.shell.start();
    await world.time.run(START_MS + 100);
    expect(world.shell.requestsInFlight).toBe(1);
    world.shell.close();
    expect(world.log.at(-1)).toBe('flush');
    late.resolve({ answer: { outcome: 'value', value: null }, error: null });
    await world.time.run(START_MS + 10_000);
    expect(world.events).toHaveLength(1);
    expect(world.log).toEqual(['send cancel', 'flush']);
    expect(world.shell.requestsInFlight).toBe(0);
  });
});
