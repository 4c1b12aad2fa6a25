import { z } from 'zod';
import { dataFolderOwner } from '../daemon/process-locks.ts';
import { tlsFailure } from '../domain/tls-failure.ts';
import { failed } from './command-error.ts';

/** Longest wait for an answer, in ms: a loop that stands still for longer is not healthy. */
const ANSWERS_WITHIN_MS = 3_000;

const outcome = z.object({ ok: z.boolean(), reasons: z.array(z.string()), locks: z.array(z.string()) });

/** Health of a bot: whether it is well, why it is not well or ready, and the locks that hold. */
export type HealthAnswer = z.output<typeof outcome>;

/** Returns the address where the bot of a data folder reports its health; null if it reports none. */
export function healthAddress(dataFolder: string): string | null {
  const address = dataFolderOwner(dataFolder)?.health ?? null;
  // A server that listens on all addresses is queried at this machine's own.
  return address === null
    ? null
    : address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Queries an address of health. Throws a `CommandError` if no bot answers there within seconds. */
export async function askHealth(address: string): Promise<HealthAnswer> {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'error' });
    return outcome.parse(await reply.json());
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'another program answers there' : reasonOf(error);
    throw failed(`expected a bot to answer at ${address}: ${reason}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${ANSWERS_WITHIN_MS / 1_000} s`;
  const ofTls = tlsFailure(error);
  if (ofTls !== null) return `found ${ofTls}`;
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
