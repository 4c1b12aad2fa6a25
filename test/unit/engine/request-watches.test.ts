import { describe, expect, it } from 'vitest';
import { CredentialWatch } from '../../../src/engine/request-watches.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import { whyNoOrders } from '../../../src/mirror/strategy-status.ts';
import { english } from '../../../src/language/sentence.ts';
import { EngineWorld, WISH } from './engine-world.ts';

const CREDENTIAL = { name: 'the token of a test', advice: 'make a new one' };
const OPTIONS = { settings: { credential: CREDENTIAL } };

/** Makes a world whose credential was refused when the wallets were read. */
function refused(): EngineWorld {
  const world = EngineWorld.ready(OPTIONS);
  // Only this private call is answered from here on, so that no other shows the credential's state.
  for (const kind of ['orders', 'trades', 'transactions'] as const) world.answers.delete(kind);
  world.failing = { kind: 'wallets', code: 'UNAUTHORIZED' };
  world.advance(11_000);
  return world;
}

describe('a credential that the exchange refuses', () => {
  it('is an alarm at once that names it and says what to do, and not with every call', () => {
    const world = refused();
    expect(world.alarms()).toEqual([
      'the exchange refuses the token of a test (401), so nothing of the account is read, no order is placed and none can be canceled: make a new one',
    ]);
    world.answers.clear();
    world.advance(590_000);
    expect(world.alarms()).toHaveLength(1);
  });

  it('is named by the refusal of an order, whatever is known of limits', () => {
    const world = EngineWorld.ready(OPTIONS).want(WISH);
    world.answer('place', { outcome: 'unsent', reason: 'credential refused', retryInMs: 571_000 });
    expect(world.alarms()).toHaveLength(1);
    world.want(WISH);
    expect(world.eventsOf('reject').at(-1)).toMatchObject({
      code: 'closed',
      reason: expect.stringMatching(
        /^the exchange has refused the token of a test \(401\) for \d s: make a new one$/,
      ),
    });
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('is reported before that the account was never read', () => {
    const world = new EngineWorld(OPTIONS);
    world.failing = { kind: 'wallets', code: 'UNAUTHORIZED' };
    world.advance(3_000);
    expect(world.engine.status().phase).toBe('syncing');
    expect(world.engine.credentialFault()).toMatch(/the token of a test/);
  });

  it('is written down for whoever looks at the mirror', () => {
    const world = refused();
    expect(world.record('credential')).toEqual({
      refused: { ...CREDENTIAL, sinceMs: expect.any(Number) },
    });
  });

  it('heals with the first answer to a call that left after it, and says so', () => {
    const world = refused();
    world.failing = null;
    world.advance(30_000);
    expect(world.engine.credentialFault()).toBeNull();
    expect(world.messages('warning')).toEqual([
      expect.stringMatching(/^the exchange accepts the token of a test again, after \d+ s$/),
    ]);
    expect(world.record('credential')).toEqual({ refused: null });
    world.want(WISH);
    expect(world.waitingKinds()).toContain('place');
  });

  it('does not heal by what anybody may read, nor by an answer to a call from before', () => {
    const outbox = new Outbox();
    outbox.nowMs = 5_000;
    const watch = new CredentialWatch(outbox, CREDENTIAL);
    watch.apply(
      { outcome: 'failed', code: 'UNAUTHORIZED', message: '401', effect: 'none' },
      { isPrivate: true, sentAtMs: 4_900 },
    );
    const answered = { outcome: 'value', value: [] } as const;
    watch.apply(answered, { isPrivate: false, sentAtMs: 6_000 });
    watch.apply(answered, { isPrivate: true, sentAtMs: 4_950 });
    watch.apply({ outcome: 'unsent', reason: 'superseded' }, { isPrivate: true, sentAtMs: null });
    watch.apply(
      { outcome: 'failed', code: 'TIMED_OUT', message: 'late', effect: 'unknown' },
      { isPrivate: true, sentAtMs: 6_000 },
    );
    expect(watch.fault()).not.toBeNull();
    watch.apply(answered, { isPrivate: true, sentAtMs: 6_000 });
    expect(watch.fault()).toBeNull();
  });

  it('is not known to a new start, whose credential may be another', () => {
    const world = refused();
    world.failing = null;
    world.restart().advance(100);
    expect(world.engine.credentialFault()).toBeNull();
    expect(world.record('credential')).toEqual({ refused: null });
  });
});

/** Makes a world of which a request was not sent because this machine is too slow. */
function slow(): EngineWorld {
  const world = EngineWorld.ready();
  world.answers.clear();
  return world.want(WISH).unsend('place', 'this machine is too slow');
}

describe('a bot whose machine is too slow to send', () => {
  it('is not well, until a request leaves', () => {
    const world = slow();
    expect(english(world.order().reason)).toBe('NotSent: this machine is too slow');
    expect(english(world.engine.slowMachine.fault())).toContain(
      'nothing but cancels leaves: this machine takes too long',
    );
    expect(whyNoOrders(world.records())).toBe(world.engine.slowMachine.fault());
    for (const kind of ['orders', 'trades', 'wallets', 'book'] as const) world.answers.add(kind);
    world.advance(10_000);
    expect(world.engine.slowMachine.fault()).toBeNull();
    expect(world.record('slow-machine')).toEqual({ sinceMs: null });
    expect(world.messages('warning').filter((text) => text.startsWith('requests leave again'))).toHaveLength(
      1,
    );
  });

  it('does not say after a restart what was so before it', () => {
    const world = slow();
    world.restart();
    expect(world.engine.slowMachine.fault()).toBeNull();
    world.advance(10);
    expect(whyNoOrders(world.records())).toBeNull();
  });
});
