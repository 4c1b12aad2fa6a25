import { userInfo } from 'node:os';
import { LONGEST_BY } from '../daemon/control-command.ts';

/**
 * Returns the person giving a command, for the journal and `sarraf locks`; nothing if the machine has no
 * name.
 */
export function personName(): { readonly by?: string } {
  try {
    return { by: userInfo().username.slice(0, LONGEST_BY) };
  } catch {
    return {};
  }
}
