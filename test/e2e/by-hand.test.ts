import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeRequest } from '../../src/cli/commands/order.ts';
import { nameByHand } from '../../src/cli/api/read-fields.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotLife, createEmbeddedWorld, type EmbeddedWorld } from '../support/embedded-bot.ts';
import { orderIdOf } from '../../src/venues/read-records.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;

const folder = folderOfEachTest();

/** Places the order that `sarraf order place` would, with the token of the bot's own account. */
function placeByHand(
  world: EmbeddedWorld,
  side: string,
  amount: string,
  options: Parameters<typeof placeRequest>[2],
) {
  const request = nameByHand(placeRequest(side, { market: 'BTCIRT', amount }, options));
  const { adapter } = world.venue.simulation;
  const reply = adapter.handle(
    {
      method: 'POST',
      path: '/market/orders/add',
      headers: { authorization: 'Token embedded-bot-token', 'user-agent': 'TraderBot/by-hand' },
      body: JSON.stringify(request),
      ip: '127.0.0.9',
    },
    world.time.now(),
  );
  const { order } = JSON.parse(reply.body) as { readonly order: { readonly id: number } };
  return { id: order.id, name: String(request['clientOrderId']) };
}

const statusOf = (world: EmbeddedWorld, id: number): string => {
  const order = world.venue.simulation.exchange.trading
    .trader(world.userId)
    .orders.values()
    .find((one) => one.id === id);
  return order?.status ?? 'unknown';
};

// The name of the second bot is the word with which ids of orders by hand begin.
test.each([['bot'], ['manual']])(
  'an order by hand is never taken for one of the bot %s, nor touched',
  async (instance) => {
    const world = createEmbeddedWorld({ seed: 7, config: { instance } });
    const path = join(folder, 'mirror.sqlite');
    const first = await BotLife.prepare(world, path);
    first.bot.shell.start();
    await first.run(MINUTE_MS);
    const resting = placeByHand(world, 'buy', '0.002', { price: '45000000000' });
    const filled = placeByHand(world, 'buy', '0.003', { market: true });
    await first.run(MINUTE_MS);
    expect(statusOf(world, resting.id)).toBe('Active');
    expect(first.lines.filter((line) => line.includes(resting.name))).toEqual([
      expect.stringContaining('placed by hand'),
    ]);
    await first.drain();
    first.mirror.close();
    expect(statusOf(world, resting.id)).toBe('Active');

    const second = await BotLife.prepare(world, path);
    second.bot.shell.start();
    await second.run(MINUTE_MS);
    await second.drain();
    second.mirror.close();
    expect(statusOf(world, resting.id)).toBe('Active');

    const mirror = new MirrorReader(path);
    try {
      const filledId = orderIdOf(filled.id);
      const everything = { strategy: null, market: null, last: 1_000_000 };
      expect(mirror.manualOrders().get(filledId)).toBe(filled.name);
      const orders = mirror.orders({ ...everything, state: 'all' });
      expect(orders.length).toBeGreaterThan(0);
      expect(
        orders.filter(({ venueId }) => venueId === orderIdOf(resting.id) || venueId === filledId),
      ).toEqual([]);
      const byHand = mirror.fills(everything).filter(({ venueOrderId }) => venueOrderId === filledId);
      expect(byHand.length).toBeGreaterThan(0);
      for (const fill of byHand) expect(fill).toMatchObject({ strategy: null, orderKey: null });
    } finally {
      mirror.close();
    }
    expect([...first.lines, ...second.lines].filter((line) => /BREAK|break/.test(line))).toEqual([]);
  },
);
