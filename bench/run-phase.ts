import maCross from '../strategies/ma-cross.ts';
import { bareLoop, CROSS, IDLE, LOOKS, run } from './backtest.ts';
import { firstBars } from './bar-walk.ts';
import { cpuMs } from './cpu-time.ts';

/**
 * Runs one thing so often in a process of its own, without the loading of bars, and prints what each round
 * took of the processor: `node bench/run-phase.ts bare|cross|looks|idle ROUNDS BARS`.
 */
const [phase = '', rounds, bars] = process.argv.slice(2);
const columns = firstBars(Number(bars));
const phases: Readonly<Record<string, () => number>> = {
  bare: () => bareLoop(columns),
  cross: () => run(columns, maCross, CROSS),
  looks: () => run(columns, LOOKS, CROSS),
  idle: () => run(columns, IDLE, {}),
};
const work = phases[phase];
if (work === undefined) throw new Error(`expected bare, cross, looks or idle, was ${phase}`);
const cpuS: number[] = [];
let orders = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  const ms = await cpuMs(() => {
    orders = work();
  });
  cpuS.push(ms / 1_000);
}
console.log(JSON.stringify({ orders, cpu_s: cpuS }));
