import { overview } from '../overview.ts';
import { language } from '../preferences.ts';
import { say } from '../say.ts';

/** What is read aloud when it changes: how many alerts are open, and the newest of them. */
export function AlertsRegion() {
  const open = overview.value.data?.alerts ?? [];
  return (
    <div class="heard" aria-live="polite" role="status" data-alerts={open.length}>
      {open.length === 0
        ? ''
        : `${say('alerts.open', { count: open.length })}: ${open[0]?.texts[language.value] ?? ''}`}
    </div>
  );
}
