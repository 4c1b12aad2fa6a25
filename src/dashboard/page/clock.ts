import { SECOND_MS } from '../../domain/time-text.ts';
import { signal } from '@preact/signals';

/** The clock of the browser, by the second, for ages and countdowns. It stands while nobody looks. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, SECOND_MS);

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) nowMs.value = Date.now();
});
