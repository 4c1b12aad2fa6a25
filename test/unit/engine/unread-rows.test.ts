import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import type { UnreadRow, VenueCallKind } from '../../../src/venues/port.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, FAST, WISH } from './engine-world.ts';

const SLOW_ALERT = { ...FAST, alertAfterMs: 600_000 };
const NOTHING = { venueOrderId: null, market: null, currency: null };

/** Marks rows as unreadable in replies to a kind of call from now on; an empty list ends that. */
function unread(
  world: EngineWorld,
  kind: VenueCallKind,
  rows: readonly UnreadRow[],
  keep: (item: unknown) => boolean,
): void {
  const { venue } = world;
  const read = venue.read.bind(venue);
  world.unread = rows.length === 0 ? null : { kind, rows };
  venue.read = (call) => {
    const value = read(call);
    if (call.kind !== kind || world.unread === null || value === undefined || value === null) return value;
    if (Array.isArray(value)) return value.filter(keep);
    const page = value as { readonly items: readonly unknown[]; readonly hasNext: boolean | null };
    return { ...page, items: page.items.filter(keep) } as typeof value;
  };
}

function ready(): EngineWorld {
  return EngineWorld.answering({ settings: { reconciliation: SLOW_ALERT } }, 30_000);
}

describe('a row that can not be read', () => {
  it('of the wallets stops orders in markets of its currency alone, and is said at once', () => {
    const world = ready();
    const row = { ...NOTHING, subject: 'wallet btc', why: 'balance: expected a decimal', currency: 'btc' };
    unread(world, 'wallets', [row], (wallet) => (wallet as { currency: string }).currency !== 'btc');
    world.advance(15_000);
    expect(world.messages('warning').join()).toContain('wallet btc: row: expected one that can be read');
    world.want(WISH);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'closed', reason: expect.stringContaining('wallet btc') },
    ]);
    expect(world.engine.closedReason()).toBeNull();
    expect(world.engine.account.totalOf('btc')).toBe(parseUnits('10'));
    world.unread = null;
    world.advance(15_000);
    world.want(buy('BTCUSDT', { amount: '1', price: '97' }));
    expect(world.waitingKinds()).toContain('place');
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('of the open orders takes no order for gone', () => {
    const { world, id } = ready().open(WISH);
    world.advance(10_000);
    const before = world.requestsOf('order').length;
    unread(
      world,
      'orders',
      [{ ...NOTHING, subject: 'order in place 0', why: 'amount: expected a decimal' }],
      () => false,
    );
    world.advance(30_000);
    expect(world.order()).toMatchObject({ state: 'open', venueId: id });
    expect(world.requestsOf('order')).toHaveLength(before);
    expect(world.requestsOf('cancel')).toEqual([]);
  });

  it('of the trades is read again, and no comparison concludes without it', () => {
    const { world, id } = ready().open(WISH);
    const first = world.venue.fill(id, '0.4');
    world.venue.fill(id, '0.1');
    const row = {
      ...NOTHING,
      subject: `trade ${first.id}`,
      why: 'price: expected a decimal',
      venueOrderId: id,
    };
    unread(world, 'trades', [row], (trade) => (trade as { id: string }).id !== first.id);
    world.advance(60_000);
    expect(world.order()).toMatchObject({ filled: parseUnits('0.1'), matched: parseUnits('0.5') });
    const { conclusions } = world.engine.status();
    world.advance(60_000);
    expect(world.engine.status().conclusions).toBe(conclusions);
    expect(world.engine.reconciler.break).toBeNull();
    world.unread = null;
    world.advance(30_000);
    expect(world.order()).toMatchObject({ filled: parseUnits('0.5') });
    expect(world.fills()).toHaveLength(2);
  });
});
