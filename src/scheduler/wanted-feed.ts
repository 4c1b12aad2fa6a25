import type { Feed } from './feed.ts';

/** A feed before it has its place in the plan, with what its pace depends on. */
export interface WantedFeed extends Feed {
  /** How old it may get while no order is open. */
  readonly idleAgeMs: number;
  /** Who asks for it, for people: names of strategies, or what of the bot itself. */
  readonly askers: readonly string[];
  /** The exchange's own cache: its answer can be this old. */
  readonly cacheMs: number;
  /** Requests until all of it was seen once: wallets are asked for one after another, a bar now and then twice. */
  readonly turns: number;
  /** Asked for at the close of each bar, so that its pace can not be changed. */
  readonly isAtClose: boolean;
}
