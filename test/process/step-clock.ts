import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';

/**
 * To be loaded before a program: its wall clock is `by` ms from the true one, from its start or from the
 * signal SIGUSR2 on (`at`); both are parameters of the import URL. The monotonic clock and timers stay, as
 * when somebody sets the machine's clock. With `slept` the time since boot steps too, as after a sleep of the
 * machine.
 */
const { searchParams } = new URL(import.meta.url);
const byMs = Number(searchParams.get('by'));

const TrueDate = Date;
let aheadMs = searchParams.get('at') === 'start' ? byMs : 0;

process.on('SIGUSR2', () => {
  aheadMs = byMs;
});

const trueUptime = os.uptime;
if (searchParams.has('slept')) {
  os.uptime = () => trueUptime() + aheadMs / 1_000;
  syncBuiltinESMExports();
}

const steppedNow = (): number => TrueDate.now() + aheadMs;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [steppedNow()] : given, newTarget) as object,
  get: (target, name, receiver) =>
    name === 'now' ? steppedNow : (Reflect.get(target, name, receiver) as unknown),
});
