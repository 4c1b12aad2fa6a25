import { z } from 'zod';
import { dataFolderOwner } from '../daemon/process-locks.ts';
import { tlsFailure } from '../domain/tls-failure.ts';
import { failed } from './command-error.ts';

/** Time limit of an answer: a loop that stands still for longer is not well. */
const ANSWERS_WITHIN_MS = 3_000;

const outcome = z.object({ ok: z.boolean(), reasons: z.array(z.string()), locks: z.array(z.string()) });

/** Health of a bot: whether it is well, the reasons it is not well or ready, and the locks that hold. */
export type HealthAnswer = z.output<typeof outcome>;

/**
 * Returns where the bot of a data folder reports its health, as it is reached from this machine; null if it
 * serves nothing.
 */
export function healthAddress(dataFolder: string): string | null {
  const address = dataFolderOwner(dataFolder)?.health ?? null;
  // What listens everywhere is asked at this machine.
  return address === null
    ? null
    : address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Asks an address of health. Throws a `CommandError` where no bot answers there within seconds. */
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
