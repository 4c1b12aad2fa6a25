import { pageSession } from '../session.ts';
import { say } from '../say.ts';

/** What a person should know of the page itself: looking costs nothing at the exchange. */
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
