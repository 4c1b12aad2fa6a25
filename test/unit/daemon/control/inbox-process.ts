import { ControlInbox } from '../../../../src/daemon/control/control-inbox.ts';

/** A process that takes commands and prints each: `FOLDER`. It ends halts but of the whole account. */
const inbox = new ControlInbox(process.argv[2] ?? '');
inbox.listen(
  ({ id, command }) => {
    console.log(JSON.stringify({ id, kind: command.kind }));
    if (command.kind !== 'halt') return;
    inbox.progress(id, { left: 1, closed: 2 });
    if (!command.wholeAccount) inbox.done(id, { ok: true, message: '3 orders closed', left: [] });
  },
  (error) => {
    throw error;
  },
);
console.log('listens');
