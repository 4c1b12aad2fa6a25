import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';

/**
 * A bot that only takes halts: `FOLDER closes|leaves|dies`. It claims the folder, and closes two orders,
 * leaves one open, or ends in the middle.
 */
const [folder = '', manner = 'closes'] = process.argv.slice(2);
claimDataFolder(folder);
const inbox = new ControlInbox(folder);
inbox.listen(
  ({ id, command }) => {
    if (command.kind === 'resume') {
      inbox.done(id, { ok: true, message: 'as asked', left: [] });
      return;
    }
    console.log(JSON.stringify(command));
    inbox.progress(id, { left: 2, closed: 0 });
    setTimeout(() => {
      inbox.progress(id, { left: 1, closed: 1 });
      if (manner === 'dies') process.kill(process.pid, 'SIGKILL');
      if (manner === 'leaves')
        inbox.done(id, { ok: false, message: '1 order is left', left: ['bot-maker-ab12-7'] });
      else inbox.done(id, { ok: true, message: '2 orders canceled', left: [] });
    }, 250);
  },
  (error) => {
    throw error;
  },
);
console.log('runs');
