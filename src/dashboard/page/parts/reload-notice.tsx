import { liveState } from '../live.ts';
import { reasonToReload } from '../page-parts.ts';
import { say } from '../say.ts';

/** Says why the page should be loaded again, where it should. */
export function ReloadNotice() {
  const reason = reasonToReload.value;
  // While the server is gone there is nothing to load, and what is shown would be lost.
  if (reason === null || liveState.value === 'lost') return null;
  return (
    <p class="notice warn" role="alert" data-reload={reason}>
      {say(`reload.${reason}`)}{' '}
      <button type="button" class="quiet" onClick={() => location.reload()}>
        {say('action.reload')}
      </button>
    </p>
  );
}
