import { backtest, type Candles } from '../src/research.ts';
import maCross from '../strategies/ma-cross.ts';
import { CROSS } from './backtest.ts';
import { firstBars, MARKET } from './bar-walk.ts';
import { cpuMs } from './cpu-time.ts';

/**
 * Runs the cross of averages several times in one process, as a user's program does, and prints the CPU time
 * of each run and the peak memory: `node bench/many-runs-process.ts RUNS BARS`.
 */
const [runs, bars] = process.argv.slice(2).map(Number);
if (runs === undefined || bars === undefined) throw new Error('expected RUNS and BARS');
const { timeframe, openTimeMs, priceDecimals, volumeDecimals, ...cells } = firstBars(bars);
const numbers = (column: Float64Array, decimals: number): Float64Array =>
  column.map((cell) => cell / 10 ** decimals);
const candles: Candles = {
  market: MARKET.symbol,
  timeframe,
  timeMs: openTimeMs,
  open: numbers(cells.open, priceDecimals),
  high: numbers(cells.high, priceDecimals),
  low: numbers(cells.low, priceDecimals),
  close: numbers(cells.close, priceDecimals),
  volume: numbers(cells.volume, volumeDecimals),
};
const cpuS: number[] = [];
let orders = 0;
for (let run = 0; run < runs; run += 1) {
  const ms = await cpuMs(async () => {
    const { result } = await backtest({
      candles: [candles],
      strategies: [{ strategy: maCross, market: MARKET.symbol, params: CROSS }],
      balances: { usdt: 10_000 },
      feePercent: 0.1,
      steps: { price: '0.01', amount: '0.000001' },
    });
    orders = result.summary.orders;
  });
  cpuS.push(ms / 1_000);
}
console.log(JSON.stringify({ orders, cpu_s: cpuS, rss_mb: (process.resourceUsage().maxRSS * 1_024) / 1e6 }));
