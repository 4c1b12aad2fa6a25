import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A mail server that knows only the least of SMTP (RFC 5321). It keeps the mails that it gets. */
export class SmtpServer {
  readonly mails: string[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** Replies to refuse the next mails with, instead of taking them. */
  private readonly refusals: string[] = [];

  constructor() {
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  refuses(line: string): void {
    this.refusals.push(line);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let text = '';
    let isData = false;
    socket.on('error', () => undefined);
    socket.write('220 here\r\n');
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const line = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          const refusal = this.refusals.shift();
          if (refusal === undefined) this.mails.push(line);
          socket.write(refusal === undefined ? '250 taken\r\n' : `${refusal}\r\n`);
        } else {
          isData = /^DATA/i.test(line);
          const isHello = /^EHLO/i.test(line);
          socket.write(isData ? '354 go on\r\n' : isHello ? '250-here\r\n250 AUTH PLAIN\r\n' : '250 ok\r\n');
          if (/^AUTH/i.test(line)) text = '';
          if (/^QUIT/i.test(line)) socket.end();
        }
      }
    });
  }
}
