import type { Dice } from './dice.ts';
import type { FuzzWorld } from './world.ts';

/** Something that others than the bot do on the exchange, now and then. */
export interface Disturbance {
  readonly name: string;
  /** Does it once, now. The exchange is at the present time, which it is given. */
  readonly act: (world: FuzzWorld, dice: Dice, timeMs: number) => void;
}
