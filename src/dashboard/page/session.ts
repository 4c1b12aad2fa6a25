import { signal } from '@preact/signals';
import type { SessionBody, SessionReply } from '../schema/session.ts';
import { ApiFailure, deleteAt, getReply, postBody, rememberCsrfToken } from './api.ts';
import { storePreference, readPreference } from '../../page/theme.ts';
import { suggestLanguage } from './preferences.ts';

/** Session of the signed-in person: undefined while it is requested, null if nobody is signed in. */
export const pageSession = signal<SessionReply | null | undefined>(undefined);

/** Key of a note that this browser signed in. The cookie is unreadable, and a refusal looks like a fault. */
const HINT = 'signed-in';

export const sessionFailure = signal<ApiFailure | null>(null);

/** Returns the code of a one-time link, and removes it from the address before anything else happens. */
export function readCode(): string | null {
  const code = /^#code=([\w.~-]{1,200})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#code=')) history.replaceState(null, '', location.pathname);
  return code;
}

function begin(reply: SessionReply): void {
  rememberCsrfToken(reply.csrf);
  suggestLanguage(reply.language);
  sessionFailure.value = null;
  pageSession.value = reply;
  storePreference(HINT, 'yes');
}

export async function signIn(body: SessionBody): Promise<void> {
  begin(await postBody<SessionReply>('/session', body));
}

/** Signs in with a link's code if there is one; else requests the session if this browser has signed in. */
export async function beginSession(code: string | null): Promise<void> {
  if (code !== null && (await isDone(() => signIn({ code }), true))) return;
  const isHere = readPreference(HINT) === 'yes';
  if (isHere && (await isDone(async () => begin(await getReply('/session')), false))) return;
  pageSession.value = null;
}

async function isDone(work: () => Promise<void>, reportsRefusal: boolean): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status !== 401 || reportsRefusal) sessionFailure.value = error;
    return false;
  }
}

export function endSession(): void {
  storePreference(HINT, 'no');
  rememberCsrfToken(null);
  pageSession.value = null;
}

export async function signOut(): Promise<void> {
  await deleteAt('/session').catch((error: unknown) => {
    if (!(error instanceof ApiFailure)) throw error;
  });
  endSession();
}

/** True if the viewer may also give commands. */
export const mayOperate = (): boolean => pageSession.value?.role === 'operate';
