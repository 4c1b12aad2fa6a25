/** Modes of a bot: the exchange is in its process, only its data is real, or all of it is. */
export const BOT_MODES = ['embedded', 'paper', 'live'] as const;

/** The mirror's file of each mode: what is not traded with real money has one of its own. */
export const MIRRORS = {
  embedded: 'embedded.sqlite',
  paper: 'paper.sqlite',
  live: 'mirror.sqlite',
} as const satisfies Record<(typeof BOT_MODES)[number], string>;
