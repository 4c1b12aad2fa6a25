import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control-client.ts';
import type { SignalCommand } from '../../src/engine/engine-event.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import type { BotHome } from './bot-home.ts';
import { OwnExchange } from './own-exchange.ts';

/** Time-out for a busy machine. */
const PATIENT = { timeout: 240_000, interval: 200 };
const KILLS = 4;
const SIGNALS_A_LIFE = 6;

let own: OwnExchange;
beforeEach(async () => {
  own = await OwnExchange.open({ seed: 12 });
});
afterEach(async (context) => {
  await own.close(context);
});

const signal = (id: string, strategy: string): SignalCommand => ({
  kind: 'signal',
  strategy,
  name: 'alert',
  id,
  // Too little for an order: only the delivery of signals is tested.
  payload: { side: 'buy', amount: '0.000001' },
  sentAtMs: null,
  source: 'test',
});

/** Ids of the signals in the states of the strategies, read from the mirror. */
function toldBy({ mirrorPath }: BotHome): readonly string[] {
  const reader = new MirrorReader(mirrorPath);
  try {
    return reader.strategies().flatMap(({ json }) => {
      const { state } = JSON.parse(json) as { readonly state: { readonly told: readonly string[] } };
      return state.told;
    });
  } finally {
    reader.close();
  }
}

test('each signal is told once, and as its sender was answered, over kill -9 amid them', async () => {
  const home = own.home({ instance: 'told', seed: 1, plugin: resolve('test/support/plugins/listener.ts') });
  const posted = new Map<string, number>();
  let client: ControlClient | null = null;
  for (let life = 0; life < KILLS; life += 1) {
    const bot = own.start(home);
    await bot.healthAddress();
    client ??= new ControlClient(home.dataFolder);
    const send = (index: number): number => {
      const id = `s${life}-${index}`;
      const row = client?.post(signal(id, 'bracket-0')) ?? 0;
      posted.set(id, row);
      return row;
    };
    // In every other life the bot trades before the kill; the others are killed while they start.
    const first = send(0);
    if (life % 2 === 1) await expect.poll(() => client?.read(first)?.result ?? null, PATIENT).not.toBeNull();
    for (let index = 1; index < SIGNALS_A_LIFE; index += 1) {
      send(index);
      // Some are sent again before anybody can know whether they were delivered.
      if (index % 2 === 0) send(index);
    }
    const last = posted.get(`s${life}-2`) ?? 0;
    await expect
      .poll(() => client?.read(last)?.takenAtMs ?? null, { ...PATIENT, interval: 1 })
      .not.toBeNull();
    await bot.kill();
  }
  const last = own.start(home);
  await last.healthAddress();
  const looks = () => [...posted].map(([id, row]) => [id, client?.read(row)?.result ?? null] as const);
  await expect.poll(() => looks().every(([, result]) => result !== null), PATIENT).toBe(true);
  const told = looks().flatMap(([id, result]) => (result?.signal?.outcome === 'told' ? [id] : []));
  await last.kill();
  client?.close();
  expect(told.length).toBeGreaterThan(0);
  expect(toldBy(home).toSorted()).toEqual(told.toSorted());
});
