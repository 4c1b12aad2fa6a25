import { messageOf } from '../domain/errors.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { onOneLine } from './api-error.ts';
import {
  beginDashboard,
  isPortTaken,
  type DashboardMessage,
  type DashboardSettings,
} from './begin-dashboard.ts';

/** The entry of the thread that serves the page of a run. */
const tell = (message: DashboardMessage): void => parentPort?.postMessage(message, []);

try {
  const { begun } = await beginDashboard(workerData as DashboardSettings, (message) =>
    tell({ kind: 'trouble', message }),
  );
  tell(begun);
} catch (error) {
  const message = onOneLine(messageOf(error));
  tell({ kind: 'failed', message, isPortTaken: isPortTaken(error) });
}
