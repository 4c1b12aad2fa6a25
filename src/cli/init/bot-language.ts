export const BOT_LANGUAGES = ['en', 'fa'] as const;

/** Language of the texts in a new bot's folder. */
export type BotLanguage = (typeof BOT_LANGUAGES)[number];
