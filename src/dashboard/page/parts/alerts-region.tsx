import { overview } from '../overview.ts';
import { language } from '../preferences.ts';
import { say } from '../say.ts';

/** Region read aloud when it changes: the number of open alerts, and the newest of them. */
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
