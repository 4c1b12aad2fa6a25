import { createInterface } from 'node:readline/promises';
import { userInfo } from 'node:os';
import { LONGEST_BY } from '../daemon/control-command.ts';

/**
 * Asks for a word to be typed, on standard error so that output stays for programs, and answers whether it
 * was. The end of the input is a no.
 */
export async function confirm(question: string, word: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`${question}\nType "${word}" to go on: `), ended]);
    return answer.trim() === word;
  } finally {
    lines.close();
  }
}

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
