export const BOT_LANGUAGES = ['en', 'fa'] as const;

/** Language of the texts in a new bot's folder. */
export type BotLanguage = (typeof BOT_LANGUAGES)[number];

/** Texts of "sarraf init" at a terminal. */
export interface InitTexts {
  readonly intro: string;
  readonly folder: string;
  readonly mode: string;
  readonly address: string;
  readonly market: string;
  readonly otherMarket: string;
  readonly start: string;
  readonly name: string;
  readonly ended: string;
  readonly packing: string;
  readonly made: (files: number, folder: string) => string;
  readonly next: string;
}

/** Asked before a language is known, so in both. */
export const LANGUAGE_QUESTION = 'Language? / زبان؟';
export const LANGUAGE_NAMES: Readonly<Record<BotLanguage, string>> = { en: 'English', fa: 'فارسی' };

export const INIT_TEXTS: Readonly<Record<BotLanguage, InitTexts>> = {
  en: {
    intro: 'A new trading bot',
    folder: 'In which folder?',
    mode: 'On which exchange?',
    address: 'The address of the exchange?',
    market: 'Which market?',
    otherMarket: 'Which market? Such as BTCIRT or ETHUSDT',
    start: 'Which strategy do you begin with?',
    name: 'What is your strategy called?',
    ended: 'Ended: nothing was written.',
    packing: 'packing sarraf from its checkout, which takes some seconds …',
    made: (files, folder) => `${files} files are in ${folder}`,
    next: 'What comes next:',
  },
  fa: {
    intro: 'یک ربات معامله‌گر تازه',
    folder: 'در کدام پوشه؟',
    mode: 'روی کدام صرافی؟',
    address: 'نشانی صرافی؟',
    market: 'کدام بازار؟',
    otherMarket: 'کدام بازار؟ مانند BTCIRT یا ETHUSDT',
    start: 'با کدام استراتژی شروع می‌کنید؟',
    name: 'نام استراتژی شما؟',
    ended: 'پایان: چیزی نوشته نشد.',
    packing: 'sarraf از روی کد خودش بسته‌بندی می‌شود؛ چند ثانیه طول می‌کشد …',
    made: (files, folder) => `${files.toLocaleString('fa-IR')} پرونده در ${folder} نوشته شد`,
    next: 'بعد از این:',
  },
};
