// Opens as many pages as it is told, each with its stream and a look at the overview every five seconds, and closes
// them again. A process of its own, so that what it does is no work of the bot's loop.
import { Agent, get } from 'node:http';

const OVERVIEW_EVERY_MS = 5_000;
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
let open = [];

function poll(at, token) {
  get(`${at}/api/v1/overview`, { headers: { authorization: `Bearer ${token}` }, agent }, (reply) =>
    reply.resume(),
  ).on('error', () => undefined);
}

function page(at, token) {
  const stream = get(
    `${at}/api/v1/events`,
    { headers: { authorization: `Bearer ${token}` }, agent: false },
    (reply) => reply.resume(),
  );
  stream.on('error', () => undefined);
  const timer = setInterval(() => poll(at, token), OVERVIEW_EVERY_MS);
  poll(at, token);
  return () => {
    clearInterval(timer);
    stream.destroy();
  };
}

process.on('message', ({ at, token, count }) => {
  for (const close of open) close();
  open = Array.from({ length: count }, () => page(at, token));
});
