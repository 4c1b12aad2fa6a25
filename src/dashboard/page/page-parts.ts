import { signal } from '@preact/signals';

/** Reason to reload the page; null if there is none. */
type ReasonToReload = 'missing-part' | 'newer-page';

export const reasonToReload = signal<ReasonToReload | null>(null);

/**
 * Loads a part of the page that is not needed at first; null if that fails: the server is down, has other
 * files after an upgrade, or the browser lacks a feature. The page then shows a notice.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part | null> {
  try {
    return await load();
  } catch (error) {
    // The console gets the details.
    reportError(error);
    reasonToReload.value ??= 'missing-part';
    return null;
  }
}

/**
 * Checks whether the server has another version of the page, as after an upgrade of the bot: the name of this
 * script contains a hash of its content. Called when a lost connection is restored.
 */
export async function checkForNewerPage(): Promise<void> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
  if (script === null) return;
  const response = await fetch('/', { cache: 'no-cache' }).catch(() => null);
  if (response?.ok !== true) return;
  const html = await response.text().catch(() => null);
  const name = new URL(script.src).pathname;
  if (html !== null && !html.includes(name)) reasonToReload.value = 'newer-page';
}
