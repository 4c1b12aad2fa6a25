import { createPrivateKey, sign } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Settings of this program, passed as JSON in its first argument. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Part of every clientOrderId, so that no two runs send the same one. */
  readonly run: string;
  /** Number of requests that are signed beforehand; null sends the token instead. */
  readonly signed: number | null;
}

/** Result of the load. The rate counts only accepted orders. */
export interface LoadReport {
  readonly accepted: number;
  readonly refused: number;
  readonly seconds: number;
}

const PATH = '/market/orders/add';
const SIGNING_KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const PUBLIC_KEY = '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=';

function bodyOf(run: string, number: number): string {
  const price = 50_000_000_000 + (number % 1_000) * 10;
  const id = `${run}-${String(number).padStart(8, '0')}`;
  return `{"type":"buy","execution":"limit","srcCurrency":"btc","dstCurrency":"rls","amount":"0.0001","price":"${price}","clientOrderId":"${id}","pro":true}`;
}

function credentials(body: string, isSigned: boolean): string {
  if (!isSigned) return 'authorization: Token bench-token\r\n';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(`${timestamp}POST${PATH}${body}`), SIGNING_KEY).toString(
    'base64url',
  );
  return `Service-Key: ${PUBLIC_KEY}\r\nService-Signature: ${signature}\r\nService-Timestamp: ${timestamp}\r\n`;
}

function requestOf(run: string, number: number, isSigned: boolean): string {
  const body = bodyOf(run, number);
  return `POST ${PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: TraderBot/bench-1\r\n${credentials(body, isSigned)}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Sends the next request on a socket when a reply is complete, which its content-length shows. */
function drive(socket: Socket, next: () => string | null, onReply: (isAccepted: boolean) => void): void {
  let text = '';
  const send = (): void => {
    const request = next();
    if (request === null) socket.end();
    else socket.write(request, 'latin1');
  };
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('connect', send);
  socket.on('data', (chunk: string) => {
    text += chunk;
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < headEnd + 4 + length) return;
    onReply(text.startsWith('HTTP/1.1 200') && text.startsWith('{"status":"ok"', headEnd + 4));
    text = '';
    send();
  });
}

/** Sends requests to a server for a time, or until the signed ones have been sent. */
async function load(order: LoadOrder): Promise<LoadReport> {
  const { run, signed } = order;
  const ready =
    signed === null ? null : Array.from({ length: signed }, (_, number) => requestOf(run, number, true));
  let sent = 0;
  let accepted = 0;
  let refused = 0;
  const startMs = performance.now();
  const endMs = startMs + order.durationMs;
  const next = (): string | null => {
    if (performance.now() >= endMs) return null;
    const number = sent;
    sent += 1;
    return ready === null ? requestOf(run, number, false) : (ready[number] ?? null);
  };
  const onReply = (isAccepted: boolean): void => {
    if (isAccepted) accepted += 1;
    else refused += 1;
  };
  await Promise.all(
    Array.from(
      { length: order.connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(order.port, '127.0.0.1');
          socket.on('close', () => resolve()).on('error', reject);
          drive(socket, next, onReply);
        }),
    ),
  );
  return { accepted, refused, seconds: (performance.now() - startMs) / 1000 };
}

const [parameters] = process.argv.slice(2);
if (parameters !== undefined) {
  console.log(JSON.stringify(await load(JSON.parse(parameters) as LoadOrder)));
}
