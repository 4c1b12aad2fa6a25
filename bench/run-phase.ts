import maCross from '../strategies/ma-cross.ts';
import { bareLoop, CROSS, IDLE, STEPS_A_MINUTE, run, watching } from './backtest.ts';
import { firstBars, MARKET, walksOf } from './bar-walk.ts';
import { cpuMs } from './cpu-time.ts';

/**
 * Runs one phase several times in its own process, without the loading of bars, and prints the CPU time of
 * each round: `node bench/run-phase.ts PHASE ROUNDS BARS`. Phases are bare, cross, looks and idle; idle-30,
 * looks-30 and watching-30 have bars of 30 markets.
 */
const [phase = '', rounds, bars] = process.argv.slice(2);
const columns = firstBars(Number(bars));
const only = [{ market: MARKET, columns }];
const many = walksOf(30, columns);
const phases: Readonly<Record<string, () => number>> = {
  bare: () => bareLoop(columns),
  cross: () => run(only, maCross, CROSS),
  looks: () => run(only, STEPS_A_MINUTE, CROSS),
  idle: () => run(only, IDLE, {}),
  'idle-30': () => run(many, IDLE, {}),
  'watching-30': () => run(many, watching(many), {}, many.slice(0, 1)),
  'looks-30': () => run(many, STEPS_A_MINUTE, CROSS),
};
const work = phases[phase];
if (work === undefined)
  throw new Error(`expected bare, cross, looks, idle, idle-30, looks-30 or watching-30, was ${phase}`);
const cpuS: number[] = [];
let orders = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  const ms = await cpuMs(() => {
    orders = work();
  });
  cpuS.push(ms / 1_000);
}
console.log(JSON.stringify({ orders, cpu_s: cpuS }));
