import { isMainThread } from 'node:worker_threads';

/**
 * To be loaded before a program: the signal SIGUSR2 makes it throw an uncaught error in a timer, with no
 * strategy and no call of the program in its stack.
 */
if (isMainThread) process.once('SIGUSR2', () => setTimeout(() => throwOutside()));

function throwOutside(): never {
  throw new RangeError('planted outside of any strategy');
}
