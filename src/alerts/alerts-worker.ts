import { parentPort, workerData } from 'node:worker_threads';
import { endWhenAsked } from '../daemon/sidecar.ts';
import type { AlertsSetup } from './alerts-setup.ts';
import type { AlertsMessage } from './alerts-sidecar.ts';
import { openAlerts } from './open-alerts.ts';

/** Posts a message from this thread, which watches a run and sends alerts, to the run. */
const notify = (message: AlertsMessage): void => parentPort?.postMessage(message, []);

endWhenAsked();
await openAlerts(workerData as AlertsSetup, (level, text) => notify({ level, text }));
