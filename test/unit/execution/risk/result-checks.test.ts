import { describe } from 'vitest';
import { checkDailyLoss, checkDrawdown, checkLossCooldown } from '../../../../src/engine/risk/pnl-checks.ts';
import { runTable } from './risk-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

describe('the loss of the day', () => {
  scenarios(runTable(checkDailyLoss))`
    is held to the limit of its quote currency
      maxDailyLoss usdt=100 | day -100 => passes
      maxDailyLoss usdt=100 | day -100.0000000001 => refuses: the loss of the day is 100.0000000001 USDT, above the limit of 100 USDT
      maxDailyLoss usdt=0 | day 0 => passes
      maxDailyLoss usdt=0 | day 50 => passes
      maxDailyLoss usdt=100 rls=50 | day 10, in rls day -51 => refuses: the loss of the day is 51 RLS, above the limit of 50 RLS
      maxDailyLoss usdt=100 rls=50 | day -101, in rls day 1 => refuses: the loss of the day is 101 USDT
      maxDailyLoss usdt=100 | day 10, unvalued btc eth => refuses: the result in USDT is not known: btc and eth have no price in usdt before USDTIRT was seen
      maxDailyLoss usdt=100 | day 10, unvalued btc, holds 1, sell 1 => passes
      maxDailyLoss rls=100 | day 10, unvalued btc => passes
      maxDailyLoss rls=100 | day -5000 => passes
      | day -5000 => passes

    lets what only reduces the position pass
      maxDailyLoss usdt=1 | day -2, holds 1, sell 1 => passes
      maxDailyLoss usdt=1 | day -2, holds 1, sell 1.0000000001 => refuses
      maxDailyLoss usdt=1 | day -2, holds 1, buy 1 => refuses
      maxDailyLoss usdt=1 | day -2, holds -1, buy 1 => passes
      maxDailyLoss usdt=1 | day -2, holds 1, live sell 1 at 110, sell 1 => refuses
      maxDailyLoss usdt=1 | day -2, holds 1, live sell 1 at 110 of other, sell 1 => passes
      maxDailyLoss usdt=1 | day -2, holds 1, live sell 1 at 110 in BTCIRT, sell 1 => refuses
      maxDailyLoss usdt=1 | day -2, holds 1, live sell 1 at 110 in ETHUSDT, sell 1 => passes
  `;
});

describe('the drawdown', () => {
  scenarios(runTable(checkDrawdown))`
    is the fall from the highest result
      maxDrawdown usdt=50 | peak 100, result 50 => passes
      maxDrawdown usdt=50 | peak 100, result 49.9999999999 => refuses: the result has fallen by 50.0000000001 USDT from its highest of 100 USDT, above the limit of 50 USDT
      maxDrawdown usdt=50 | peak 0, result -51 => refuses
      maxDrawdown rls=50 | in rls peak 100 result 49 => refuses: the result has fallen by 51 RLS
      maxDrawdown usdt=50 | unvalued btc => refuses: the result in USDT is not known: btc has no price in usdt
      maxDrawdown rls=50 | peak 100, result -100 => passes
      | peak 100, result -100 => passes

    lets what only reduces the position pass
      maxDrawdown usdt=50 | peak 100, result 0, holds 1, sell 1 => passes
      maxDrawdown usdt=50 | peak 100, result 0, holds 1, sell 1.01 => refuses
      maxDrawdown usdt=50 | peak 100, result 0, holds 1, buy 0.01 at 100 => refuses
  `;
});

describe('the pause after losses', () => {
  scenarios(runTable(checkLossCooldown))`
    lasts from the end of the last one
      lossCooldown losses=3 pauseMs=1000 | losses 2 ended 0 ago => passes
      lossCooldown losses=3 pauseMs=1000 | losses 3 ended 999 ago => refuses: 3 round trips in a row lost money, the limit is 3; only orders that reduce the position pass for the next 1 ms
      lossCooldown losses=3 pauseMs=1000 | losses 3 ended 1000 ago => passes
      lossCooldown losses=3 pauseMs=1000 | losses 4 ended 0 ago => refuses: for the next 1000 ms
      | losses 9 ended 0 ago => passes
      lossCooldown losses=1 pauseMs=1000 | => passes

    lets what only reduces the position pass
      lossCooldown losses=3 pauseMs=1000 | losses 3 ended 0 ago, holds 1, sell 1 => passes
      lossCooldown losses=3 pauseMs=1000 | losses 3 ended 0 ago, holds 1, sell 1.01 => refuses
  `;
});
