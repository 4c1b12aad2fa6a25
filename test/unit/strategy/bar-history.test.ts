import { expect, test } from 'vitest';
import { BarHistory } from '../../../src/strategy/data/candle-series.ts';
import { closedCandle } from './engine-view.ts';

test('holds the last bars, oldest first, whenever somebody looks', () => {
  for (const looks of [(): boolean => true, (bar: number): boolean => bar % 4 === 0]) {
    const history = new BarHistory(3);
    expect(history.list).toEqual([]);
    for (let bar = 0; bar < 12; bar += 1) {
      history.add(closedCandle(bar));
      const last = [bar - 2, bar - 1, bar].filter((close) => close >= 0);
      if (looks(bar)) expect(history.list.map(({ close }) => close)).toEqual(last);
    }
  }
});

test('shows a bar as the same frozen object for as long as it is among the last', () => {
  const history = new BarHistory(2);
  history.add(closedCandle(1));
  const [first] = history.list;
  expect(history.list).toBe(history.list);
  history.add(closedCandle(2));
  expect(history.list[0]).toBe(first);
  expect([history.list, first].every((shown) => Object.isFrozen(shown))).toBe(true);
  history.add(closedCandle(3));
  expect(history.list).not.toContain(first);
});

test('of no length holds nothing', () => {
  const history = new BarHistory(0);
  history.add(closedCandle(1));
  expect(history.list).toEqual([]);
});
