import { isMainThread } from 'node:worker_threads';

/**
 * To be loaded before a program: an error in a timer that nobody catches, from the signal SIGUSR2 on. No
 * strategy and no call of the program is in its stack.
 */
if (isMainThread) process.once('SIGUSR2', () => setTimeout(() => throwOutside()));

function throwOutside(): never {
  throw new RangeError('planted outside of any strategy');
}
