import { expect, test } from 'vitest';
import {
  budgetFigure,
  equityFigure,
  plotFigure,
  profitFigure,
  readFigureName,
} from '../../../src/domain/figure-name.ts';

test.each([
  [equityFigure('usdt'), { kind: 'equity', currency: 'usdt' }],
  [profitFigure(null, 'rls'), { kind: 'profit', strategy: null, currency: 'rls' }],
  [profitFigure('ma-cross', 'rls'), { kind: 'profit', strategy: 'ma-cross', currency: 'rls' }],
  [budgetFigure('orders/add'), { kind: 'budget', budget: 'orders/add' }],
  [plotFigure('one', 'BTCIRT', 'a/b'), { kind: 'plot', strategy: 'one', market: 'BTCIRT', name: 'a/b' }],
  ['plot/one/BTCIRT', null],
  ['equity/', null],
  ['weather/tehran', null],
  ['', null],
])('%s is read as it is written', (text, read) => {
  expect(readFigureName(text)).toEqual(read);
});
