import { lockDataFolder } from '../../../../src/daemon/locks/run-locks.ts';

/** A process that takes a data folder, says so, and keeps it until it is killed: `FOLDER`. */
const lock = lockDataFolder(process.argv[2] ?? '');
console.log(`has it: ${lock.owner.pid}`);
setInterval(() => undefined, 60_000);
