import { chooseTheme, isDark } from '../../../page/theme.ts';
import { chooseLanguage, chooseRialUnit, language, rialUnit } from '../preferences.ts';
import { signOut } from '../session.ts';
import { t } from '../translate.ts';

/** Icons as lines in a 24 by 24 square, in the colour of the text beside them. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  market: 'M7 4v3M7 15v5M5 7h4v8H5zM17 3v5M17 14v4M15 8h4v6h-4z',
  orders: 'M5 6h14M5 12h14M5 18h9',
  trips: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  profits: 'M5 5h14v15H5zM5 10h14M9 3v4M15 3v4M9 15h.01M12 15h3',
  quality: 'M12 20V10M6 20v-6M18 20V4',
  fills: 'M5 13l4 4L19 7',
  signals: 'M12 19v-6M9.5 13a2.5 2.5 0 1 1 5 0M7 15a6 6 0 1 1 10 0M4.5 17.5a9.5 9.5 0 1 1 15 0',
  budgets: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  books: 'M12 4v16M6 8h12M6 8l-3 6h6zM18 8l-3 6h6z',
  locks: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  log: 'M5 5h14v14H5zM8 9h8M8 12h8M8 15h5',
  alerts: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  reports: 'M4 20h16M7 20v-7M12 20V6M17 20v-10',
  bots: 'M5 9h14v10H5zM12 9V5M9 13v2M15 13v2',
  more: 'M5 7h14M5 12h14M5 17h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z',
  leave: 'M14 4h5v16h-5M4 12h10M10 8l4 4-4 4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Button that shows the page in the other language. */
export function LanguageButton() {
  const other = language.value === 'fa' ? 'en' : 'fa';
  return (
    <button type="button" class="quiet" lang={other} onClick={() => chooseLanguage(other)}>
      {other === 'en' ? 'English' : 'فارسی'}
    </button>
  );
}

/** Buttons of the reader's preferences, which every view has, and the one that signs out. */
export function Tools() {
  return (
    <>
      <LanguageButton />
      <button
        type="button"
        class="quiet"
        aria-pressed={rialUnit.value === 'toman'}
        onClick={() => chooseRialUnit(rialUnit.value === 'toman' ? 'rial' : 'toman')}
      >
        {t('tool.toman')}
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label={t(isDark.value ? 'tool.light' : 'tool.dark')}
        title={t(isDark.value ? 'tool.light' : 'tool.dark')}
        onClick={() => chooseTheme(isDark.value ? 'light' : 'dark')}
      >
        <Icon name={isDark.value ? 'sun' : 'moon'} />
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label={t('tool.signOut')}
        title={t('tool.signOut')}
        onClick={() => void signOut()}
      >
        <Icon name="leave" />
      </button>
    </>
  );
}
