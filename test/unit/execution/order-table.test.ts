import { describe, expect, it } from 'vitest';
import { OrderTable } from '../../../src/engine/orders/order-table.ts';
import { orderIn, plannedOrder } from '../../support/order-value.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';

describe('the table of orders', () => {
  it('finds an order by each of its names, and always by its newest value', () => {
    const table = new OrderTable();
    table.put(plannedOrder({ key: 'a' }));
    const open = orderIn('open', { key: 'a', venueId: orderIdOf(7) });
    table.put(open);
    expect([table.get('a'), table.get('a'), table.byVenueId(orderIdOf(7))]).toEqual([open, open, open]);
    const nothing = [table.get('b'), table.get(null), table.byVenueId(null)];
    expect(nothing).toEqual([undefined, undefined, undefined]);
  });

  it('lists what is not at its end, oldest first, for all and for one strategy', () => {
    const table = new OrderTable();
    table.put(plannedOrder({ key: 'a' }));
    table.put(plannedOrder({ key: 'b', strategy: 'two' }));
    table.put(plannedOrder({ key: 'c' }));
    table.put(orderIn('sending', { key: 'a' }));
    expect(table.unfinished().map(({ key, state }) => `${key} ${state}`)).toEqual([
      'a sending',
      'b planned',
      'c planned',
    ]);
    table.put(orderIn('rejected', { key: 'a' }));
    expect(table.unfinished().map(({ key }) => key)).toEqual(['b', 'c']);
    expect([...table.unfinished('one')].map(({ key }) => key)).toEqual(['c']);
    expect([...table.unfinished('nobody')]).toEqual([]);
  });

  it('finds nothing more once two orders have one id of the exchange', () => {
    const table = new OrderTable();
    table.put(orderIn('open', { key: 'a', venueId: orderIdOf(7) }));
    table.put(orderIn('open', { key: 'b', venueId: orderIdOf(7) }));
    expect(() => table.get('a')).toThrow(/one order for the id 7, were a and b/);
  });

  it('finds nothing more once an order was added under a name that one has', () => {
    const table = new OrderTable();
    table.add(plannedOrder({ key: 'a' }));
    table.add(plannedOrder({ key: 'a' }));
    expect(() => table.get('b')).toThrow(/a name that no order has, was a/);
  });

  it('keeps what lives again beyond the next thousand ends', () => {
    const table = new OrderTable();
    const rejected = orderIn('rejected', { key: 'again' });
    table.put(rejected);
    for (let id = 1; id <= 1_000; id += 1)
      table.put(orderIn('filled', { key: `f${id}`, venueId: orderIdOf(id) }));
    table.put(orderIn('open', { key: 'again', venueId: orderIdOf(5_000) }));
    for (let id = 1_001; id <= 3_000; id += 1)
      table.put(orderIn('filled', { key: `f${id}`, venueId: orderIdOf(id) }));
    expect(table.get('again')?.state).toBe('open');
    expect(table.byVenueId(orderIdOf(5_000))?.key).toBe('again');
    expect(table.unfinished().map(({ key }) => key)).toEqual(['again']);
    expect(table.live.length).toBe(1);
    expect(table.get('f1')).toBeUndefined();
  });

  it('keeps a thousand and more that are at their end, forgets the oldest of them, and none that is not', () => {
    const table = new OrderTable();
    table.put(orderIn('open', { key: 'live', venueId: orderIdOf(1) }));
    for (let id = 2; id <= 2_003; id += 1)
      table.put(orderIn('filled', { key: `f${id}`, venueId: orderIdOf(id) }));
    expect([table.byVenueId(orderIdOf(2)), table.get('f2')]).toEqual([undefined, undefined]);
    expect(table.byVenueId(orderIdOf(1_002))).toBeDefined();
    expect(table.byVenueId(orderIdOf(2_003))).toBeDefined();
    expect(table.get('live')?.state).toBe('open');
  });
});
