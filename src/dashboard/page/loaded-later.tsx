import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { reasonToReload } from './page-parts.ts';
import { loadFurtherPart, t } from './translate.ts';

/** Returns a maker of components of a module, which is loaded with its texts when one is first shown. */
export function loadedLater<Module>(load: () => Promise<Module>) {
  const code = signal<Module | null>(null);
  const loadCode = async (): Promise<void> => {
    code.value = await loadFurtherPart(load);
  };
  return <Props extends object>(partOf: (module: Module) => ComponentType<Props>) =>
    function LoadedLater(props: Props) {
      useEffect(() => {
        if (code.value === null) void loadCode();
      }, []);
      if (code.value !== null) {
        const Part = partOf(code.value);
        return <Part {...props} />;
      }
      // If the code cannot be loaded, the notice above says what to do.
      return reasonToReload.value === null ? <p class="empty">{t('loading')}</p> : null;
    };
}
