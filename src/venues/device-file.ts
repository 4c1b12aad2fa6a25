import { readPrivateFile, writePrivateFile } from '../configuration/private-file.ts';

/** Device name given by the exchange at an earlier login, and the callback for the next one. */
export interface KnownDevice {
  readonly device?: string;
  readonly onDevice: (device: string) => void;
}

/** Header and body take no more, and no exchange has been seen to send as much. */
const LONGEST_DEVICE = 1_024;

/**
 * The device of a file. A log-in without it is one from a new device, which closes withdrawals for an hour
 * ("Token scheme"); that is a nuisance and no reason to end a bot, so a file that can not be read or written
 * is said and passed over.
 */
export function knownDevice(path: string, onProblem: (message: string) => void): KnownDevice {
  const problem = (what: string, error: unknown): void =>
    onProblem(
      `${what} (${(error as NodeJS.ErrnoException).code ?? String(error)}): the next log-in is one from a new device, which closes withdrawals for an hour. File: ${path}`,
    );
  let device: string | null = null;
  try {
    device = readPrivateFile(path);
  } catch (error) {
    problem('the name of this device can not be read', error);
  }
  return {
    ...(device === null ? {} : { device }),
    onDevice(next) {
      try {
        if (next.length > LONGEST_DEVICE)
          throw new RangeError(`expected at most ${LONGEST_DEVICE} characters`);
        writePrivateFile(path, next);
      } catch (error) {
        problem('the name of this device can not be kept', error);
      }
    },
  };
}
