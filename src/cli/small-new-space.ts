import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's space for new objects as small as it begins. A backtest makes millions of objects that die at once; a space that grows to its 48 MB collects
 * them no faster, and sends more of them on to where they stay until all of memory is gone through: 100 MB of 400. To be called before the work begins.
 */
export function keepNewSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
