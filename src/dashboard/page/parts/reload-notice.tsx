import { reasonToReload } from '../page-parts.ts';
import { say } from '../say.ts';

/** Says why the page should be loaded again, where it should. */
export function ReloadNotice() {
  const reason = reasonToReload.value;
  if (reason === null) return null;
  return (
    <p class="notice warn" role="alert" data-reload={reason}>
      {say(`reload.${reason}`)}{' '}
      <button type="button" class="quiet" onClick={() => location.reload()}>
        {say('action.reload')}
      </button>
    </p>
  );
}
