import type { PlannedFeed } from './feed.ts';

/** A feed of the plan with what people are told of it. */
export interface GivenFeed extends PlannedFeed {
  /** Who asks for it: names of strategies, or what of the bot itself. */
  readonly askers: readonly string[];
  /** How long after the close a bar is there at the latest; null for what is no bar. */
  readonly latestAfterCloseMs: number | null;
}
