import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/cli/read-config.ts';
import { Promotions } from '../../../src/daemon/promotions.ts';
import type { BotConfig } from '../../../src/daemon/create-bot-config.ts';

function config(fast: number, ofShadow: object = { params: { fast: 5 } }): BotConfig {
  const strategies = [
    { plugin: 'ma-cross', market: 'BTCIRT', params: { fast, slow: 30 }, shadow: ofShadow },
    { plugin: 'market-maker', market: 'BTCIRT' },
  ];
  return readConfig(null, [['strategies', JSON.stringify(strategies)]]);
}

const order = (now: BotConfig, isUndone = false) => ({ config: now, isUndone, by: undefined });

/** Returns the params of each strategy and shadow. */
function paramsOf({ strategies, shadows }: BotConfig): unknown {
  return [...strategies, ...shadows.map(({ strategy }) => strategy)].map(({ name, params }) => [
    name,
    params,
  ]);
}

describe('a promotion', () => {
  test('exchanges the code and params of a strategy and its shadow', () => {
    const now = config(10, { name: 'quick', plugin: 'breakout', params: { fast: 5 } });
    const promotions = new Promotions([]);
    promotions.note(promotions.commandFor('quick', order(now)));
    const { strategies, shadows } = promotions.apply(now);
    expect(strategies[0]).toMatchObject({
      name: 'ma-cross',
      market: 'BTCIRT',
      plugin: { name: 'breakout' },
      params: { fast: 5, slow: 30 },
    });
    expect(shadows[0]?.strategy).toMatchObject({
      name: 'quick',
      plugin: { name: 'ma-cross' },
      params: { fast: 10, slow: 30 },
    });
    expect(strategies[1]).toEqual(now.strategies[1]);
  });

  test('is undone by the same exchange', () => {
    const now = config(10);
    const promotions = new Promotions([]);
    promotions.note(promotions.commandFor('ma-cross-2', order(now)));
    promotions.note(promotions.commandFor('ma-cross-2', order(now, true)));
    expect(paramsOf(promotions.apply(now))).toEqual(paramsOf(now));
  });

  test('holds for the code and params that it was made of, and ends with others', () => {
    const promotions = new Promotions([]);
    const command = promotions.commandFor('ma-cross-2', order(config(10)));
    promotions.note(command);
    expect(promotions.outdated(config(10))).toEqual([]);
    for (const other of [config(11), config(10, { params: { fast: 6 } }), config(10, { name: 'quick' })]) {
      expect(paramsOf(promotions.apply(other))).toEqual(paramsOf(other));
      expect(promotions.outdated(other)).toEqual([{ ...command, act: 'drop', by: undefined }]);
    }
  });

  test.each([
    ['other', false, 'expected the name of a shadow (ma-cross-2), was other'],
    ['ma-cross-2', true, 'expected ma-cross-2 to be promoted, it is not: there is nothing to undo'],
  ])('of %s is refused (undo: %s)', (name, isUndone, message) => {
    const promotions = new Promotions([]);
    expect(() => promotions.commandFor(name, order(config(10), isUndone))).toThrow(message);
  });

  test('is refused twice', () => {
    const promotions = new Promotions([]);
    promotions.note(promotions.commandFor('ma-cross-2', order(config(10))));
    expect(() => promotions.commandFor('ma-cross-2', order(config(10)))).toThrow(
      'ma-cross has its code and params already',
    );
  });
});
