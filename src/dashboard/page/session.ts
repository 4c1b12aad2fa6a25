import { signal } from '@preact/signals';
import type { SessionBody, SessionReply } from '../schema/session.ts';
import { ApiFailure, deleteAt, getReply, postBody, rememberCsrfToken } from './api.ts';
import { storePreference, readPreference } from '../../page/theme.ts';
import { suggestLanguage } from './preferences.ts';

/** Session of the person signed in: undefined while requested, null if nobody is. */
export const pageSession = signal<SessionReply | null | undefined>(undefined);

/** Marks that this browser signed in: the cookie cannot be read, and a refusal would appear as a fault. */
const HINT = 'signed-in';

export const sessionFailure = signal<ApiFailure | null>(null);

/** The code of a one-time link, which is taken out of the address before anything else is done. */
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

/** Signs in with the code of a link where there is one; else asks who is signed in, if somebody may be. */
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
