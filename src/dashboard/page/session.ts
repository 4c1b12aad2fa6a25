import { signal } from '@preact/signals';
import type { SessionBody, SessionReply } from '../schema/session.ts';
import { ApiFailure, deleteAt, getReply, postBody, rememberCsrfToken } from './api.ts';
import { suggestLanguage } from './preferences.ts';

/** Who is signed in: undefined while it is asked, null when nobody is. */
export const pageSession = signal<SessionReply | null | undefined>(undefined);

/** What kept the page from asking. */
export const sessionFailure = signal<ApiFailure | null>(null);

/** The code of a one-time link, which is taken out of the address before anything else is done. */
export function takeCode(): string | null {
  const code = /^#code=([\w.~-]{1,200})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#code=')) history.replaceState(null, '', location.pathname);
  return code;
}

function begin(reply: SessionReply): void {
  rememberCsrfToken(reply.csrf);
  suggestLanguage(reply.language);
  sessionFailure.value = null;
  pageSession.value = reply;
}

export async function signIn(body: SessionBody): Promise<void> {
  begin(await postBody<SessionReply>('/session', body));
}

/** Signs in with the code of a link where there is one; else asks who is signed in. */
export async function beginSession(code: string | null): Promise<void> {
  try {
    if (code === null) begin(await getReply<SessionReply>('/session'));
    else await signIn({ code });
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status !== 401 || code !== null) sessionFailure.value = error;
    pageSession.value = null;
  }
}

export function endSession(): void {
  rememberCsrfToken(null);
  pageSession.value = null;
}

export async function signOut(): Promise<void> {
  await deleteAt('/session').catch((error: unknown) => {
    if (!(error instanceof ApiFailure)) throw error;
  });
  endSession();
}

/** Whether the one who looks may give commands as well. */
export const mayOperate = (): boolean => pageSession.value?.role === 'operate';
