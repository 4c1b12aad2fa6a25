export const BOT_LANGUAGES = ['en', 'fa'] as const;

/** What the texts of a new bot's folder are written in. */
export type BotLanguage = (typeof BOT_LANGUAGES)[number];
