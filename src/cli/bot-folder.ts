import { existsSync } from 'node:fs';
import { failed } from './command-error.ts';

/** Ends the command where a data folder is none. */
export function checkBotFolder(data: string): void {
  if (!existsSync(data))
    throw failed(`expected the data folder of a bot at ${data}, found none: name it with --data`);
}
