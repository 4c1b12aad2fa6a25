import { effect } from '@preact/signals';
import { pageText } from './report-words.ts';
import { chooseTheme, isDark } from './theme.ts';

/**
 * Unpacks a report's data and draws it; `data-ready` on the document then says that all is drawn. If it
 * fails, elements of the class `chart-note` show the reason.
 */
export async function startReport(draw: (data: never) => void): Promise<void> {
  startThemeSwitch();
  try {
    draw(await packedData());
    document.documentElement.dataset['ready'] = 'true';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    for (const note of document.querySelectorAll('.chart-note'))
      note.textContent = pageText('notDrawn', { reason });
    throw error;
  }
}

/** Unpacks the JSON in the element `data`. Rejects if the browser does not support it. */
async function packedData(): Promise<never> {
  const text = document.getElementById('data')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as never;
}

function startThemeSwitch(): void {
  const button = document.getElementById('theme');
  effect(() => {
    if (button === null) return;
    button.textContent = pageText(isDark.value ? 'light' : 'dark');
    button.setAttribute('aria-label', pageText(isDark.value ? 'toLight' : 'toDark'));
  });
  button?.addEventListener('click', () => chooseTheme(isDark.value ? 'light' : 'dark'));
}
