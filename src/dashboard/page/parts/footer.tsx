import { pageSession } from '../session.ts';
import { say } from '../say.ts';

/** Note about the page itself: viewing it costs nothing at the exchange. */
export function Footer() {
  return (
    <footer class="foot">
      <p>{say('foot.noRequests')}</p>
      <p class="note">
        {say('foot.times')} · <bdi dir="ltr">sarraf {pageSession.value?.version}</bdi>
      </p>
    </footer>
  );
}
