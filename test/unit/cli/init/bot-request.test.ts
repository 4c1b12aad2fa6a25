import { describe, expect, test } from 'vitest';
import { checkFolder, checkMarket, checkName } from '../../../../src/cli/init/bot-request.ts';
import { packageNameOf } from '../../../../src/cli/init/bot-files.ts';

describe('the package of a folder', () => {
  test.each([
    ['/home/me/my-bot', 'my-bot'],
    ['/home/me/My Bot (2)', 'my-bot-2'],
    ['/home/me/Café', 'cafe'],
    ['/home/me/ربات من', 'trading-bot'],
    ['/home/me/ربات btc', 'btc'],
    ['/home/me/_.bot', 'bot'],
    ['/home/me/sarraf', 'sarraf-bot'],
    ['/home/me/Node', 'node-bot'],
  ])('%s is %s', (folder, name) => {
    expect(packageNameOf(folder, ['sarraf', 'node'])).toBe(name);
  });

  test('has no name that is too long for npm', () => {
    expect(packageNameOf(`/${'a'.repeat(300)}`, []).length).toBeLessThan(214);
  });
});

describe('a folder', () => {
  test.each(['/home/me/ربات من', '/home/me/می‌خرم', "/home/me/it's #1?%20"])('%s is taken', (path) => {
    expect(checkFolder(path)).toEqual({ value: path });
  });

  test.each([
    ['/', 'the root'],
    ['/a:b/bot', 'without ":"'],
    ['/a/bot\n', 'nobody sees'],
    ['/a/\u202Etob', 'nobody sees'],
    ['/a/node_modules', 'another folder'],
  ])('%j is refused', (path, why) => {
    expect(checkFolder(path)).toEqual({ problem: expect.stringContaining(why) });
  });
});

test('a strategy has a name that fits into the ids of its orders', () => {
  expect(checkName('my-cross')).toEqual({ value: 'my-cross' });
  for (const name of ['', 'My', 'a b', '-a', 'a--b', '../a', 'thirteen-long', 'میانگین'])
    expect(checkName(name)).toEqual({ problem: expect.stringContaining('at most twelve') });
});

test('a market is one of the embedded exchange only there', () => {
  expect(checkMarket('btc-usdt', 'embedded')).toEqual({ value: 'BTCUSDT' });
  expect(checkMarket('XRPIRT', 'paper')).toEqual({ value: 'XRPIRT' });
  expect(checkMarket('XRPIRT', 'embedded')).toEqual({ problem: expect.stringContaining('BTCIRT, BTCUSDT') });
  expect(checkMarket('?', 'live')).toEqual({ problem: expect.stringContaining('market') });
});
