import { createInterface } from 'node:readline/promises';

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
