import type { BotConfig } from '../../daemon/create-bot-config.ts';

export const BOT_LANGUAGES = ['en', 'fa'] as const;

/** Language of the texts in a new bot's folder. */
export type BotLanguage = (typeof BOT_LANGUAGES)[number];

interface ModeTexts {
  readonly label: string;
  readonly hint: string;
  /** Sentence about it in the README of a new bot. */
  readonly readme: string;
}

/** Texts of "sarraf init" at a terminal. */
export interface InitTexts {
  readonly intro: string;
  readonly folder: string;
  readonly mode: string;
  readonly modes: Readonly<Record<BotConfig['mode'], ModeTexts>>;
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
    modes: {
      embedded: {
        label: 'embedded',
        hint: 'a simulated exchange on this machine: no account, no money',
        readme:
          'It trades on an exchange in its own process, ten times as fast as real time, without any money.',
      },
      paper: {
        label: 'paper',
        hint: 'real prices, orders stay on this machine',
        readme: 'It trades on paper: prices come from the exchange, orders stay in its own process.',
      },
      live: {
        label: 'live',
        hint: 'real orders with real money',
        readme:
          '**It trades with real money.** Copy `.env.example` to `.env` first, and put the token there.',
      },
    },
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
    modes: {
      embedded: {
        label: 'embedded',
        hint: 'صرافی شبیه‌سازی‌شده روی همین دستگاه: بدون حساب و بدون پول',
        readme:
          'این ربات روی صرافی شبیه‌سازی‌شده‌ای در همین برنامه معامله می‌کند، ده برابر سریع‌تر از زمان واقعی و بدون هیچ پولی.',
      },
      paper: {
        label: 'paper',
        hint: 'قیمت‌های واقعی؛ سفارش‌ها روی همین دستگاه می‌ماند',
        readme: 'این ربات آزمایشی معامله می‌کند: قیمت‌ها از صرافی می‌آید و سفارش‌ها در همین برنامه می‌ماند.',
      },
      live: {
        label: 'live',
        hint: 'سفارش واقعی با پول واقعی',
        readme:
          '**این ربات با پول واقعی معامله می‌کند.** اول از `.env.example` یک نسخه به نام `.env` بسازید و توکن را در آن بنویسید.',
      },
    },
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
