import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { WorkerSetup } from './worker-messages.ts';

// A thread without the variables of its process does not know where compiled code is stored. It must know
// before its first module is loaded, since compiling takes most of the time of its start.
const { compileCache } = workerData as WorkerSetup;
if (compileCache !== null) enableCompileCache(compileCache);
await import('./serve-calls.ts');
