import { bookAnswer, bookOf, NOON_MS, openRecorder } from './answers.ts';

/**
 * Records COUNT books into a folder, and prints as JSON the problems and the error that stopped it: `node
 * limited-recording.ts FOLDER COUNT`.
 */
const [root = '', count = ''] = process.argv.slice(2);
const problems: string[] = [];
const recorder = await openRecorder(root, { onProblem: (message) => problems.push(message) });
for (let number = 0; number < Number(count); number += 1)
  recorder.apply(...bookAnswer(bookOf(1_000 + number)), NOON_MS + number * 1_000);
process.stdout.write(JSON.stringify({ problems, failure: recorder.failure }));
// The process ends without closing, and the next one continues from what is on the disk.
process.exit(0);
