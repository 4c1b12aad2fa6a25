import { describe, expect, it } from 'vitest';
import type { VenueOrder, VenueOrderId } from '../../../src/domain/order.ts';
import { writeUnits } from '../../../src/domain/stored-json.ts';
import { EngineWorld, WISH } from './engine-world.ts';
import { wrongOrders } from './wrong-once.ts';
import type { Page } from '../../../src/venues/port.ts';

/** Makes a world with one open order, accepted `listMs` before the next list of open orders is requested. */
function openBefore(listMs: number): { readonly world: EngineWorld; readonly id: VenueOrderId | null } {
  const world = EngineWorld.ready({}, 10_100);
  world.advance(15_000 - listMs - 10_100);
  world.want(WISH);
  const id = world.accept().id;
  expect(world.requestsOf('order')).toEqual([]);
  return { world, id };
}

/** Lets lists return the same object while a record is unchanged, as a venue in this process does. */
function showSameRecords({ venue }: EngineWorld): void {
  const read = venue.read.bind(venue);
  const shown = new Map<string, VenueOrder>();
  const shared = (record: VenueOrder): VenueOrder => {
    const text = JSON.stringify(record, writeUnits);
    const known = shown.get(text) ?? record;
    shown.set(text, known);
    return known;
  };
  venue.read = (call) => {
    const value = read(call);
    if (call.kind !== 'orders' || value === undefined) return value;
    const page = value as Page<VenueOrder>;
    return { ...page, items: page.items.map(shared) };
  };
}

describe('the list of open orders', () => {
  it('that lacks one of ours has that looked up by its id', () => {
    const { world, id } = openBefore(4_500);
    world.end(id).advance(5_000);
    expect(world.pending('order').call).toMatchObject({ venueId: id });
    world.give('order', { ...world.venue.orderOf(id) });
    expect(world.order().state).toBe('cancelled');
  });

  it('proves nothing of an order that is younger than lists may lag', () => {
    const { world, id } = openBefore(2_000);
    world.venue.hidden.add(id);
    world.advance(3_000);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(5_000);
    expect(world.waitingKinds()).toEqual(['order']);
    expect(world.order().state).toBe('open');
  });

  it('has an order looked up once at a time', () => {
    const { world, id } = openBefore(4_500);
    world.venue.hidden.add(id);
    world.advance(30_000);
    expect(world.waitingKinds()).toEqual(['order']);
    world.fail('order', 'TIMED_OUT', 'none');
    expect(world.order().state).toBe('open');
    world.advance(5_100);
    expect(world.waitingKinds()).toEqual(['order']);
  });

  it('is read over all of its pages before anything is missed', () => {
    const world = EngineWorld.ready();
    for (let count = 0; count < 12; count += 1) world.venue.placeByHand('sell', '1', String(200 + count));
    world.open(WISH);
    world.advance(20_000);
    expect(world.requestsOf('order')).toEqual([]);
    expect(world.order().state).toBe('open');
  });

  it('brings no closed order back that it still shows', () => {
    const { world, id } = openBefore(4_500);
    world.end(id).advance(5_000);
    world.give('order', { ...world.venue.orderOf(id) });
    world.venue.orderOf(id).status = 'Active';
    world.advance(10_000);
    expect(world.order().state).toBe('cancelled');
    expect(world.alarms()).toEqual([]);
  });

  it('takes a sign of an end back when it shows the order again as it was', () => {
    const { world, id } = openBefore(4_500);
    showSameRecords(world);
    world.advance(30_000);
    world.venue.hidden.add(id);
    world.advance(5_000);
    world.fail('order', 'TIMED_OUT', 'none');
    world.venue.hidden.delete(id);
    world.advance(10_000);
    wrongOrders(world, 1, { status: 'Canceled' });
    world.advance(5_000);
    expect(world.order().state).toBe('open');
  });
});
