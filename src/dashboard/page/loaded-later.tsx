import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { reasonToReload } from './page-parts.ts';
import { loadFurtherPart, t } from './translate.ts';

/** Returns a component whose code and texts are loaded when it is first shown. */
export function loadedLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const code = signal<readonly [ComponentType<Props>] | null>(null);
  const loadCode = async (): Promise<void> => {
    const Part = await loadFurtherPart(load);
    if (Part !== null) code.value = [Part];
  };
  return function LoadedLater(props: Props) {
    useEffect(() => {
      if (code.value === null) void loadCode();
    }, []);
    if (code.value !== null) {
      const [Part] = code.value;
      return <Part {...props} />;
    }
    // If the code cannot be loaded, the notice above says what to do.
    return reasonToReload.value === null ? <p class="empty">{t('loading')}</p> : null;
  };
}
