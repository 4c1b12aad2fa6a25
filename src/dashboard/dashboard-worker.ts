import { messageOf } from '../domain/errors.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { endWhenAsked } from '../daemon/sidecar.ts';
import { onOneLine } from './api-error.ts';
import { beginDashboard, type DashboardMessage, type DashboardSettings } from './begin-dashboard.ts';

/** Entry point of the thread that serves the page of a run. */
const notify = (message: DashboardMessage): void => parentPort?.postMessage(message, []);

endWhenAsked();
try {
  const { begun } = await beginDashboard(workerData as DashboardSettings, (message) =>
    notify({ kind: 'trouble', message }),
  );
  notify(begun);
} catch (error) {
  notify({ kind: 'failed', message: onOneLine(messageOf(error)) });
}
