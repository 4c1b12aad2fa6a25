import { dirname } from 'node:path';
import type { TakeLock } from '../../recording/append-rows.ts';
import { acquireLock } from '../process-lock.ts';

/** The locks of a catalogue that is recorded into. */
export const lockOfRecording: TakeLock = (path) =>
  acquireLock({ path, what: dirname(path), otherwise: 'record into another folder' });
