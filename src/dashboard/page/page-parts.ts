import { signal } from '@preact/signals';

/** Reason a person should reload the page; null while there is none. */
type ReasonToReload = 'missing-part' | 'newer-page';

export const reasonToReload = signal<ReasonToReload | null>(null);

/**
 * Loads a part of the page that is not needed at first, and may draw it. Null where that fails: the server is
 * gone, a newer one has other files, or the browser lacks something. The page says so.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part | null> {
  try {
    return await load();
  } catch (error) {
    // The console has the details, for whoever looks for them.
    reportError(error);
    reasonToReload.value ??= 'missing-part';
    return null;
  }
}

/**
 * Checks if the server now has a page of another version, as after an upgrade of the bot: the name of this
 * script has a hash of its content. Called when a lost connection is restored.
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
