import { expect, test } from 'vitest';
import {
  budgetFigure,
  requestsFigure,
  equityFigure,
  plotFigure,
  profitFigure,
  readFigureName,
  isSignalId,
} from '../../../src/domain/figure-name.ts';

test.each([
  [equityFigure('usdt'), { kind: 'equity', currency: 'usdt' }],
  [profitFigure(null, 'rls'), { kind: 'profit', strategy: null, currency: 'rls' }],
  [profitFigure('ma-cross', 'rls'), { kind: 'profit', strategy: 'ma-cross', currency: 'rls' }],
  [budgetFigure('orders/add'), { kind: 'budget', budget: 'orders/add' }],
  [requestsFigure('orders/add'), { kind: 'requests', budget: 'orders/add' }],
  [plotFigure('one', 'BTCIRT', 'a/b'), { kind: 'plot', strategy: 'one', market: 'BTCIRT', name: 'a/b' }],
  ['plot/one/BTCIRT', null],
  ['equity/', null],
  ['weather/tehran', null],
  ['', null],
])('%s is read as it is written', (text, read) => {
  expect(readFigureName(text)).toEqual(read);
});

test.each(['BTCUSDT-2026-01-05T10:00:00Z', 'ES1!-2026-01-05T10:00:00Z', 'M&M-2026-01-05T10:00:00Z'])(
  'the id that the template of an alert makes, %s, is one',
  (id) => {
    expect(isSignalId(id)).toBe(true);
  },
);

test.each(['', 'a b', 'a/b', 'a"b', 'x'.repeat(65), 7])('%s is none', (id) => {
  expect(isSignalId(id)).toBe(false);
});
